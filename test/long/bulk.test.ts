import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { fill } from '../bench/fill.ts'
import { freePort } from '../free-port.ts'
import { holdfast, scratch } from '../e2e/processes.ts'
import { eventually } from '../eventually.ts'
import { type Postgres, startPostgres, whyNoPostgres } from '../lab/postgres.ts'
import { isLarge } from '../large.ts'
import { storeFolder } from '../lab/stores.ts'
import { addressAt } from './address-at.ts'
import { inFolder, inPostgres, type Place, steadily, tenants, timed, type Times } from './tenants.ts'

/** Names in a zone. */
const COUNTS = isLarge ? [30_000, 300_000] : [30_000]
/** In milliseconds: an answer that is later is a failure. */
const BARS = { read: { p99: 50 }, dns: { p99: 50 }, update: { p99: 100, max: 500 } } as const

function masterFile(count: number, octet: number): string {
  const path = join(scratch(), 'zone')
  const lines = Array.from({ length: count }, (_, n) => `n${n} A 198.${octet}.${(n >> 8) & 255}.${n & 255}`)
  writeFileSync(path, `$TTL 300\n${lines.join('\n')}\n`)
  return path
}

async function world(place: Place) {
  const port = await freePort()
  const dns = ['--dns-listen', `127.0.0.1:${port}`, '--answer-queries', '--nameservers', 'ns1.example.net']
  const made = await tenants(place, ...dns)
  const { at, heavy, light, agent, updates } = made
  const total = async (zone: string): Promise<number | undefined> => {
    const response = await fetch(`${at.url}/v1/dns/records/${zone}?limit=1`, {
      headers: { authorization: heavy },
    })
    if (response.status === 404) return undefined
    return ((await response.json()) as { page: { total: number } }).page.total
  }
  /** Nothing that is removed is left. */
  const swept = async (): Promise<void> => eventually(place.hidden, 50, 1_200_000).toBe(0)
  /** What others see while this runs, and the states that the zone is in. */
  const during = async (zone: string, work: () => Promise<unknown>) => {
    const done = work()
    const totals = new Set<number | undefined>()
    let isDone = false
    void done.finally(() => (isDone = true)).catch(() => undefined)
    const watched = (async () => {
      for (const isOver = (): boolean => isDone; !isOver(); ) totals.add(await total(zone))
    })()
    const [update, read, dns] = await Promise.all([
      updates(true, done),
      steadily(done, async () =>
        timed(at.url, '/v1/dns/records/light.test/home', { auth: light, agent, expected: /^200 / }),
      ),
      steadily(done, async () => {
        const began = performance.now()
        if ((await addressAt(port, 'home.light.test')) === undefined) throw new Error('no answer by DNS')
        return performance.now() - began
      }),
    ])
    await Promise.all([done, watched])
    return { update, read, dns, totals: [...totals] }
  }
  return { ...made, total, during, swept, port }
}

type Seen = Readonly<Record<'update' | 'read' | 'dns', Times>>

function expectCalm(what: string, { update, read, dns }: Seen): void {
  console.log(what, JSON.stringify({ update, read, dns }))
  for (const [name, times] of Object.entries({ update, read, dns }))
    for (const [of, most] of Object.entries(BARS[name as keyof typeof BARS]))
      expect.soft(times[of as keyof Times], `${what}: ${of} of ${name}`).toBeLessThanOrEqual(most)
}

const lacking = whyNoPostgres()
const STORES: readonly (readonly [name: string, count: number])[] = [
  ...COUNTS.map((count) => ['a folder', count] as const),
  ...(lacking === undefined ? COUNTS.map((count) => ['PostgreSQL', count] as const) : []),
]

describe('beside a running service', { timeout: 1_800_000 }, () => {
  let postgres: Postgres | undefined
  afterEach(async () => postgres?.stop())

  it.each(STORES)(
    'on %s, %i names come, are replaced, and go; others notice nothing',
    async (name, count) => {
      postgres = name === 'PostgreSQL' ? await startPostgres([]) : undefined
      const place = postgres === undefined ? inFolder() : await inPostgres(postgres)
      const { admin, api, heavy, during, swept, total, port, updates } = await world(place)
      await updates(true, 1000)
      const steps: readonly (readonly [
        what: string,
        work: () => Promise<unknown>,
        totals: readonly (number | undefined)[],
      ])[] = [
        ['import', async () => admin(`zone import heavy.test ${masterFile(count, 51)}`), [1, count + 1]],
        [
          'replace',
          async () => admin(`zone import heavy.test ${masterFile(count + 5, 18)} replace`),
          [count + 1, count + 6],
        ],
        [
          'sorted listings',
          async () => {
            for (let n = 0; n < 20; n++)
              await api(heavy, 'GET', `/dns/records?sort[rdata]=desc&offset=${count - 5000}&limit=50`)
          },
          [count + 6],
        ],
        [
          'DELETE of the zone',
          async () => {
            await api(heavy, 'DELETE', '/dns/zones/heavy.test')
            await swept()
          },
          [count + 6, undefined],
        ],
      ]
      for (const [what, work, totals] of steps) {
        const seen = await during('heavy.test', work)
        expectCalm(`${what} of ${count} on ${name}`, seen)
        expect.soft(totals, what).toEqual(expect.arrayContaining(seen.totals))
        const last = { import: '198.51.0.9', 'DELETE of the zone': undefined }
        await eventually(async () => addressAt(port, 'n9.heavy.test')).toBe(
          what in last ? last[what as keyof typeof last] : '198.18.0.9',
        )
        expect(await total('heavy.test')).toBe(totals.at(-1))
      }
    },
  )

  it.runIf(isLarge && lacking === undefined)(
    'on PostgreSQL, a zone of 1,000,000 names goes; updates of others go on',
    async () => {
      postgres = await startPostgres([])
      const place = await inPostgres(postgres)
      const { folder, apiKey, zone } = fill(storeFolder(), { names: 1_000_000, keys: 10 })
      const copied = await holdfast(['admin', 'store', 'copy', `from=${folder}`, ...place.flags], {
        node: process.execPath,
      })
      expect(copied.stderr).toBe('')
      const { at, api, updates } = await tenants(place, '--store-wait', '5s')
      await updates(true, 2000)
      const gone = (async () => {
        await api(`Bearer ${apiKey}`, 'DELETE', `/dns/zones/${zone}`)
        await eventually(place.hidden, 1000, 1_200_000).toBe(0)
      })()
      const times = await updates(true, gone)
      await gone
      console.log('a zone of 1,000,000 names on PostgreSQL goes', JSON.stringify(times))
      expect(times.p99).toBeLessThan(1000)
      expect(at.log()).not.toContain('the database is away')
    },
  )
})
