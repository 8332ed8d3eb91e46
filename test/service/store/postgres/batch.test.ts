import { steadyClock } from '../../../../src/shared/platform/clock/clock.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { after, instant, seconds } from '../../../../src/shared/base/time.ts'
import type { Address } from '../../../../src/shared/base/address.ts'
import type { PostgresPlace } from '../../../../src/service/store/postgres/connection.ts'
import { ConnectionPool } from '../../../../src/service/store/postgres/pool.ts'
import { inSnapshot, inOneTrip } from '../../../../src/service/store/postgres/transaction.ts'
import { postgresStore } from '../../../../src/service/store/postgres/store.ts'
import { StoreAway } from '../../../../src/service/store/errors.ts'
import { sqlReading } from '../../../../src/service/store/sql/reading.ts'
import type { About, Store, StoreWrites } from '../../../../src/service/store/store.ts'
import { type Fixture, fill } from '../../../contract/store.ts'
import { eventually } from '../../../eventually.ts'
import { endsBefore } from '../../../lab/ends-before.ts'
import { type Postgres, startPostgres, whyNoPostgres } from '../../../lab/postgres.ts'

const NOW = instant(Date.UTC(2026, 0, 1))
const UPDATES = 128
const about = (): About => ({ username: 'abc1234', hostnames: ['home.example.test'], peers: [] })
const lacking = whyNoPostgres()

/** Adds one to the value of the name, as an update that reads and then changes it. */
async function count(w: StoreWrites): Promise<void> {
  const [name] = await w.namesByFqdn('home.example.test')
  const rdata = name?.rdata.find(({ dnsType }) => dnsType === 'TXT')
  if (name === undefined || rdata === undefined) throw new Error('the name has no value')
  const next = String(Number(rdata.value) + 1)
  await w.setValue(name, { rdataId: rdata.id, value: next }, NOW)
  await w.touchZone(name.zoneId, NOW)
  const entry = {
    at: NOW,
    accountId: name.accountId,
    isUpdate: true,
    actor: 'key abc1234',
    peer: '192.0.2.9',
  }
  await w.addTrail([{ ...entry, operation: 'update', subject: name.fqdn, before: rdata.value, after: next }])
}

/** Reads the name, and writes it whole, with one address more, and one added to the value. */
async function addAddress(w: StoreWrites, at: Fixture, n: number): Promise<void> {
  await w.zoneNamed('example.test')
  const name = await w.nameAt(at.zoneId, 'home')
  if (name === undefined) throw new Error('the name is gone')
  const [txt, a] = ['TXT', 'A'].map((type) => name.rrsets.find(({ dnsType }) => dnsType === type))
  const rdata = [...(a?.rdata ?? []), { label: `l${n}`, value: `192.0.2.${n}`, isSystem: false }]
  const rrset = {
    dnsType: 'A',
    ttl: 60,
    isSystem: false,
    metadata: {},
    createdAt: NOW,
    updatedAt: NOW,
  } as const
  const counted = (txt?.rdata ?? []).map((one) => ({ ...one, value: String(Number(one.value) + 1) }))
  const rrsets = [...(txt === undefined ? [] : [{ ...txt, rdata: counted }]), { ...rrset, rdata }]
  await w.saveName({ ...name, rrsets }, NOW)
}

describe.skipIf(lacking !== undefined)('updates in batches', () => {
  let postgres: Postgres
  let place: PostgresPlace
  let at: Fixture
  let nodes: readonly Store[]
  beforeAll(async () => {
    postgres = await startPostgres(['max_connections=200'])
  })
  afterAll(async () => postgres?.stop(), 60_000)
  beforeEach(async () => {
    place = await postgres.store()
    nodes = Array.from({ length: 3 }, () => postgresStore(place, steadyClock))
    at = await fill(node(0))
    await node(0).write(async (w) => w.setSingleValue(at.home, { dnsType: 'TXT', value: '0' }, NOW))
  })
  afterEach(async () => Promise.all(nodes.map(async (one) => one.close())))

  const node = (n: number): Store => {
    const found = nodes[n % nodes.length]
    if (found === undefined) throw new Error('no node')
    return found
  }
  const valuesOf = async (type: string): Promise<readonly string[]> =>
    node(0).read(async (r) =>
      (await r.namesByFqdn('home.example.test')).flatMap(({ rdata }) =>
        rdata.flatMap(({ dnsType, value }) => (dnsType === type ? [value] : [])),
      ),
    )

  it('of three nodes lose none, beside changes of the same name by others', async () => {
    await Promise.all(nodes.map(async (one) => one.close()))
    // A request that waits too long is refused; whether 160 changes of one row end in time depends on the machine.
    nodes = nodes.map(() => postgresStore({ ...place, wait: 60_000 }, steadyClock))
    await Promise.all([
      ...Array.from({ length: UPDATES }, async (_, n) => node(n).write(count, about)),
      ...Array.from({ length: 32 }, async (_, n) => node(n).write(async (w) => addAddress(w, at, n))),
    ])

    expect(await valuesOf('TXT')).toEqual([String(UPDATES + 32)])
    // All lock in the same order.
    const waits = await postgres.query(
      'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
      place.database,
    )
    expect(waits).toEqual([{ deadlocks: '0' }])
    expect(await valuesOf('A')).toHaveLength(32)
    // Each with its own entry, once.
    const entries = await node(0).read(async (r) => r.overview('trail', { filter: {}, now: NOW }))
    expect(new Set(entries.map(({ after: value }) => value)).size).toBe(UPDATES)
    expect(entries).toHaveLength(UPDATES)
  })

  it('would lose some without a look at what they replace', async () => {
    const pool = new ConnectionPool({ ...place, connections: 32 })
    await Promise.all(
      Array.from({ length: UPDATES }, async () => {
        const [name] = await inSnapshot(pool, async (sql) => sqlReading(sql).namesByFqdn('home.example.test'))
        const [rdata] = name?.rdata ?? []
        await inOneTrip(pool, async (sql) =>
          sql.execute(
            'UPDATE rdata SET value = $1 WHERE id = $2',
            String(Number(rdata?.value) + 1),
            rdata?.id ?? 0,
          ),
        )
      }),
    )
    await pool.close()

    expect(Number((await valuesOf('TXT'))[0])).toBeLessThan(UPDATES)
  })

  it('take one trip where nothing changes, and no transaction that writes', async () => {
    const before = await writesOf(postgres, place)
    await Promise.all(
      Array.from({ length: 64 }, async () => node(0).write(async (w) => w.login('abc1234'), about)),
    )
    expect(await writesOf(postgres, place)).toBe(before)
  })

  it('obey a block that another node has set, with the next request', async () => {
    const key = { kind: 'key', id: at.keyId, accountId: at.accountId } as const
    const last = { at: NOW, agent: 'Acme', peer: '192.0.2.1' as Address, reply: 'nochg' }
    // Both have counted for the key, and remember that.
    for (const one of nodes)
      await one.write(
        async (w) => w.putUsage(key, { requests: [], refusals: [], nondescriptive: 1 }, last),
        about,
      )
    const blockedUntil = after(NOW, seconds(60))
    await node(0).write(
      async (w) => w.putUsage(key, { ...(await w.usageOf(key)), blockedUntil }, last),
      about,
    )

    expect(await node(1).write(async (w) => (await w.usageOf(key)).blockedUntil, about)).toBe(blockedUntil)
  })

  it('read what was not read in advance, where a login that is likely to be refused is not', async () => {
    const key = { kind: 'key', id: at.keyId, accountId: at.accountId } as const
    const last = { at: NOW, agent: 'Acme', peer: '192.0.2.1' as Address, reply: 'nochg' }
    const blockedUntil = after(NOW, seconds(60))
    await node(1).write(async (w) => w.putUsage(key, { ...(await w.usageOf(key)), blockedUntil }, last))
    const refused = (): About => ({ ...about(), isLikelyRefused: true })
    const until = async (w: StoreWrites) => (await w.usageOf(key)).blockedUntil
    const names = async (w: StoreWrites) => (await w.namesByFqdn('home.example.test')).length

    expect(await node(0).write(until, refused)).toBe(blockedUntil)
    expect(await node(0).write(names, refused)).toBe(1)
    // Beside one that is asked for in the same batch.
    const both = await Promise.all([refused, about].map(async (one) => node(0).write(until, one)))
    expect(both).toEqual([blockedUntil, blockedUntil])
  })

  it('keep a block that another node sets while counters are stored', async () => {
    const key = { kind: 'key', id: at.keyId, accountId: at.accountId } as const
    const last = { at: NOW, agent: 'Acme', peer: '192.0.2.1' as Address, reply: 'nochg' }
    const blockedUntil = after(NOW, seconds(60))
    for (let round = 0; round < 20; round++) {
      await Promise.all(
        nodes.map(async (one) =>
          one.write(async (w) => {
            const usage = await w.usageOf(key)
            await w.putUsage(key, { ...usage, nondescriptive: usage.nondescriptive + 1 }, last)
          }, about),
        ),
      )
      // Whoever lists the keys stores the counters first.
      await Promise.all([
        node(0).write(async (w) => w.putUsage(key, { ...(await w.usageOf(key)), blockedUntil }, last), about),
        ...nodes.map(async (one) => one.read(async (r) => r.keyNamed('abc1234'))),
      ])
      expect(await node(2).write(async (w) => (await w.usageOf(key)).blockedUntil, about)).toBe(blockedUntil)
      await node(1).write(async (w) => w.unblock(key))
      expect(await node(2).write(async (w) => (await w.usageOf(key)).blockedUntil, about)).toBeUndefined()
    }
  })

  it('count what all nodes count for a key that none has counted before', async () => {
    const key = { kind: 'key', id: at.keyId, accountId: at.accountId } as const
    const last = { at: NOW, agent: 'Acme', peer: '192.0.2.1' as Address, reply: 'nochg' }
    await Promise.all(
      Array.from({ length: 30 }, async (_, n) =>
        node(n).write(async (w) => {
          const usage = await w.usageOf(key)
          await w.putUsage(key, { ...usage, nondescriptive: usage.nondescriptive + 1 }, last)
        }, about),
      ),
    )
    // Listing the keys stores the counters first, but waits only 10 ms for a row that another node stores.
    const listed = async (): Promise<number> => {
      await Promise.all(nodes.map(async (one) => one.read(async (r) => r.keyNamed('abc1234'))))
      return (await node(0).read(async (r) => r.usageOf(key))).nondescriptive
    }
    await eventually(listed).toBe(30)
    expect(await listed()).toBe(30)
  })

  it('end after the wait, as all else does, while the database says nothing', async () => {
    const store = postgresStore({ ...place, wait: 1000 }, steadyClock)
    const readFact = async (): Promise<unknown> => store.read(async (r) => r.fact('none'))
    await Promise.all([readFact(), store.write(async (w) => w.login('abc1234'), about)])
    postgres.freeze()
    const works = Promise.allSettled([
      store.write(async (w) => w.login('abc1234'), about),
      store.write(async (w) => w.setFact('a', 'b')),
      readFact(),
      store.probe(NOW),
    ])
    // The wait and a second for the server to say so itself, and the wait for a new connection.
    const isInTime = await endsBefore([2000, 1900], works)
    const asked = await works
    postgres.thaw()

    for (const one of asked) {
      expect(one.status).toBe('rejected')
      expect('reason' in one && one.reason).toBeInstanceOf(StoreAway)
    }
    expect(isInTime).toBe(true)
    await eventually(async () => readFact().catch((error: Error) => error.name)).toBeUndefined()
    postgres.freeze()
    expect(await endsBefore([2000, 2000], store.close())).toBe(true)
    postgres.thaw()
  })

  it('that wait behind one of a database that says nothing end with it', async () => {
    const store = postgresStore({ ...place, wait: 1000 }, steadyClock)
    const ask = async (): Promise<unknown> =>
      store.write(async (w) => w.login('abc1234'), about).catch((error: unknown) => error)
    await ask()
    postgres.freeze()
    const first = ask()
    await sleep(200)
    const others = Promise.all([first, ...Array.from({ length: 20 }, ask)])
    // The wait and a second, one after the other, and not the wait for a new connection behind them.
    const isInTime = await endsBefore([1000, 1000, 900], others)
    const ended = await others
    postgres.thaw()
    await store.close()

    for (const one of ended) expect(one).toBeInstanceOf(StoreAway)
    expect(isInTime).toBe(true)
  })

  it('leave no counters of a key that was removed meanwhile', async () => {
    const key = { kind: 'key', id: at.keyId, accountId: at.accountId } as const
    const last = { at: NOW, agent: 'Acme', peer: '192.0.2.1' as Address, reply: 'nochg' }
    await node(0).write(async (w) => {
      await w.putUsage(key, await w.usageOf(key), last)
      await w.putNochgs(key, 'home.example.test', [{ start: 60, count: 1 }])
    }, about)
    await node(1).write(async (w) => w.removeKey(at.keyId, NOW))
    await node(0).read(async (r) => r.keysOf(at.accountId, { page: { limit: 9, offset: 0 } }))

    const rows = await postgres.query(
      '(SELECT subject FROM usage) UNION ALL (SELECT subject FROM nochg)',
      place.database,
    )
    expect(rows).toEqual([])
  })
})

/** Transactions of the database that have written something: those take a number. */
const writesOf = async (postgres: Postgres, { database }: PostgresPlace): Promise<unknown> =>
  (await postgres.query('SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS n', database))[0]?.['n']
