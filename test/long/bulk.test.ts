import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { freePort } from '../bench/ports.ts'
import { holdfast, scratch } from '../e2e/processes.ts'
import { eventually } from '../eventually.ts'
import { isLarge } from '../large.ts'
import { addressAt } from './address-at.ts'
import { steadily, tenants, timed, type Times } from './tenants.ts'

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

async function world() {
  const port = await freePort()
  const made = await tenants(
    '--dns-listen',
    `127.0.0.1:${port}`,
    '--answer-queries',
    '--nameservers',
    'ns1.example.net',
  )
  const { folder, at, heavy, light, agent, updates } = made
  const admin = async (words: string): Promise<void> => {
    const { code, stderr } = await holdfast(['admin', ...words.split(' '), '--store', folder], {
      node: process.execPath,
    })
    if (code !== 0) throw new Error(`admin ${words}: ${code} ${stderr}`)
  }
  const total = async (zone: string): Promise<number | undefined> => {
    const response = await fetch(`${at.url}/v1/dns/records/${zone}?limit=1`, {
      headers: { authorization: heavy },
    })
    if (response.status === 404) return undefined
    return ((await response.json()) as { page: { total: number } }).page.total
  }
  /** Nothing that is removed is left. */
  const swept = async (): Promise<void> => {
    const database = new DatabaseSync(join(folder, 'holdfast.db'), { readOnly: true })
    const hidden = database.prepare("SELECT count(*) AS n FROM zone WHERE name LIKE '#%'")
    await eventually(() => hidden.get()?.['n'], 50, 600_000).toBe(0)
    database.close()
  }
  /** What others see while this runs, and the states that the zone is in. */
  const during = async (zone: string, work: () => Promise<unknown>) => {
    const done = work()
    const totals = new Set<number | undefined>()
    const watched = steadily(done, async () => {
      totals.add(await total(zone))
      return 0
    })
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
  return { ...made, admin, total, during, swept, port }
}

type Seen = Readonly<Record<'update' | 'read' | 'dns', Times>>

function expectCalm(what: string, { update, read, dns }: Seen): void {
  console.log(what, JSON.stringify({ update, read, dns }))
  for (const [name, times] of Object.entries({ update, read, dns }))
    for (const [of, most] of Object.entries(BARS[name as keyof typeof BARS]))
      expect.soft(times[of as keyof Times], `${what}: ${of} of ${name}`).toBeLessThanOrEqual(most)
}

describe('beside a running service', { timeout: 1_800_000 }, () => {
  it.each(COUNTS)('%i names come, are replaced, and go; others notice nothing', async (count) => {
    const { admin, api, heavy, during, swept, total, port, updates } = await world()
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
      expectCalm(`${what} of ${count}`, seen)
      expect.soft(totals, what).toEqual(expect.arrayContaining(seen.totals))
      const last = { import: '198.51.0.9', 'DELETE of the zone': undefined }
      await eventually(async () => addressAt(port, 'n9.heavy.test')).toBe(
        what in last ? last[what as keyof typeof last] : '198.18.0.9',
      )
      expect(await total('heavy.test')).toBe(totals.at(-1))
    }
  })
})
