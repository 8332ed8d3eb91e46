import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { holdfast, LAUNCHER, scratch, serveWith } from '../e2e/processes.ts'
import type { Postgres } from '../lab/postgres.ts'

/** In milliseconds, between two requests. */
const EVERY = 20

export interface Times {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

const timesOf = (all: readonly number[]): Times => {
  const sorted = all.toSorted((a, b) => a - b)
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN
  return { p50: at(0.5), p99: at(0.99), max: at(1) }
}

/** Milliseconds until the answer is there; throws unless it begins so. */
export async function timed(
  url: string,
  path: string,
  { auth, agent, expected }: { auth: string; agent: Agent | false; expected: RegExp },
): Promise<number> {
  const began = performance.now()
  const text = await new Promise<string>((done, failed) => {
    const headers = { authorization: auth, 'user-agent': 'Tester/FairTest/1.0 test@example.test' }
    request(
      `${url}${path}`,
      { agent: agent === false ? undefined : agent, headers, ...(agent === false && { agent: false }) },
      (answer) => {
        let body = ''
        answer
          .setEncoding('utf8')
          .on('data', (chunk: string) => (body += chunk))
          .on('end', () => done(`${answer.statusCode} ${body}`))
      },
    )
      .on('error', failed)
      .end()
  })
  if (!expected.test(text)) throw new Error(text.slice(0, 200))
  return performance.now() - began
}

/** One request every 20 ms, also while earlier ones wait: for so many milliseconds, or until this has happened. */
export async function steadily(
  span: number | Promise<unknown>,
  ask: (nth: number) => Promise<number>,
): Promise<Times> {
  const all: Promise<number>[] = []
  const began = performance.now()
  let isOver = false
  const over = (): boolean => isOver
  void Promise.resolve(typeof span === 'number' ? sleep(span) : span).finally(() => (isOver = true))
  for (let nth = 0; !over(); nth++) {
    all.push(ask(nth))
    await sleep(Math.max(0, began + (nth + 1) * EVERY - performance.now()))
  }
  return timesOf(await Promise.all(all))
}

const secretIn = (printed: string | undefined): string => /[A-Za-z0-9_]{20,}/.exec(printed ?? '')?.[0] ?? ''

/** Where the service of a test stores. */
export interface Place {
  readonly flags: readonly string[]
  /** How many zones are hidden. */
  readonly hidden: () => Promise<number>
}

const HIDDEN = "SELECT count(*) AS n FROM zone WHERE name LIKE '#%'"

export function inFolder(): Place {
  const folder = join(scratch(), 'store')
  const hidden = async (): Promise<number> => {
    const database = new DatabaseSync(join(folder, 'holdfast.db'), { readOnly: true })
    const row = database.prepare(HIDDEN).get()
    database.close()
    return Number(row?.['n'])
  }
  return { flags: ['--store', folder], hidden }
}

export async function inPostgres(postgres: Postgres): Promise<Place> {
  await postgres.query('CREATE DATABASE tenants OWNER holdfast')
  const url = `postgres://holdfast@127.0.0.1:${postgres.port}/tenants?sslmode=disable`
  const hidden = async (): Promise<number> => Number((await postgres.query(HIDDEN, 'tenants'))[0]?.['n'])
  return { flags: ['--store', url, '--hash-key-file', join(scratch(), 'hash.key')], hidden }
}

/** A service with three accounts, a zone each, and their API keys. */
export async function tenants(place: Place, ...options: readonly string[]) {
  const admin = async (words: string): Promise<string> => {
    const { code, stdout, stderr } = await holdfast(['admin', ...words.split(' '), ...place.flags], {
      node: process.execPath,
    })
    if (code !== 0) throw new Error(`admin ${words}: ${code} ${stderr}`)
    return stdout
  }
  const printed: string[] = []
  for (const words of [
    'init',
    'plan add p max-names=100000 max-rdata=1000000 max-keys=100',
    ...['heavy', 'light', 'third'].map((name) => `account add ${name} p`),
    ...['heavy', 'light', 'third'].map((name) => `zone add ${name}.test ${name}`),
    ...['heavy', 'light', 'third'].map((name) => `api-key add ${name}`),
  ])
    printed.push(await admin(words))
  const limits = ['key-request-limit', 'nochg-limit', 'request-limit'].flatMap((name) => [
    `--${name}`,
    '1000000',
  ])
  const at = await serveWith(LAUNCHER, [...place.flags, ...limits, ...options])
  const [heavy, light, third] = printed.slice(-3).map((one) => `Bearer ${secretIn(one)}`)
  const api = async (
    auth = '',
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Record<string, unknown>> => {
    const response = await fetch(`${at.url}/v1${path}`, {
      method,
      headers: { authorization: auth, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`)
    return JSON.parse(text) as Record<string, unknown>
  }
  await api(light, 'POST', '/dns/records/light.test', { name: 'home' })
  const { data } = (await api(light, 'POST', '/account/ddns-keys', {
    description: '',
    hostnames: ['home.light.test'],
  })) as unknown as { data: { username: string; password: string } }
  const auth = `Basic ${Buffer.from(`${data.username}:${data.password}`).toString('base64')}`
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  let address = 0
  /** By the account "light", by kept connections or new ones. */
  const updates = async (isKept: boolean, span: number | Promise<unknown>): Promise<Times> =>
    steadily(span, async () => {
      address++
      const path = `/nic/update?hostname=home.light.test&myip=203.0.${(address >> 8) & 255}.${address & 255}`
      return timed(at.url, path, { auth, agent: isKept ? agent : false, expected: /^200 good/ })
    })
  return { at, admin, agent, heavy: heavy ?? '', light: light ?? '', third: third ?? '', api, updates }
}
