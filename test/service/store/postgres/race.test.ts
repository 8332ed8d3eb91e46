import { steadyClock } from '../../../../src/shared/platform/clock/clock.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { instant } from '../../../../src/shared/base/time.ts'
import type { Name } from '../../../../src/service/model/tree.ts'
import type { PostgresPlace } from '../../../../src/service/store/postgres/connection.ts'
import { ConnectionPool } from '../../../../src/service/store/postgres/pool.ts'
import { inTransaction } from '../../../../src/service/store/postgres/transaction.ts'
import { postgresStore } from '../../../../src/service/store/postgres/store.ts'
import type { CounterWrites } from '../../../../src/service/store/counter-rows.ts'
import { sqlWriting } from '../../../../src/service/store/sql/writing.ts'
import type { StoreWrites } from '../../../../src/service/store/store.ts'
import { type Fixture, fill } from '../../../contract/store.ts'
import { type Postgres, startPostgres, whyNoPostgres } from '../../../lab/postgres.ts'

const NOW = instant(Date.UTC(2026, 0, 1))
const WRITERS = 64
const QUOTA = 20

type Work = (w: Writes) => Promise<'made' | 'refused'>
type Writes = Omit<StoreWrites, keyof CounterWrites>
/** Runs one of the works in a process of its own, as far as the database can tell. */
type Run = (work: Work, n: number) => Promise<'made' | 'refused'>

const named = (at: Fixture, name: string): Name => ({
  zoneId: at.zoneId,
  accountId: at.accountId,
  name,
  isProhibited: false,
  isBlocked: false,
  isOffline: false,
  metadata: {},
  rrsets: [],
  createdAt: NOW,
  updatedAt: NOW,
})

/** As the handlers do it: look at the zone and the account, then write. */
const withinQuota =
  (at: Fixture, name: string): Work =>
  async (w) => {
    const zone = await w.zoneNamed('example.test')
    const { names } = await w.holdingsOf(at.accountId)
    if (zone === undefined || names >= QUOTA || (await w.nameAt(at.zoneId, name)) !== undefined)
      return 'refused'
    await w.saveName(named(at, name), NOW)
    return 'made'
  }

/** As the handler of new DDNS keys does it. */
const withinKeyLimit =
  (at: Fixture, n: number): Work =>
  async (w) => {
    const { total } = await w.keysOf(at.accountId, { page: { limit: 0, offset: 0 } })
    if (total >= QUOTA) return 'refused'
    const key = { accountId: at.accountId, hash: new Uint8Array([n]), description: '' }
    await w.addKey({ ...key, username: `key${1000 + n}` }, NOW)
    return 'made'
  }

/** As the handler of API keys does it: a key that is limited is not limited again by what it was before. */
const whileUnlimited =
  (at: Fixture, id: number): Work =>
  async (w) => {
    const key = await w.apiKeyOf(at.accountId, id)
    if (key === undefined || key.scopes.length > 0) return 'refused'
    await w.changeApiKey({ ...key, scopes: ['read'] })
    return 'made'
  }

/** Reads the name, and writes it whole with one more value. */
const addValue =
  (at: Fixture, n: number): Work =>
  async (w) => {
    await w.zoneNamed('example.test')
    const name = await w.nameAt(at.zoneId, 'home')
    if (name === undefined) return 'refused'
    const others = name.rrsets[0]?.rdata ?? []
    const rdata = [...others, { label: `l${n}`, value: `192.0.2.${n}`, isSystem: false }]
    const rrset = {
      dnsType: 'A',
      ttl: 60,
      isSystem: false,
      metadata: {},
      rdata,
      createdAt: NOW,
      updatedAt: NOW,
    } as const
    await w.saveName({ ...name, rrsets: [rrset] }, NOW)
    return 'made'
  }

const lacking = whyNoPostgres()

describe.skipIf(lacking !== undefined)('many processes at once', () => {
  let postgres: Postgres
  beforeAll(async () => {
    postgres = await startPostgres(['max_connections=200'])
  })
  afterAll(async () => postgres?.stop(), 60_000)

  async function world(): Promise<{ place: PostgresPlace; at: Fixture; end: () => Promise<unknown> }> {
    // What waits for a lock waits for as long as it takes.
    const place = { ...(await postgres.store()), wait: 60_000 }
    const store = postgresStore(place, steadyClock)
    const at = await fill(store)
    return { place, at, end: async () => store.close() }
  }
  const locked = (place: PostgresPlace): { run: Run; end: () => Promise<unknown> } => {
    const nodes = Array.from({ length: 8 }, () => postgresStore(place, steadyClock))
    return {
      run: async (work, n) => nodes[n % nodes.length]?.write(async (w) => work(w)) ?? 'refused',
      end: async () => Promise.all(nodes.map(async (node) => node.close())),
    }
  }
  /** The negative control: the same without locks. */
  const unlocked = (place: PostgresPlace): { run: Run; end: () => Promise<unknown> } => {
    const pool = new ConnectionPool({ ...place, connections: 32 })
    return {
      run: async (work) =>
        inTransaction(pool, async (sql) =>
          work({
            ...sqlWriting(sql),
            passBlock: async () => undefined,
            databaseIdentity: async () => undefined,
          }),
        ),
      end: async () => pool.close(),
    }
  }
  const counted = (results: readonly string[]) => results.filter((one) => one === 'made').length
  const race = async (run: Run, works: readonly Work[]): Promise<number> =>
    counted(await Promise.all(works.map(async (work, n) => run(work, n))))
  const rows = async (place: PostgresPlace, text: string): Promise<number> =>
    Number((await postgres.query(`SELECT ${text} AS n`, place.database))[0]?.['n'])

  it('keep a quota, and count what they hold', async () => {
    const { place, at, end } = await world()
    const { run, end: close } = locked(place)
    const made = await race(
      run,
      Array.from({ length: WRITERS }, (_, n) => withinQuota(at, `n${n}`)),
    )
    await close()
    await end()
    expect(made).toBe(QUOTA - 1)
    expect(await rows(place, '(SELECT count(*) FROM name)')).toBe(QUOTA)
    expect(await rows(place, '(SELECT sum(names) FROM holding)')).toBe(QUOTA)
  })

  it('keep a limit of keys', async () => {
    const { place, at, end } = await world()
    const { run, end: close } = locked(place)
    const made = await race(
      run,
      Array.from({ length: WRITERS }, (_, n) => withinKeyLimit(at, n)),
    )
    await close()
    await end()
    expect(made).toBe(QUOTA - 1)
    expect(await rows(place, '(SELECT count(*) FROM ddns_key)')).toBe(QUOTA)
  })

  const addKey = async (place: PostgresPlace, { accountId }: Fixture): Promise<number> => {
    const store = postgresStore(place, steadyClock)
    const key = { accountId, hash: new Uint8Array([1]), description: '', scopes: [] }
    const id = await store.write(async (w) => w.addApiKey(key, NOW))
    await store.close()
    return id
  }

  it('narrow an API key from what it is now', async () => {
    const { place, at, end } = await world()
    const id = await addKey(place, at)
    const { run, end: close } = locked(place)
    const made = await race(
      run,
      Array.from({ length: WRITERS }, () => whileUnlimited(at, id)),
    )
    await close()
    await end()
    expect(made).toBe(1)
  })

  it('make the same name once', async () => {
    const { place, at, end } = await world()
    const { run, end: close } = locked(place)
    const made = await race(
      run,
      Array.from({ length: WRITERS }, () => withinQuota(at, 'same')),
    )
    await close()
    await end()
    expect(made).toBe(1)
  })

  it('lose no value that one of them adds', async () => {
    const { place, at, end } = await world()
    const { run, end: close } = locked(place)
    expect(
      await race(
        run,
        Array.from({ length: WRITERS }, (_, n) => addValue(at, n)),
      ),
    ).toBe(WRITERS)
    await close()
    await end()
    expect(await rows(place, '(SELECT count(*) FROM rdata)')).toBe(WRITERS)
    expect(await rows(place, '(SELECT sum(rdata) FROM holding)')).toBe(WRITERS)
  })

  it('publish a change that comes while a flush is on its way', async () => {
    const { place, at, end } = await world()
    const pool = new ConnectionPool(place)
    const home = { ...named(at, 'home'), id: at.home.nameId }
    await inTransaction(pool, async (flushing) => {
      const w = sqlWriting(flushing)
      const dirty = await w.dirtyNames(100)
      expect(dirty.map(({ name }) => name)).toContain('home')
      // Its name is dirty already.
      await inTransaction(pool, async (sql) => sqlWriting(sql).saveName({ ...home, isOffline: true }, NOW))
      await w.setPublished(dirty, NOW)
    })
    const left = await inTransaction(pool, async (sql) => sqlWriting(sql).dirtyNames(100))
    expect(left.map(({ name }) => name)).toEqual(['home'])
    await pool.close()
    await end()
  })

  it('would do all of that wrong without locks', async () => {
    const { place, at, end } = await world()
    const { run, end: close } = unlocked(place)
    const made = await race(
      run,
      Array.from({ length: WRITERS }, (_, n) => withinQuota(at, `n${n}`)),
    )
    await race(
      run,
      Array.from({ length: WRITERS }, (_, n) => addValue(at, n)),
    )
    const keys = await race(
      run,
      Array.from({ length: WRITERS }, (_, n) => withinKeyLimit(at, n)),
    )
    const id = await addKey(place, at)
    const narrowed = await race(
      run,
      Array.from({ length: WRITERS }, () => whileUnlimited(at, id)),
    )
    await close()
    await end()
    expect(narrowed).toBeGreaterThan(1)
    expect(made).toBeGreaterThan(QUOTA - 1)
    expect(keys).toBeGreaterThan(QUOTA - 1)
    expect(await rows(place, '(SELECT count(*) FROM rdata)')).toBeLessThan(WRITERS)
  })
})
