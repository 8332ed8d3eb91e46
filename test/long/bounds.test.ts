import { Agent } from 'node:http'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { flood } from '../lab/flood.ts'
import { asked, dnsTimes, updatesEvery, worldOfKeys } from './bounds-world.ts'
import { inFolder, steadily, timed } from './tenants.ts'

/** Items of the group of a key in one URL of 48 KiB. */
const REPETITIONS = 5500
/** The largest key of a plan with 1,000 names: one is left for its zone. */
const NAMES = 990
/** In milliseconds: the time of the measurement without the request, and the least with it. */
const SPAN = 4000
/** Another's request waits for its turn: three times what it takes on the same machine without the neighbour. */
const SLOWER = 3
/** Below this, in milliseconds, a time is the machine's and not that of the service. */
const NOISE = 10
/** Octets. */
const MAX_GROWTH = 50 * 1024 * 1024

const notSlower = (beside: number, alone: number): void =>
  expect(beside).toBeLessThanOrEqual(SLOWER * Math.max(alone, NOISE))

/** Octets of the process in memory, by its kernel. */
const residentOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024

const SPELLINGS: readonly (readonly [
  what: string,
  item: (made: { username: string }, nth: number) => string,
])[] = [
  ['its username', ({ username }) => username],
  [
    'its username and the token, in capitals or not',
    ({ username }, nth) =>
      [username, 'all-hostnames', username.toUpperCase(), 'All-Hostnames'][nth % 4] ?? '',
  ],
  [
    'one of its names in four spellings',
    (_, nth) => ['n1.heavy.test', 'N1.heavy.test', 'n1.heavy.test.', 'n1.HEAVY.test.'][nth % 4] ?? '',
  ],
]

describe('one update of a key with 990 names', { timeout: 600_000 }, () => {
  it.each(SPELLINGS)('that repeats %s up to 5,500 times does not slow others down', async (what, item) => {
    const made = await worldOfKeys(inFolder(), NAMES)
    const { at, updates, key, pid, dns } = made
    // The longest URL has 48 KiB, and the names of a key are longer than its username.
    const list: string[] = []
    for (let nth = 0, octets = 0; nth < REPETITIONS && octets < 48_000; nth++) {
      const one = item(key, nth)
      list.push(one)
      octets += one.length + 1
    }
    const path = (myip: string) => `/nic/update?hostname=${list.join(',')}&myip=${myip}`
    await updates(true, 1000)
    const alone = { update: await updates(true, SPAN), dns: await dnsTimes(dns, SPAN) }
    const before = residentOf(pid)
    const answers = [
      asked(at.url, path('203.0.113.1'), key.auth),
      asked(at.url, path('203.0.113.1'), key.auth),
    ]
    const until = Promise.all(answers)
    const [update, name, [first, second]] = await Promise.all([
      updates(true, until),
      dnsTimes(dns, until),
      until,
    ])
    const growth = residentOf(pid) - before
    console.log(what, JSON.stringify({ items: list.length, alone, update, name, growth }))
    for (const one of [first, second]) expect(one?.trimEnd().split('\n')).toHaveLength(list.length)
    notSlower(update.max, alone.update.max)
    notSlower(name.max, alone.dns.max)
    expect(growth).toBeLessThanOrEqual(MAX_GROWTH)
  })

  it('that repeats one name 3,400 times, on four connections, leaves the p99 of others as it is', async () => {
    const { at, updates, key } = await worldOfKeys(inFolder(), 1)
    await updates(true, 1000)
    const alone = await updates(true, SPAN)
    const items = Array.from({ length: 3400 }, () => 'n0.heavy.test').join(',')
    const end = await flood({
      url: at.url,
      method: 'GET',
      path: `/nic/update?hostname=${items}&myip=203.0.113.1`,
      headers: { authorization: key.auth, 'user-agent': 'Tester/Bounds/1.0 test@example.test' },
      connections: 4,
    })
    const beside = await updates(true, SPAN)
    const counts = await end()
    console.log('one name 3,400 times', JSON.stringify({ alone, beside, counts }))
    expect(counts['200'] ?? 0).toBeGreaterThan(0)
    notSlower(beside.p99, alone.p99)
  })
})

/** Names of the file; the zone gets as many. */
const IMPORTED = 5000
/** In milliseconds: what a router waits for without notice. */
const MAX_UPDATE = 100

describe('an import of 5,000 names passes at its first request', { timeout: 600_000 }, () => {
  it.each([
    ['an update of one hostname every 25 ms', 25, 1],
    ['ten updates a second, of ten hostnames', 100, 10],
  ])('beside %s', async (what, every, names) => {
    const { at, api, heavy, key } = await worldOfKeys(inFolder(), names)
    const file = Array.from({ length: IMPORTED }, (_, n) => `i${n} 60 IN A 192.0.2.${n % 250}\n`).join('')
    const kept = Array.from({ length: names }, (_, n) => `n${n} 60 IN A 192.0.2.1\n`).join('')
    const agent = new Agent({ keepAlive: true })
    const one = async (nth: number): Promise<number> =>
      timed(at.url, `/nic/update?hostname=n${nth % names}.heavy.test&myip=198.51.100.${nth % 250}`, {
        auth: key.auth,
        agent,
        expected: /^200 (good|nochg)/,
      })
    await steadily(500, one)
    const imported = fetch(`${at.url}/v1/dns/zones/heavy.test/import`, {
      method: 'POST',
      headers: { authorization: heavy ?? '', 'content-type': 'text/dns' },
      body: `${kept}${file}`,
    })
    const times = await updatesEvery(every, imported, one)
    const response = await imported
    console.log(what, JSON.stringify({ status: response.status, times }))
    agent.destroy()
    expect([response.status, await response.text()]).toEqual([
      202,
      expect.stringContaining(`"new":${IMPORTED}`),
    ])
    expect(times.p99).toBeLessThanOrEqual(MAX_UPDATE)
    const page = (await api(heavy, 'GET', '/dns/records/heavy.test?limit=1')) as { page?: { total: number } }
    expect(page.page?.total).toBeGreaterThanOrEqual(IMPORTED + names)
  })
})
