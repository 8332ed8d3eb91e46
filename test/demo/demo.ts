/** npm run demo: the client and the service on this machine's loopback, shown request by request. Ends by itself. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Resolver } from 'node:dns/promises'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

const LAUNCHER = resolve(import.meta.dirname, '../../bin/holdfast.js')
/** Milliseconds; a busy machine needs ten times longer than an idle one. */
const LONGEST = 180_000

const folder = mkdtempSync(join(tmpdir(), 'holdfast-demo-'))
const children: ChildProcess[] = []
const say = (text = ''): void => console.log(text)

/** Whatever happens, nothing of the demo outlives it. */
function clean(): void {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}
process.on('exit', clean)
setTimeout(() => fail('this took too long'), LONGEST - 500).unref()

function fail(why: string): never {
  console.error(`\nThe demo failed: ${why}`)
  process.exit(1)
}

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
  const child = spawn(process.execPath, [LAUNCHER, ...args], {
    env: { PATH: process.env['PATH'], HOME: folder, CACHE_DIRECTORY: join(folder, 'cache'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  return child
}

interface Made {
  readonly url: string
  /** Where the service answers DNS. */
  readonly dns: string
  readonly zone: string
  readonly hostnames: readonly string[]
  readonly username: string
  readonly password: string
}

async function startService(): Promise<Made> {
  const child = start(['serve', '--dev', '--json'])
  child.stderr?.resume()
  if (child.stdout !== null)
    for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line) as Made
  return fail('the service did not start')
}

interface Event {
  readonly msg?: string
  readonly to?: string
  readonly publication?: { readonly servers: readonly { readonly server: string }[] }
  readonly reply?: { readonly word: string; readonly addresses?: readonly string[] }
}

/** Shows each request and reply from the client's own log; `seen` is told of every confirmed address, and of each server that gives it. */
function show(child: ChildProcess, seen: (address: string) => void): Promise<number | null> {
  child.stdout?.resume()
  if (child.stderr !== null)
    createInterface({ input: child.stderr }).on('line', (line) => {
      const { to, reply, publication } = JSON.parse(line) as Event
      if (to?.includes('?')) say(`   →  GET ${new URL(to).pathname}${new URL(to).search}`)
      for (const { server } of publication?.servers ?? []) {
        say(`   published: seen at ${server}`)
        seen(server)
      }
      if (reply === undefined) return
      say(`   ←  ${reply.word} ${(reply.addresses ?? []).join(',')}`)
      for (const address of reply.addresses ?? []) seen(address)
    })
  return new Promise((done) => child.on('close', done))
}

/** An address that only this demo knows, and a service that tells it (RFC 5737 keeps both ranges for examples). */
let address = '198.51.100.20'
const echo = createServer((_, response) => void response.end(address))
await new Promise<void>((done) => echo.listen(0, '127.0.0.1', done))
const echoUrl = `http://127.0.0.1:${(echo.address() as AddressInfo).port}/`

const made = await startService()
const hostname = made.hostnames[0] ?? fail('the service made no hostname')
say(
  `1. The service listens on ${made.url}. It made the zone ${made.zone}, the name ${hostname} and the DDNS key ${made.username}.\n`,
)

const account = [
  '--server',
  made.url,
  '--username',
  made.username,
  '--hostname',
  hostname,
  '--verify-servers',
  made.dns,
  '--state-dir',
  join(folder, 'state'),
  '--json',
  '--log-level',
  'debug',
]
const env = { HOLDFAST_PASSWORD: made.password }
const update = async (): Promise<void> => {
  let confirmed = ''
  const code = await show(
    start(['update', ...account, '--myip', '203.0.113.7'], env),
    (seen) => void (confirmed = seen),
  )
  if (code !== 0) fail(`holdfast update ended with exit ${code}`)
  if (confirmed === '') say('   (nothing to send: the service has confirmed this address already)')
}
/** What the name resolves to, asked of the service itself. */
const [dnsHost = '', dnsPort = ''] = made.dns.split(':')
const resolver = new Resolver({ timeout: 1000, tries: 1 })
resolver.setServers([`${dnsHost}:${dnsPort}`])
const resolved = async (): Promise<string> =>
  resolver.resolve4(hostname).then(
    (addresses) => addresses.join(', '),
    () => 'nothing',
  )
/** The change is published some tens of milliseconds after it was confirmed. */
async function resolves(address: string): Promise<void> {
  while ((await resolved()) !== address) await sleep(20)
  say(`   ${hostname} resolves to ${address}`)
}

say(`   ${hostname} resolves to ${await resolved()}.\n`)
say(`2. holdfast update --hostname ${hostname} --myip 203.0.113.7`)
await update()
await resolves('203.0.113.7')
say('   and once more, the same:')
await update()

say('\n3. holdfast run, looking every second; the public address is now 198.51.100.20')
const confirmed = new Map<string, () => void>()
const until = (wanted: string): Promise<void> => new Promise((done) => void confirmed.set(wanted, done))
const [published, second] = [until(made.dns), until('198.51.100.21')]
const daemon = start(
  [
    'run',
    ...account,
    '--source',
    echoUrl,
    '--allow',
    'documentation',
    '--schedule',
    '* * * * * *',
    '--no-ipv6',
    '--runtime-dir',
    folder,
  ],
  env,
)
const ended = show(daemon, (seen) => confirmed.get(seen)?.())
await published
say('   the provider gives this home another address: 198.51.100.21')
address = '198.51.100.21'
await second
await resolves('198.51.100.21')
daemon.kill('SIGTERM')
const code = await ended
if (code !== 0) fail(`holdfast run ended with exit ${code}`)

say(`\n4. ${hostname} is at 198.51.100.21. Both programs are stopped; nothing is left behind.`)
process.exit(0)
