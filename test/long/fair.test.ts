import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { serveStore, storeWith } from '../e2e/processes.ts'
import { flood, type Repeated } from '../lab/flood.ts'

/** In milliseconds. */
const ATTACK = 8000
const EVERY = 20

interface Times {
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
async function timed(
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

/** One request every 20 ms for this time, also while earlier ones wait. In milliseconds. */
async function steadily(span: number, ask: (nth: number) => Promise<number>): Promise<Times> {
  const all: Promise<number>[] = []
  const began = performance.now()
  for (let nth = 0; performance.now() - began < span; nth++) {
    all.push(ask(nth))
    await sleep(Math.max(0, began + (nth + 1) * EVERY - performance.now()))
  }
  return timesOf(await Promise.all(all))
}

const secretIn = (printed: string | undefined): string => /[A-Za-z0-9_]{20,}/.exec(printed ?? '')?.[0] ?? ''

async function world() {
  const { folder, printed } = await storeWith(
    'plan add p max-names=100000 max-rdata=1000000 max-keys=100',
    'account add heavy p',
    'account add light p',
    'account add third p',
    'zone add heavy.test heavy',
    'zone add light.test light',
    'zone add third.test third',
    'api-key add heavy',
    'api-key add light',
    'api-key add third',
  )
  const at = await serveStore(
    folder,
    '--key-request-limit',
    '1000000',
    '--nochg-limit',
    '1000000',
    '--request-limit',
    '1000000',
  )
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
  return { at, heavy: heavy ?? '', light: light ?? '', third: third ?? '', api }
}

/** Names n1 and on of a zone, with another address each time. */
const patchOf = (count: number, nth: number): readonly object[] =>
  Array.from({ length: count }, (_, at) => ({
    name: `n${at + 1}`,
    dns_type: 'A',
    ttl: 300,
    rdata: [{ value: `198.51.${nth % 250}.${1 + (at % 250)}` }],
  }))

async function filledWorld() {
  const made = await world()
  const { api, heavy, light, third } = made
  for (const [auth, zone] of [
    [heavy, 'heavy.test'],
    [third, 'third.test'],
  ] as const) {
    await api(auth, 'PATCH', `/dns/records/${zone}`, patchOf(500, 1))
    await api(auth, 'PATCH', `/dns/records/${zone}`, patchOf(999, 1).slice(500))
  }
  await api(light, 'POST', '/dns/records/light.test', { name: 'home' })
  const { data } = (await api(light, 'POST', '/account/ddns-keys', {
    description: '',
    hostnames: ['home.light.test'],
  })) as unknown as {
    data: { username: string; password: string }
  }
  const update = `Basic ${Buffer.from(`${data.username}:${data.password}`).toString('base64')}`
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  let address = 0
  const updates = async (isKept: boolean, span: number): Promise<Times> =>
    steadily(span, async () => {
      address++
      const myip = `203.0.${address >> 8}.${address & 255}`
      return timed(made.at.url, `/nic/update?hostname=home.light.test&myip=${myip}`, {
        auth: update,
        agent: isKept ? agent : false,
        expected: /^200 good/,
      })
    })
  const listings = async (span: number): Promise<Times> =>
    steadily(span, async () =>
      timed(made.at.url, '/v1/dns/records?limit=200', { auth: third, agent, expected: /^200 / }),
    )
  return { ...made, updates, listings }
}

const json = (auth: string) => ({ authorization: auth, 'content-type': 'application/json' })

const ATTACKS: readonly (readonly [what: string, (auth: string) => Omit<Repeated, 'url'>])[] = [
  [
    'a page of 500 names, by 48 connections',
    (auth) => ({ method: 'GET', path: '/v1/dns/records?limit=500', headers: json(auth), connections: 48 }),
  ],
  [
    'a change of 500 names, by 16 connections',
    (auth) => ({
      method: 'PATCH',
      path: '/v1/dns/records/heavy.test',
      headers: json(auth),
      bodies: [2, 3].map((nth) => JSON.stringify(patchOf(500, nth))),
      connections: 16,
    }),
  ],
]

describe('while an account repeats', () => {
  it.each(ATTACKS)('%s, updates and listings of others go on', async (what, attack) => {
    const { at, heavy, updates, listings } = await filledWorld()
    await updates(true, 1000)
    const alone = {
      kept: await updates(true, 3000),
      fresh: await updates(false, 3000),
      listing: await listings(2000),
    }
    const end = await flood({ url: at.url, ...attack(heavy) })
    const kept = await updates(true, ATTACK)
    const fresh = await updates(false, ATTACK)
    const listing = await listings(ATTACK)
    const counts = await end()
    console.log(what, JSON.stringify({ alone, kept, fresh, listing, counts }))
    for (const [one, before] of [
      [kept, alone.kept],
      [fresh, alone.fresh],
    ] as const) {
      expect(one.p99).toBeLessThanOrEqual(100)
      expect(one.p99).toBeLessThanOrEqual(10 * Math.max(before.p99, 10))
    }
    expect(listing.p99).toBeLessThanOrEqual(150)
    expect(at.log()).toContain('"key":"account heavy","msg":"requests wait for others of the same account"')
  })
})
