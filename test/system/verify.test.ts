import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ROOT, scratch } from '../e2e/processes.ts'
import { shortTimers } from '../lab/short-timers.ts'
import { lacksNamespaces } from '../lacks.ts'
import type { Answering } from './answering.ts'

const HOST = 'home.example.test'
const LAUNCHER = join(ROOT, 'bin/holdfast.js')
const SERVERS = ['ns1', 'ns2', 'ns3', 'ns4'].map((name) => `${name}.example.test`)

interface Dev {
  readonly url: string
  readonly username: string
  readonly password: string
  readonly apiKey: string
}

const firstLine = async (child: ChildProcess): Promise<string> => {
  let errors = ''
  child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  if (child.stdout !== null)
    for await (const line of createInterface({ input: child.stdout })) {
      child.stdout.resume()
      return line
    }
  throw new Error(errors)
}

/** A host of its own network, with loopback only, and this resolver. */
async function host(resolver: string) {
  const folder = scratch()
  writeFileSync(join(folder, 'resolv.conf'), `nameserver ${resolver}\noptions timeout:1 attempts:1\n`)
  writeFileSync(join(folder, 'hosts'), '127.0.0.1 localhost\n')
  const setUp = `ip link set lo up; for file in resolv.conf hosts; do mount --bind ${folder}/$file /etc/$file; done; echo ready; exec sleep 300`
  const holder = spawn('unshare', ['--net', '--mount', 'sh', '-ec', setUp], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void holder.kill('SIGKILL'))
  await firstLine(holder)
  const enter = ['-t', String(holder.pid), '--net', '--mount', '--']
  const env = { PATH: process.env['PATH'], HOME: folder, CACHE_DIRECTORY: join(folder, 'cache') }
  const start = async (...argv: readonly string[]): Promise<string> => {
    const child = spawn('nsenter', [...enter, ...argv], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    return firstLine(child)
  }
  const run = (more: NodeJS.ProcessEnv, ...argv: readonly string[]) =>
    spawnSync('nsenter', [...enter, ...argv], { env: { ...env, ...more }, encoding: 'utf8', timeout: 60_000 })
  return { folder, start, run }
}

type Host = Awaited<ReturnType<typeof host>>

/** A service on this host that answers questions on port 53, with the addresses of its name servers in its zone. */
async function published(at: Host): Promise<Dev> {
  const dns = ['--dns-listen', '127.0.0.1:53', ...SERVERS.flatMap((name) => ['--nameservers', name])]
  const dev = JSON.parse(
    await at.start(process.execPath, LAUNCHER, 'serve', '--dev', '--json', ...dns),
  ) as Dev
  const script = `
    const [url, key] = process.argv.slice(1)
    for (const n of [1, 2, 3, 4]) {
      const body = JSON.stringify({ name: 'ns' + n, rrsets: [{ dns_type: 'A', ttl: 60, rdata: [{ value: '127.0.0.' + n }] }] })
      const response = await fetch(url + '/v1/dns/records/example.test', { method: 'POST', body,
        headers: { authorization: 'Bearer ' + key, 'content-type': 'application/json' } })
      if (!response.ok) throw new Error(await response.text())
    }`
  const made = at.run({}, process.execPath, '--input-type=module', '-e', script, dev.url, dev.apiKey)
  expect(made.status, made.stderr).toBe(0)
  return dev
}

const update = (at: Host, dev: Dev, address: string, ...more: readonly string[]) =>
  updateIn({}, at, dev, address, ...more)

const updateIn = (
  env: NodeJS.ProcessEnv,
  at: Host,
  dev: Dev,
  address: string,
  ...more: readonly string[]
) => {
  const flags = ['--server', dev.url, '--username', dev.username, '--hostname', HOST, '--myip', address]
  const folders = [
    '--state-dir',
    join(at.folder, 'state'),
    '--runtime-dir',
    at.folder,
    '--log-level',
    'error',
  ]
  return at.run(
    { HOLDFAST_PASSWORD: dev.password, ...env },
    process.execPath,
    LAUNCHER,
    'update',
    ...flags,
    ...folders,
    ...more,
  )
}

const answering = async (at: Host, servers: readonly Answering[]): Promise<void> =>
  void (await at.start(process.execPath, join(import.meta.dirname, 'answering.ts'), JSON.stringify(servers)))

describe.skipIf(lacksNamespaces())('the name servers of a zone, found by the resolver of this host', () => {
  it('are named with what each gives: the service, a stuck, a lame and a silent one', async () => {
    const at = await host('127.0.0.1')
    const dev = await published(at)
    await answering(at, [
      {
        host: '127.0.0.2',
        isAuthority: true,
        records: { [`${HOST} A`]: ['192.0.2.1'] },
        otherwise: 'NODATA',
      },
      { host: '127.0.0.3', isAuthority: false, records: {}, otherwise: 'REFUSED' },
    ])
    update(at, dev, '192.0.2.1', '--no-verify')
    const { status, stdout } = update(at, dev, '192.0.2.2')
    expect([status, stdout]).toEqual([
      0,
      expect.stringContaining(
        `${HOST}: published: seen at ns1.example.test, not yet at ns2.example.test; ns4.example.test does not answer; ns3.example.test does not answer for the zone\n`,
      ),
    ])
    const { accounts } = JSON.parse(update(at, dev, '192.0.2.3', '--json').stdout) as {
      readonly accounts: readonly { readonly hostnames: readonly { readonly published: object }[] }[]
    }
    expect(accounts[0]?.hostnames[0]?.published).toMatchObject({
      state: 'pending',
      servers: [
        { server: 'ns1.example.test', finding: 'seen' },
        { server: 'ns2.example.test', finding: 'other', addresses: ['192.0.2.1'] },
        { server: 'ns3.example.test', finding: 'lame' },
        { server: 'ns4.example.test', finding: 'silent' },
      ],
    })
  })

  it('a split horizon: this network has its own name server for the zone', async () => {
    const at = await host('127.0.0.5')
    const dev = await published(at)
    await answering(at, [
      {
        host: '127.0.0.5',
        isAuthority: false,
        records: { 'example.test NS': ['inside.example.test'], 'inside.example.test A': ['127.0.0.6'] },
        otherwise: 'NODATA',
      },
      { host: '127.0.0.6', isAuthority: true, records: { [`${HOST} A`]: ['10.0.0.7'] }, otherwise: 'NODATA' },
    ])
    const { status, stdout } = update(at, dev, '192.0.2.2')
    expect([status, stdout]).toEqual([
      0,
      expect.stringContaining('accepted, not yet at inside.example.test\n'),
    ])
  })

  const RESOLVER = '127.0.0.5'
  // biome-ignore format: a table
  it.each<[string, Omit<Answering, 'host'>, string]>([
    ['knows no zone',                       { isAuthority: false, records: {}, otherwise: 'NXDOMAIN' },  `no zone with name servers was found for ${HOST}`],
    ['refuses each question',               { isAuthority: false, records: {}, otherwise: 'REFUSED' },   'the resolver of this host refuses the question'],
    ['names servers that have no address',  { isAuthority: false, records: { 'example.test NS': ['ns1.example.test'] }, otherwise: 'NODATA' }, 'the addresses of ns1.example.test were not found'],
    ['answers in the place of the servers', { isAuthority: false, records: { 'example.test NS': ['ns1.example.test'], 'ns1.example.test A': [RESOLVER], [`${HOST} A`]: ['192.0.2.1'] }, otherwise: 'NODATA' }, 'ns1.example.test does not answer for the zone'],
  ])('a resolver that %s: not verified, and the update is done', async (_, resolver, words) => {
    const at = await host(RESOLVER)
    const dev = await published(at)
    await answering(at, [{ host: RESOLVER, ...resolver }])
    const { status, stdout } = update(at, dev, '192.0.2.2')
    expect([status, stdout]).toEqual([
      0,
      `${HOST}: good 192.0.2.2 (update succeeded)\n${HOST}: not verified: ${words}\n`,
    ])
  })

  it('no resolver at all: not verified, within seconds', async () => {
    const at = await host('127.0.0.9')
    const dev = await published(at)
    const { status, stdout } = updateIn(shortTimers(5000), at, dev, '192.0.2.2')
    expect([status, stdout]).toEqual([0, expect.stringMatching(/not verified: the resolver of this host /)])
  })
})
