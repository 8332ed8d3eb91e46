import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { questionWire } from '../../src/shared/dns/response.ts'
import { RR_TYPES } from '../../src/shared/dns/types.ts'
import { fill } from '../bench/fill.ts'
import { freePort } from '../free-port.ts'
import { Asker } from '../bench/publish-asker.ts'
import { eventually } from '../eventually.ts'
import { cleanEnvironment, LAUNCHER, ROOT, scratch } from './processes.ts'
import { accountAt, answering } from './servers.ts'

const COUNTING = join(ROOT, 'test/lab/counting.cjs')

/** What one warm request costs the service. */
interface Counts {
  /** Of SQL, without the beginning and the end of transactions. */
  readonly statements: number
  readonly transactions: number
  readonly promises: number
  /** That are inserted, changed or deleted, by triggers too. */
  readonly rows: number
}

/**
 * The most that a request may cost: what it cost when the row was last changed. A change that lowers a count lowers the
 * limit; one that raises it says why. `changed` and `PUT` include the publication of the change: two statements less if the
 * flush begins in the turn of the answer. Updates: 8 promises ask the door of their account, and whose turn it is. GET: one
 * statement reads the publication.
 */
// biome-ignore format: a table
const LIMITS: Readonly<Record<string, Counts>> = {
  'update, unchanged address': { statements: 1,  transactions: 1, promises: 92,  rows: 0 },
  'update, changed address':   { statements: 28, transactions: 2, promises: 260, rows: 10 },
  'update, wrong password':    { statements: 2,  transactions: 1, promises: 66,  rows: 0 },
  '/v1, GET a name':           { statements: 14, transactions: 0, promises: 136, rows: 0 },
  '/v1, PUT rdata':            { statements: 43, transactions: 2, promises: 430, rows: 12 },
  'DNS, an answer by UDP':     { statements: 1,  transactions: 0, promises: 40,  rows: 0 },
}

/** What exceeds its limit, or has none. */
const beyond = <C extends object>(
  counted: Readonly<Record<string, C>>,
  limits: Readonly<Record<string, C>>,
): readonly string[] =>
  Object.entries(counted).flatMap(([what, counts]) =>
    Object.entries(counts).flatMap(([of, count]: [string, number]) => {
      const limit = (limits[what] as Readonly<Record<string, number>> | undefined)?.[of] ?? -1
      return count > limit ? [`${what}: ${count} ${of}, and the limit is ${limit}`] : []
    }),
  )

/** The minimum over the samples counts, because timers also write, and on a busy machine during most samples. */
const SAMPLES = { min: 12, max: 200 } as const

async function countedService() {
  const folder = join(scratch(), 'store')
  const filled = fill(folder, { names: 200, keys: 20 })
  const dnsPort = await freePort()
  const limits = ['nochg', 'request', 'badauth', 'refusal'].flatMap((limit) => [
    `--${limit}-limit`,
    '1000000',
  ])
  const child: ChildProcess = spawn(
    process.execPath,
    `--require ${COUNTING} ${LAUNCHER} serve --listen 127.0.0.1:0 --json --log-level error --store ${folder}
      --nameservers ns1.bench.test --answer-queries --dns-listen 127.0.0.1:${dnsPort} ${limits.join(' ')}`.split(
      /\s+/,
    ),
    { cwd: ROOT, env: cleanEnvironment({}), stdio: ['ignore', 'pipe', 'inherit', 'ipc'] },
  )
  const ended = once(child, 'close')
  onTestFinished(async () => {
    child.kill()
    await ended
  })
  const [line] = (await once(createInterface({ input: child.stdout ?? process.stdin }), 'line')) as [string]
  const { url } = JSON.parse(line) as { readonly url: string }
  const taken = async (): Promise<Counts> => {
    const answer = once(child, 'message')
    child.send('taken')
    const [{ statements, transactions, promises, rows }] = (await answer) as [Counts]
    return { statements, transactions, promises, rows }
  }
  return { filled, folder, url, dnsPort, taken }
}

const AGENT = { 'user-agent': 'Acme test/1.0-1 me@example.test' }

describe('a warm request costs the service no more than its limits', () => {
  it('in statements, transactions, promises and rows', async () => {
    const { filled, folder, url, dnsPort, taken } = await countedService()
    const reader = new DatabaseSync(join(folder, 'holdfast.db'), { readOnly: true })
    const asker = new Asker()
    onTestFinished(() => void (reader.close(), asker.close()))
    const name = filled.nameOf(1)
    const published = async (): Promise<void> =>
      eventually(() => reader.prepare('SELECT name FROM dns_dirty').all()).toEqual([])
    const update = async (password: string, address: string): Promise<void> => {
      const authorization = `Basic ${Buffer.from(`${filled.usernameOf(1)}:${password}`).toString('base64')}`
      const path = `/nic/update?hostname=${name}.${filled.zone}&myip=${address}`
      await (await fetch(`${url}${path}`, { headers: { ...AGENT, authorization } })).text()
    }
    const api = async (method: string, path: string, body?: object): Promise<void> => {
      const headers = {
        ...AGENT,
        authorization: `Bearer ${filled.apiKey}`,
        'content-type': 'application/json',
      }
      const response = await fetch(`${url}/v1/dns/records/${filled.zone}/${name}${path}`, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      })
      expect(response.status).toBeLessThan(300)
      await response.text()
    }
    let number = 0
    const next = (): string => `9.9.${Math.floor(++number / 200)}.${number % 200}`
    const question = questionWire(`${name}.${filled.zone}`, RR_TYPES.A)
    const requests: Readonly<Record<string, () => Promise<void>>> = {
      'update, unchanged address': async () => update(filled.password, '8.8.8.8'),
      'update, changed address': async () => update(filled.password, next()).then(published),
      'update, wrong password': async () => update('wrong', next()),
      '/v1, GET a name': async () => api('GET', ''),
      '/v1, PUT rdata': async () => api('PUT', '/rrsets/A/rdata/_1', { value: next() }).then(published),
      'DNS, an answer by UDP': async () => void (await asker.ask(dnsPort, question, 10_000)),
    }

    const counted: Record<string, Counts> = {}
    for (const [what, request] of Object.entries(requests)) {
      // The first ones fill caches.
      for (let nth = 0; nth < 3; nth++) await request()
      const samples: Counts[] = []
      const least = (of: keyof Counts): number => Math.min(...samples.map((one) => one[of]))
      const isWithin = (): boolean => beyond({ [what]: counted[what] as Counts }, LIMITS).length === 0
      while (samples.length < SAMPLES.min || (samples.length < SAMPLES.max && !isWithin())) {
        await taken()
        await request()
        samples.push(await taken())
        counted[what] = {
          statements: least('statements'),
          transactions: least('transactions'),
          promises: least('promises'),
          rows: least('rows'),
        }
      }
    }

    expect(beyond(counted, LIMITS)).toEqual([])
  })
})

/** What a one-shot update costs the client, beyond an empty program. */
interface RunCounts {
  /** Modules of Node that are loaded. */
  readonly builtIn: number
  /** Files of the program that are loaded. */
  readonly own: number
  readonly fsyncs: number
  /** To the service. */
  readonly requests: number
}

// biome-ignore format: a table
const RUN_LIMITS: Readonly<Record<string, RunCounts>> = {
  'one hostname':   { builtIn: 60, own: 7, fsyncs: 4,  requests: 1 },
  '1000 hostnames': { builtIn: 60, own: 7, fsyncs: 18, requests: 8 },
}

/** Runs a program to its end and reads what it counted. */
async function countedRun(args: readonly string[], env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, ['--require', COUNTING, ...args], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  })
  const chunks: Buffer[] = []
  child.stdio[3]?.on('data', (chunk: Buffer) => chunks.push(chunk))
  const [code] = (await once(child, 'close')) as [number | null]
  expect(code).toBe(0)
  return JSON.parse(Buffer.concat(chunks).toString()) as Omit<RunCounts, 'requests'>
}

describe('a one-shot update costs no more than its limits', () => {
  it('in modules, files, flushes to disk and requests', async () => {
    const folder = scratch()
    const empty = join(folder, 'empty.cjs')
    writeFileSync(empty, '')
    let asked = 0
    const service = await answering((target) => {
      asked++
      const items = new URL(target, 'http://service').searchParams.get('hostname')?.split(',') ?? []
      return { status: 200, body: items.map(() => 'good 9.9.9.9').join('\r\n') }
    })
    const env = cleanEnvironment({ HOLDFAST_PASSWORD: 'secret' })
    const none = await countedRun([empty], env)

    const counted: Record<string, RunCounts> = {}
    for (const [what, names] of [
      ['one hostname', 1],
      ['1000 hostnames', 1000],
    ] as const) {
      const hostnames = Array.from({ length: names }, (_, nth) => `--hostname=host${nth}.example.test`)
      // The first run compiles what the second loads.
      for (const nth of [1, 2]) {
        asked = 0
        const account = accountAt(service, join(folder, `${names} ${nth}`)).slice(0, 4)
        const places = ['--state-dir', join(folder, `${names} ${nth}`)]
        const line = [LAUNCHER, 'update', ...account, ...hostnames, ...places, '--myip', '9.9.9.9']
        const { builtIn, own, fsyncs } = await countedRun(line, env)
        counted[what] = { builtIn: builtIn - none.builtIn, own: own - none.own, fsyncs, requests: asked }
      }
    }

    expect(beyond(counted, RUN_LIMITS)).toEqual([])
  })
})
