import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { instant } from '../../../../src/shared/base/time.ts'
import { steadyClock } from '../../../../src/shared/platform/clock/clock.ts'
import type { NameQuery } from '../../../../src/service/model/query.ts'
import type { Name } from '../../../../src/service/model/tree.ts'
import { memoryStore, sqliteStore } from '../../../../src/service/store/sqlite/store.ts'
import type { Store } from '../../../../src/service/store/store.ts'
import { fill, type Fixture } from '../../../contract/store.ts'
import { oneIn } from '../../../large.ts'
import { newMemory } from '../../../lab/new-database.ts'
import { judgesPace } from '../../../lab/pace.ts'
import { storeFolder } from '../../../lab/stores.ts'

const NOW = instant(Date.UTC(2026, 0, 1))
const COUNT = 37_000
/** In milliseconds: what the event loop may be held by one request; on a busy machine another program does it too. */
const MAX_DELAY = judgesPace ? 50 : 200

const nameOf = ({ zoneId, accountId }: Fixture, n: number): Name => ({
  zoneId,
  accountId,
  name: `n${n}`,
  isProhibited: false,
  isBlocked: false,
  isOffline: false,
  metadata: n % 1000 === 7 ? { colour: 'red' } : {},
  rrsets: [
    {
      dnsType: 'A',
      ttl: 300,
      isSystem: false,
      metadata: {},
      rdata: [{ label: '_1', value: `198.51.${(n * 7) % 250}.${n % 250}`, isSystem: false }],
      createdAt: NOW,
      updatedAt: NOW,
    },
  ],
  createdAt: NOW,
  updatedAt: NOW,
})

async function filled(store: Store): Promise<Fixture> {
  const at = await fill(store)
  const draft = await store.write(async (w) => w.addDraft(at.zoneId, NOW, NOW))
  const names = Array.from({ length: COUNT }, (_, n) => nameOf(at, n))
  await store.write(async (w) => w.fillDraft(draft ?? 0, names, NOW))
  await store.write(async (w) => w.replaceByDraft(draft ?? 0, NOW))
  return at
}

/** In milliseconds: for how long a request holds the event loop, at the quietest of several times. */
async function leastDelay(request: () => Promise<unknown>): Promise<number> {
  const delays: number[] = []
  for (let n = 0; n < 5 && !delays.some((one) => one < MAX_DELAY); n++) {
    const delay = monitorEventLoopDelay({ resolution: 1 })
    await sleep(20)
    delay.enable()
    await request()
    delay.disable()
    delays.push(delay.max / 1e6)
  }
  return Math.min(...delays)
}

describe('long listings', () => {
  let [stored, inMemory]: Store[] = []
  let at: Fixture
  beforeAll(async () => {
    stored = sqliteStore(storeFolder(), steadyClock)
    inMemory = memoryStore(steadyClock, newMemory())
    at = await filled(stored)
    await filled(inMemory)
  }, 120_000)
  afterAll(async () => {
    await stored?.close()
    await inMemory?.close()
  })
  const query = (more: Partial<NameQuery>): NameQuery => ({
    accountId: at.accountId,
    page: { offset: 25_000, limit: 50 },
    sort: [],
    filter: {},
    ...more,
  })

  // biome-ignore format: a table
  const QUERIES: readonly (readonly [string, Partial<NameQuery>])[] = [
    ['by their values',    { sort: [{ key: 'rdata', direction: 'desc' }] }],
    ['by their types',     { sort: [{ key: 'dns_type', direction: 'asc' }, { key: 'name', direction: 'desc' }] }],
    ['with metadata',      { metadata: { op: 'contains', key: 'colour', value: 'ed' }, page: { offset: 3, limit: 9 } }],
    ['by their changes',   { sort: [{ key: 'updated_at', direction: 'desc' }] }],
    ['by publication',     { sort: [{ key: 'published_at', direction: 'asc' }, { key: 'rdata', direction: 'asc' }] }],
    ['with a text',        { filter: { search: { name: '.7', text: '.7', isInKeys: true } }, page: { offset: 90, limit: 50 } }],
    ['in a state',         { filter: { states: [{ states: ['stuck', 'pending'] }] } }],
    ['after a cursor',     { sort: [{ key: 'rdata', direction: 'desc' }], page: { offset: 0, limit: 50, after: ['198.51.5.1', 1] } }],
  ]
  it.each(oneIn(2, QUERIES))('%s are those of a store in memory, and hold up nothing', async (_, more) => {
    const asked = query(more)
    // The thread has started.
    const summaries = await stored?.read(async (r) => r.summariesBy(asked))
    expect(await leastDelay(async () => stored?.read(async (r) => r.summariesBy(asked)))).toBeLessThan(
      MAX_DELAY,
    )
    expect(summaries?.items.length).toBeGreaterThan(5)
    expect(summaries).toEqual(await inMemory?.read(async (r) => r.summariesBy(asked)))
    expect(await stored?.read(async (r) => r.namesBy(asked))).toEqual(
      await inMemory?.read(async (r) => r.namesBy(asked)),
    )
  })

  it('see what was written before, and report errors as they are', async () => {
    await stored?.write(async (w) => {
      const name = await w.namesByFqdn('n5.example.test')
      await w.setValue(
        { nameId: name[0]?.nameId ?? 0, fqdn: 'n5.example.test' },
        { rdataId: name[0]?.rdata[0]?.id ?? 0, value: '99.0.0.9' },
        NOW,
      )
    })
    const asked = query({ sort: [{ key: 'rdata', direction: 'desc' }], page: { offset: 0, limit: 1 } })
    const first = await stored?.read(async (r) => r.namesBy(asked))
    expect(first?.items[0]?.name.rrsets[0]?.rdata[0]?.value).toBe('99.0.0.9')
    const wrong = { ...asked, page: { offset: Number.NaN, limit: 1 } }
    await expect(stored?.read(async (r) => r.namesBy(wrong))).rejects.toThrow(/datatype mismatch/)
  })
})
