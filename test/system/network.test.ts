import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Ended, ROOT, scratch } from '../e2e/processes.ts'
import { eventually } from '../eventually.ts'
import { shortTimers } from '../lab/short-timers.ts'

/** Two hosts in namespaces of their own, joined by a wire and by nothing else: a service and a client. */
const [HERE, THERE] = [`hf-client-${process.pid}`, `hf-service-${process.pid}`]
const [OURS, THEIRS] = ['10.99.0.2', '10.99.0.1']
/** No timer that ends a request or the daemon is longer, in milliseconds. */
const ENDING = shortTimers(4999)
const RESOLVER = `nameserver ${THEIRS}\noptions timeout:1 attempts:1\n`
const ip = (...args: readonly string[]): void => void execFileSync('ip', args, { stdio: 'pipe' })

/** Making namespaces needs root and iproute2, and a kernel that lets us. */
function canMakeNetworks(): boolean {
  try {
    ip('netns', 'add', `hf-probe-${process.pid}`)
    ip('netns', 'del', `hf-probe-${process.pid}`)
    return true
  } catch {
    console.error(
      '\n!!! network namespaces cannot be made here (root and iproute2 are needed): these system tests are SKIPPED\n',
    )
    return false
  }
}

const stateIn = (folder: string): string => readFileSync(join(folder, 'state.json'), 'utf8')
/** Whether the service is to be tried again soon, without a wait that it asked for. */
const isRetrying = (state: string): boolean => /"kind": ?"retrying"/.test(state)

const inside = (
  host: string,
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): ChildProcess =>
  spawn('ip', ['netns', 'exec', host, program, ...args], {
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })

async function ended(child: ChildProcess): Promise<Ended> {
  const [out, errors]: [Buffer[], Buffer[]] = [[], []]
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr?.on('data', (chunk: Buffer) => errors.push(chunk))
  const code = await new Promise<number | null>((done) => child.on('close', done))
  return { code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(errors).toString() }
}

/** A name server of few words: silent, failing, or answering with an address. */
const NAME_SERVER = `
  const socket = require('dgram').createSocket('udp4')
  const [mode, address] = process.argv.slice(1)
  socket.on('message', (query, from) => {
    if (mode === 'silent') return
    const answers = mode === 'address' && query.readUInt16BE(query.length - 4) === 1 ? 1 : 0
    const header = Buffer.from(query.subarray(0, 12))
    header.writeUInt16BE(mode === 'servfail' ? 0x8182 : 0x8180, 2)
    header.writeUInt16BE(answers, 6); header.writeUInt16BE(0, 8); header.writeUInt16BE(0, 10)
    let end = 12
    while (query[end] !== 0) end += query[end] + 1
    const question = query.subarray(12, end + 5)
    const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)])
    socket.send(Buffer.concat([header, question, ...(answers ? [record] : [])]), from.port, from.address)
  })
  socket.bind(53, '${THEIRS}', () => console.log('ready'))`

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout !== null) for await (const line of createInterface({ input: child.stdout })) return line
  throw new Error('it said nothing')
}

describe.skipIf(!canMakeNetworks())('in a network of two hosts', () => {
  let service: ChildProcess
  let made: { readonly url: string; readonly username: string; readonly password: string }

  beforeAll(async () => {
    for (const host of [HERE, THERE]) ip('netns', 'add', host)
    ip('link', 'add', 'wire0', 'netns', HERE, 'type', 'veth', 'peer', 'name', 'wire1', 'netns', THERE)
    for (const [host, link, address] of [
      [HERE, 'wire0', OURS],
      [THERE, 'wire1', THEIRS],
    ] as const) {
      ip('-n', host, 'addr', 'add', `${address}/24`, 'dev', link)
      ip('-n', host, 'link', 'set', link, 'up')
      ip('-n', host, 'link', 'set', 'lo', 'up')
    }
    mkdirSync(`/etc/netns/${HERE}`, { recursive: true })
    writeFileSync(`/etc/netns/${HERE}/resolv.conf`, RESOLVER)
    service = inside(THERE, process.execPath, [
      join(ROOT, 'bin/holdfast.js'),
      'serve',
      '--dev',
      '--json',
      '--listen',
      `${THEIRS}:8080`,
    ])
    made = JSON.parse(await firstLine(service)) as typeof made
    service.stderr?.resume()
  })
  afterAll(() => {
    service.kill('SIGKILL')
    for (const host of [HERE, THERE]) {
      const pids = execFileSync('ip', ['netns', 'pids', host], { encoding: 'utf8' })
        .trim()
        .split('\n')
        .filter(Boolean)
      for (const pid of pids) process.kill(Number(pid), 'SIGKILL')
      ip('netns', 'del', host)
    }
    rmSync(`/etc/netns/${HERE}`, { recursive: true, force: true })
  })

  const args = (state: string, server = made.url): readonly string[] => [
    '--server',
    server,
    '--username',
    made.username,
    '--hostname',
    'home.example.test',
    '--state-dir',
    state,
    '--runtime-dir',
    state,
    '--connect-timeout',
    '2s',
    '--response-timeout',
    '3s',
  ]
  const client = (command: string, ...more: readonly string[]): ChildProcess =>
    inside(HERE, process.execPath, [join(ROOT, 'bin/holdfast.js'), command, ...more], {
      HOLDFAST_PASSWORD: made.password,
      HOLDFAST_VERIFY: 'no',
      ...ENDING,
    })
  const update = async (state: string, server?: string): Promise<Ended> =>
    ended(client('update', ...args(state, server), '--myip', '192.0.2.1'))

  it('with the link down nothing is reached; with the link up again all is well', async () => {
    const state = scratch()
    ip('-n', HERE, 'link', 'set', 'wire0', 'down')
    const down = await update(state)
    const kept = stateIn(state)
    ip('-n', HERE, 'link', 'set', 'wire0', 'up')
    const up = await update(state)

    expect([down.code, down.stderr]).toEqual([69, expect.stringMatching(/connect: no route to 10\.99\.0\.1/)])
    expect(isRetrying(kept)).toBe(true)
    expect([up.code, up.stdout]).toEqual([0, expect.stringContaining('good 192.0.2.1')])
  })

  it('a daemon that was started before the network exists sends as soon as it is poked with the link up', async () => {
    const state = scratch()
    ip('-n', HERE, 'link', 'set', 'wire0', 'down')
    const daemon = client('run', ...args(state), '--myip', '192.0.2.9', '--json', '--log-level', 'debug')
    onTestFinished(() => void daemon.kill('SIGKILL'))
    daemon.stdout?.resume()
    const lines: string[] = []
    if (daemon.stderr !== null)
      createInterface({ input: daemon.stderr }).on('line', (line) => lines.push(line))
    await eventually(() => lines.join('\n')).toContain('the service was not reached')
    ip('-n', HERE, 'link', 'set', 'wire0', 'up')
    const before = lines.length
    await ended(client('poke', ...args(state), '--myip', '192.0.2.9'))

    await eventually(() => lines.join('\n')).toContain('the service confirmed the address')
    const said = lines.slice(before).map((line) => (JSON.parse(line) as { msg: string }).msg)
    const hint = 'something may have changed'
    // Without a wait in between. The kernel may tell of the link too, before the poke or after it.
    const done = said.slice(said.indexOf(hint)).filter((one, at, all) => one !== hint && one !== all[at - 1])
    expect(done.slice(0, 3)).toEqual([
      'asked the address sources',
      'sending an update request',
      'the service confirmed the address',
    ])
  })

  describe('with a name server', () => {
    const naming = async (mode: string, address: string): Promise<void> => {
      const server = inside(THERE, process.execPath, ['-e', NAME_SERVER, mode, address])
      onTestFinished(async () => {
        const gone = new Promise((done) => server.on('close', done))
        server.kill('SIGKILL')
        await gone
      })
      expect(await firstLine(server)).toBe('ready')
    }

    // biome-ignore format: a table
    it.each([
      ['that is right',              THEIRS,      'address',  0,  /good 192\.0\.2\.1/],
      ['that answers nothing',       THEIRS,      'silent',   69, /nothing sent\n[^]*look-up/],
      ['that fails',                 THEIRS,      'servfail', 69, /nothing sent\n[^]*look-up/],
      ['that names a wrong address', '10.99.0.9', 'address',  69, /nothing sent\n[^]*connect/],
    ] as const)('%s', async (_, address, mode, code, says) => {
      await naming(mode, address)
      const state = scratch()

      const { code: exit, stdout, stderr } = await update(state, 'http://dyn.test:8080')

      expect([exit, stdout + stderr]).toEqual([code, expect.stringMatching(says)])
      expect(isRetrying(stateIn(state))).toBe(code !== 0)
    })

    it('that is longer than the connect timeout: no name server was reached', async () => {
      await naming('silent', THEIRS)
      writeFileSync(`/etc/netns/${HERE}/resolv.conf`, `nameserver ${THEIRS}\n`)
      onTestFinished(() => writeFileSync(`/etc/netns/${HERE}/resolv.conf`, RESOLVER))
      const state = scratch()

      const { code, stderr } = await update(state, 'http://dyn.test:8080')

      expect([code, stderr]).toEqual([
        69,
        expect.stringContaining('look-up: no name server answered in time'),
      ])
      expect(isRetrying(stateIn(state))).toBe(true)
    })

    it('a daemon ends in time although the name server does not answer', async () => {
      await naming('silent', THEIRS)
      const folder = scratch()
      const slow = `nameserver ${THEIRS}\noptions timeout:30 attempts:5\n`
      writeFileSync(`/etc/netns/${HERE}/resolv.conf`, slow)
      onTestFinished(() => writeFileSync(`/etc/netns/${HERE}/resolv.conf`, RESOLVER))
      const patient = args(folder, 'http://dyn.test:8080').slice(0, -4)
      const asking = client('run', ...patient, '--myip', '192.0.2.1', '--json', '--log-level', 'debug')
      onTestFinished(() => void asking.kill('SIGKILL'))
      asking.stdout?.resume()
      const lines: string[] = []
      if (asking.stderr !== null)
        createInterface({ input: asking.stderr }).on('line', (line) => lines.push(line))
      await eventually(() => lines.join('\n')).toContain('sending an update request')
      const gone = new Promise((done) => asking.on('exit', (code, signal) => done(code ?? signal)))
      asking.kill('SIGTERM')

      expect(await gone).toBe(0)
      expect(readFileSync(join(folder, 'state.json'), 'utf8')).toContain('"accounts"')
      expect(existsSync(join(folder, 'owner.lock'))).toBe(false)
    })
  })
})
