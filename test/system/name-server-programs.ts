import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const ROOT = resolve(import.meta.dirname, '../..')

/** Name servers of other projects that fetch zones from the service. Their configurations are those of the document. */

const PAGE = readFileSync(join(ROOT, 'docs/publishing.md'), 'utf8')
/** The first block after a heading that is no shell. */
const blockAfter = (heading: string): string =>
  /```(?:yaml)?\n([^]*?)```/.exec(PAGE.split(`### ${heading}\n`)[1] ?? '')?.[1] ?? ''
/** The commands after a heading: the blocks of it, in their order. */
const commandsAfter = (heading: string): readonly string[] =>
  [
    ...(PAGE.split(`### ${heading}\n`)[1]?.split('\n## ')[0]?.split('\n### ')[0] ?? '').matchAll(
      /```sh\n([^]*?)```/g,
    ),
  ].map(([, text = '']) => text)

/** Runs commands of the document with other words in the place of some programs. */
function runCommands(text: string, programs: Readonly<Record<string, string>>): void {
  const functions = Object.entries(programs).map(([name, words]) => `${name}() { ${words}; }`)
  const { status, stdout, stderr } = spawnSync('bash', ['-c', [...functions, text].join('\n')], {
    env: ENV,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${text}: ${stdout} ${stderr}`)
}

export const SECRET = Buffer.alloc(32, 7).toString('base64')

const ENV = { PATH: `${process.env['PATH']}:/usr/sbin`, HOME: '/nonexistent' }

/** A name server, on loopback. */
export interface NameServer {
  readonly name: 'knot' | 'bind' | 'nsd' | 'powerdns'
  readonly port: number
  readonly start: () => Promise<void>
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>
  /** For those that read no catalog. */
  readonly addZone: (zone: string) => void
  readonly log: () => string
}

interface Program {
  readonly command: readonly string[]
  readonly prepare?: () => void
  readonly addZone?: (zone: string) => void
}

export function nameServer(name: NameServer['name'], port: number, program: Program): NameServer {
  let child: ChildProcess | undefined
  let ended: Promise<unknown> = Promise.resolve()
  let log = ''
  return {
    name,
    port,
    log: () => log,
    addZone: program.addZone ?? (() => undefined),
    start: async () => {
      program.prepare?.()
      const [command = '', ...args] = program.command
      const next = spawn(command, args, { env: ENV, stdio: ['ignore', 'pipe', 'pipe'] })
      child = next
      ended = new Promise((done) => next.once('close', done))
      for (const stream of [next.stdout, next.stderr])
        stream.on('data', (chunk: Buffer) => (log += chunk.toString()))
      for (let tries = 0; tries < 100; tries++) {
        await sleep(100)
        if (dig(port, ['version.bind', 'CH', 'TXT', '+tries=1', '+time=1']).includes('status:')) return
        if (next.exitCode !== null) break
      }
      throw new Error(`${name} did not start: ${log}`)
    },
    stop: async (signal = 'SIGTERM') => {
      child?.kill(signal)
      await ended
    },
  }
}

/** The document's text with the addresses of this test. */
const adapted = (text: string, dns: number, name: string): string =>
  text
    .replaceAll('192.0.2.53@5300', `127.0.0.1@${dns}`)
    .replaceAll('192.0.2.53 port 5300', `127.0.0.1 port ${dns}`)
    .replaceAll('192.0.2.53:5300', `127.0.0.1:${dns}`)
    .replaceAll('192.0.2.53', '127.0.0.1')
    .replaceAll('ns1-key', `${name}-key`)
    .replaceAll('BASE64', SECRET)

/** Knot's configuration with the signing policy of the document: the first block of its section is for the template. */
export function policyOfDocument(text: string): string {
  const section = PAGE.split('## Sign the zones\n')[1]?.split('\n## ')[0] ?? ''
  const [ofTemplate = '', policy = ''] = [...section.matchAll(/```yaml\n([^]*?)```/g)].map(
    ([, block = '']) => block,
  )
  const isTemplate = '    journal-content: all\n'
  return text.replace('template:\n', `${policy}template:\n`).replace(isTemplate, isTemplate + ofTemplate)
}

interface Place {
  readonly folder: string
  readonly port: number
  /** Of the primary. */
  readonly dns: number
}

export function knot(
  { folder, port, dns }: Place,
  change: (text: string) => string = (text) => text,
): NameServer {
  const own = join(folder, 'knot')
  mkdirSync(own, { recursive: true })
  const head = `server:\n    rundir: ${own}\n    listen: 127.0.0.1@${port}\n    udp-workers: 1\n    tcp-workers: 1\n    background-workers: 2\ndatabase:\n    storage: ${own}\nlog:\n  - target: stderr\n    any: info\n`
  // Zones without a template have their files here too, and not where the Knot of this host has them.
  const text = adapted(blockAfter('Knot DNS'), dns, 'knot').replace(
    'template:\n',
    `template:\n  - id: default\n    storage: ${own}\n`,
  )
  writeFileSync(join(own, 'knot.conf'), head + change(text))
  return nameServer('knot', port, { command: ['knotd', '-c', join(own, 'knot.conf')] })
}

export function bind(
  { folder, port, dns }: Place,
  change: (text: string) => string = (text) => text,
): NameServer {
  const own = join(folder, 'bind')
  mkdirSync(join(own, 'member'), { recursive: true })
  const text = adapted(blockAfter('BIND'), dns, 'bind')
    .replace('/var/cache/bind', own)
    .replace('listen-on port 53 { any; }', `listen-on port ${port} { 127.0.0.1; }`)
    .replace('listen-on-v6 port 53 { any; }', 'listen-on-v6 { none; }')
    .replace(
      'options {',
      `options {\n  pid-file "${own}/pid"; session-keyfile "${own}/session"; managed-keys-directory "${own}"; dnssec-validation no;`,
    )
  writeFileSync(join(own, 'named.conf'), `controls { };\n${change(text)}`)
  return nameServer('bind', port, { command: ['named', '-g', '-n', '1', '-c', join(own, 'named.conf')] })
}

export function nsd(
  { folder, port, dns }: Place,
  change: (text: string) => string = (text) => text,
): NameServer {
  const own = join(folder, 'nsd')
  mkdirSync(own, { recursive: true })
  const head = `server:\n    ip-address: 127.0.0.1\n    port: ${port}\n    username: ""\n    zonesdir: "${own}"\n    zonelistfile: "${own}/zone.list"\n    xfrdfile: "${own}/xfrd.state"\n    pidfile: "${own}/pid"\n    logfile: ""\n    xfrdir: "${own}"\n    server-count: 1\n    rrl-ratelimit: 0\n`
  const config = join(own, 'nsd.conf')
  writeFileSync(
    config,
    change(head + adapted(blockAfter('NSD'), dns, 'nsd').replace('/run/nsd/nsd.sock', join(own, 'control'))),
  )
  return nameServer('nsd', port, {
    command: ['nsd', '-d', '-c', config],
    prepare: () => rmSync(join(own, 'pid'), { force: true }),
    addZone: (zone) =>
      runCommands(commandsAfter('NSD')[0] ?? '', {
        holdfast: `echo ${zone}`,
        'nsd-control': `command nsd-control -c ${config} "$@"`,
      }),
  })
}

export function powerdns({ folder, port, dns }: Place): NameServer {
  const own = join(folder, 'pdns')
  mkdirSync(own, { recursive: true })
  const head = `local-address=127.0.0.1\nlocal-port=${port}\nsocket-dir=${own}\n`
  const block = adapted(blockAfter('PowerDNS'), dns, 'powerdns').replace('/var/lib/powerdns', own)
  writeFileSync(join(own, 'pdns.conf'), head + block)
  const [once = '', perZone = ''] = commandsAfter('PowerDNS').map((text) => adapted(text, dns, 'powerdns'))
  const pdnsutil = `command pdnsutil --config-dir=${own} "$@"`
  runCommands(once, { pdnsutil })
  return nameServer('powerdns', port, {
    addZone: (zone) =>
      runCommands(perZone, {
        pdnsutil,
        holdfast: `echo ${zone}`,
        pdns_control: `command pdns_control --config-dir=${own} "$@"`,
      }),
    command: ['pdns_server', `--config-dir=${own}`, '--daemon=no', '--guardian=no', '--disable-syslog'],
  })
}

/** What dig prints. */
export const dig = (port: number, question: readonly string[]): string =>
  spawnSync('dig', ['@127.0.0.1', '-p', String(port), '+noall', '+comments', '+answer', ...question], {
    env: ENV,
    encoding: 'utf8',
  }).stdout

/** The answer to a question, one record a line, in the order of their text. */
export const short = (port: number, ...question: readonly string[]): string =>
  spawnSync('dig', ['@127.0.0.1', '-p', String(port), '+short', '+tries=3', '+time=2', ...question], {
    env: ENV,
    encoding: 'utf8',
  })
    .stdout.trim()
    .split('\n')
    .toSorted()
    .join('\n')
