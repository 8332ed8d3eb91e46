import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../eventually.ts'
import { shortTimers } from '../lab/short-timers.ts'
import { type Daemon, daemonIn, running } from './daemon.ts'
import { ROOT, scratch, service } from './processes.ts'

const NODE = process.env['HOLDFAST_TEST_NODE'] ?? process.execPath

/** Supervisors wait at least five seconds before they kill: no timer that ends the daemon is longer. */
const ENDING = shortTimers(4999)

type Running = Pick<Daemon, 'child' | 'lines' | 'line'>

async function endsInTime({ child, lines }: Running, ...endings: readonly string[]): Promise<void> {
  const ended = new Promise<string>((done) =>
    child.on('close', (code, signal) => done(String(signal ?? code))),
  )

  child.kill('SIGTERM')

  expect(['0', ...endings], lines.slice(-5).join('\n')).toContain(await ended)
}

/** A service that accepts connections and never responds; resolves at its first connection. */
async function silent(): Promise<{ readonly url: string; readonly connected: Promise<void> }> {
  const sockets = new Set<Socket>()
  let connect: () => void = () => undefined
  const connected = new Promise<void>((done) => (connect = done))
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).once('data', connect)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, connected }
}

const GIVEN = ['--myip', '192.0.2.1']

describe('after SIGTERM a daemon ends with 0 within five seconds', () => {
  const against = (server: string, ...more: readonly string[]): Daemon => {
    const folder = scratch()
    const account = ['--server', server, '--username', 'a', '--hostname', 'home.example.test']
    const folders = ['--state-dir', folder, '--runtime-dir', folder, '--no-ipv6', '--interval', '1h']
    return running([...account, ...folders, ...more], { HOLDFAST_PASSWORD: 'x', ...ENDING })
  }

  it('while it is idle', async () => {
    const idle = daemonIn(ENDING, await service(), scratch(), ...GIVEN)
    await idle.line('nothing to do until then')
    await endsInTime(idle)
  })

  it('while a source does not respond', async () => {
    const { url, connected } = await silent()
    const looking = against('http://127.0.0.1:1', '--source', url)
    await connected
    await endsInTime(looking)
  })

  it('while a command source does not end', async () => {
    const folder = scratch()
    const [program, mark] = [join(folder, 'program'), join(folder, 'asked')]
    writeFileSync(program, `#!/bin/sh\n>${mark}\nsleep 600\n`, { mode: 0o755 })
    const looking = against('http://127.0.0.1:1', '--source', 'command', '--command', program)
    await eventually(() => existsSync(mark)).toBe(true)
    await endsInTime(looking)
  })

  it('while the service does not respond', async () => {
    const { url, connected } = await silent()
    const sending = against(url, ...GIVEN)
    await connected
    await endsInTime(sending)
  })
})

const canIsolate =
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['--net', '--mount', 'ip', 'link', 'show', 'lo']).status === 0

/** Only a signal ends Node during getaddrinfo(3); supervisors accept their own signal as a clean exit. */
const BY_SIGNAL = 'SIGTERM'

describe.skipIf(!canIsolate)('without a working name server a daemon ends within five seconds', () => {
  /** A network namespace where packets to the name server are lost. */
  function isolated(...more: readonly string[]): Running {
    const folder = scratch()
    const resolver = join(folder, 'resolv.conf')
    writeFileSync(resolver, 'nameserver 10.9.9.1\noptions timeout:30 attempts:5\n')
    const prepare = `
      mount --bind ${resolver} /etc/resolv.conf
      ip link set lo up; ip link add f0 type veth peer name f1; ip link set f0 up; ip link set f1 up
      ip addr add 10.9.9.9/24 dev f0; ip route add default via 10.9.9.1
      ip neigh add 10.9.9.1 lladdr 02:00:00:00:00:01 dev f0 nud permanent`
    const folders = ['--state-dir', folder, '--runtime-dir', folder, '--no-ipv6', '--no-watch']
    const account = ['--username', 'a', '--hostname', 'home.example.test', '--json', '--log-level', 'debug']
    const script = `${prepare}\nexec "$@"`
    const run = [NODE, join(ROOT, 'bin/holdfast.js'), 'run', ...folders, ...account, ...more]
    const child: ChildProcess = spawn('unshare', ['--net', '--mount', 'sh', '-ec', script, 'sh', ...run], {
      env: { PATH: process.env['PATH'], HOME: '/nonexistent', HOLDFAST_PASSWORD: 'x', ...ENDING },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const lines: string[] = []
    if (child.stderr !== null) createInterface({ input: child.stderr }).on('line', (line) => lines.push(line))
    const line = async (fragment: string): Promise<void> =>
      eventually(() => lines.join('\n')).toContain(fragment)
    return { child, lines, line }
  }

  it('while it looks up the name of a source', async () => {
    const looking = isolated('--server', 'http://127.0.0.1:1', '--source', 'stun:stun.test:3478')
    await looking.line('keeping hostnames current')
    await new Promise((done) => setTimeout(done, 500))
    await endsInTime(looking, BY_SIGNAL)
  })

  it('while it looks up the name of a web source', async () => {
    const looking = isolated('--server', 'http://127.0.0.1:1', '--source', 'http://echo.test/')
    await looking.line('keeping hostnames current')
    await new Promise((done) => setTimeout(done, 500))
    await endsInTime(looking, BY_SIGNAL)
  })

  it('while it looks up the name of the service', async () => {
    const sending = isolated('--server', 'http://dyn.test', ...GIVEN)
    await sending.line('sending an update request')
    await new Promise((done) => setTimeout(done, 300))
    await endsInTime(sending, BY_SIGNAL)
  })
})
