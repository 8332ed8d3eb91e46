import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { runs } from '../../runs.ts'
import { steadyClock } from '../../../src/shared/platform/clock/clock.ts'
import { instant } from '../../../src/shared/base/time.ts'
import { parsePeer } from '../../../src/shared/base/address.ts'
import type { Buckets, Principal, Usage } from '../../../src/service/model/rows.ts'
import { CounterCache } from '../../../src/service/store/cached-counters.ts'
import { mergeBuckets, mergeFailures, mergeUsage } from '../../../src/service/store/counts.ts'
import { packBuckets } from '../../../src/service/store/buckets.ts'
import { sqliteStore } from '../../../src/service/store/sqlite/store.ts'
import { migrate } from '../../../src/service/store/sqlite/open.ts'
import { statements } from '../../../src/service/store/sqlite/transaction.ts'
import { failureSweep } from '../../../src/service/store/sqlite/sweep.ts'
import type { Store, StoreWrites } from '../../../src/service/store/store.ts'
import { fill } from '../../contract/store.ts'
import { fileStore, storeFolder } from '../../lab/stores.ts'
import { eventually } from '../../eventually.ts'

const NOW = instant(Date.UTC(2026, 0, 1))
const PEER = parsePeer('192.0.2.9')
const HOST = 'home.example.test'

/** The buckets of events, by the starts of their buckets. */
const counted = (starts: readonly number[]): Buckets =>
  [...new Set(starts)]
    .toSorted((a, b) => a - b)
    .map((start) => ({ start, count: starts.filter((one) => one === start).length }))

describe('merged counters', () => {
  const starts = fc.array(fc.nat(20), { maxLength: 12 })

  it('contain the events of both processes, and those of the base once', () =>
    fc.assert(
      fc.property(starts, starts, starts, (base, ours, theirs) => {
        const merged = mergeBuckets(counted(base), counted([...base, ...ours]), counted([...base, ...theirs]))

        expect(merged).toEqual(counted([...base, ...ours, ...theirs]))
      }),
    ))

  it.each<[string, base: number[], ours: number[], theirs: number[], merged: number[]]>([
    ['a bucket that this process dropped', [1, 1, 2], [2, 2], [1, 1, 2], [2, 2]],
    ['a bucket that the other process dropped', [1, 1, 2], [1, 1, 2, 2], [2], [2, 2]],
    ['a bucket that both dropped', [1, 1, 2], [2, 9], [2, 8], [2, 8, 9]],
    ['what this process counted before it dropped all', [1, 1, 2], [], [1, 1, 1, 2, 3], [1, 3]],
  ])('are without %s', (_, base, ours, theirs, merged) =>
    expect(mergeBuckets(counted(base), counted(ours), counted(theirs))).toEqual(counted(merged)),
  )

  it('take the block from the process that changed it, and the later time of use', () => {
    const use = (blockedUntil: number | undefined, at: number, nondescriptive = 0) => ({
      usage: {
        requests: [],
        refusals: [],
        nondescriptive: nondescriptive,
        ...(blockedUntil !== undefined && { blockedUntil: instant(blockedUntil) }),
      } satisfies Usage,
      last: { at: instant(at), agent: String(at), peer: PEER ?? raise(), reply: '' },
    })

    expect(mergeUsage(use(undefined, 1, 5), use(70, 2, 6), use(undefined, 3, 9))).toEqual(use(70, 3, 10))
    expect(mergeUsage(use(50, 1), use(50, 4), use(undefined, 3))).toEqual(use(undefined, 4))
    expect(mergeUsage(use(50, 1), use(undefined, 4), use(50, 3))).toEqual(use(undefined, 4))
    const until = instant(7)
    expect(
      mergeFailures(
        { buckets: counted([1]) },
        { buckets: [], blockedUntil: until },
        { buckets: counted([1, 2]) },
      ),
    ).toEqual({
      buckets: counted([2]),
      blockedUntil: until,
    })
  })
})

const raise = (): never => {
  throw new Error('no peer')
}

/** The additions of both to a list. */
const mergeLists = (base: readonly number[], ours: readonly number[], theirs: readonly number[]) =>
  [...theirs, ...ours.filter((one) => !base.includes(one))].toSorted((a, b) => a - b)

describe('a counter cache', () => {
  const made = () => {
    const kept = new Map<string, readonly number[]>([['a', [1]]])
    const undone: (() => void)[] = []
    const loads: string[] = []
    const counts = new CounterCache<readonly number[]>(
      {
        load: (key) => (loads.push(key), kept.get(key) ?? []),
        save: (key, value) => void kept.set(key, value),
        merge: mergeLists,
        writesThrough: (_, ours) => ours.includes(99),
      },
      { recordUndo: (undo) => void undone.push(undo), maxCached: 1000 },
    )
    const takeBack = (): void => {
      for (const undo of undone.splice(0).toReversed()) undo()
    }
    return { kept, counts, loads, takeBack }
  }

  it('loads once, returns what was put, and stores it with a flush', () => {
    const { kept, counts, loads } = made()
    counts.put('a', [...counts.get('a'), 2])
    counts.put('b', [3])
    expect([counts.get('a'), counts.get('b'), counts.dirtyCount, loads]).toEqual([[1, 2], [3], 2, ['a', 'b']])
    expect(kept.get('a')).toEqual([1])
    counts.beginFlush()
    expect(counts.flush(1)).toBe(1)
    expect([kept.get('a'), kept.get('b'), counts.dirtyCount]).toEqual([[1, 2], undefined, 1])
    expect([counts.flush(9), counts.flush(9)]).toEqual([1, 0])
    expect([kept.get('b'), counts.dirtyCount]).toEqual([[3], 0])
  })

  it('stores in one flush what was dirty at its beginning, once', () => {
    const { counts, kept } = made()
    for (const key of ['a', 'b', 'c']) counts.put(key, [1])
    counts.beginFlush()
    counts.flush(2)
    counts.put('a', [2])
    expect([counts.flush(Infinity), counts.dirtyCount, kept.get('a')]).toEqual([1, 1, [1]])
    counts.put('b', [2])
    counts.beginFlush()
    expect([counts.flush(Infinity), counts.dirtyCount, kept.get('a')]).toEqual([2, 0, [2]])
  })

  it('finishes a flush although later ones begin meanwhile', () => {
    const { counts, kept, takeBack } = made()
    for (const key of ['x', 'y']) counts.put(key, [1])
    const isOver = counts.beginFlush()
    const seen: unknown[] = []
    for (const key of ['b', 'c', 'd']) {
      counts.put(key, [1])
      counts.beginFlush()
      counts.flush(1)
      seen.push(isOver())
    }
    expect([seen, kept.get('x'), kept.get('y'), kept.get('b')]).toEqual([[false, true, true], [1], [1], [1]])
    takeBack()
    expect(isOver()).toBe(false)
    counts.flush(9)
    expect(isOver()).toBe(true)
  })

  it('evicts the oldest clean counters, and no dirty ones', () => {
    const loads: string[] = []
    const load = (key: string): readonly number[] => (loads.push(key), [])
    const kept = { load, save: () => undefined, merge: mergeLists, writesThrough: () => false }
    const counts = new CounterCache<readonly number[]>(kept, { recordUndo: () => undefined, maxCached: 2 })
    for (const key of ['a', 'b', 'b', 'c', 'c', 'b', 'a']) counts.get(key)
    expect(loads).toEqual(['a', 'b', 'c', 'a'])
    counts.put('c', [1])
    for (const key of ['d', 'c', 'e', 'c']) counts.get(key)
    expect(loads).toEqual(['a', 'b', 'c', 'a', 'd', 'e'])
  })

  it('stores immediately what writes through', () => {
    const { kept, counts } = made()
    counts.put('a', [...counts.get('a'), 99])
    expect([kept.get('a'), counts.dirtyCount]).toEqual([[1, 99], 0])
  })

  it('merges with the store after invalidation', () => {
    const { kept, counts } = made()
    counts.put('a', [...counts.get('a'), 2])
    kept.set('a', [7])
    counts.invalidate()
    expect([counts.get('a'), counts.dirtyCount]).toEqual([[2, 7], 1])
    counts.beginFlush()
    counts.flush(9)
    expect(kept.get('a')).toEqual([2, 7])
  })

  it('has its earlier value and dirtiness after an undo', () => {
    const { kept, counts, takeBack } = made()
    counts.put('a', [1, 2])
    takeBack()
    expect([counts.get('a'), counts.dirtyCount]).toEqual([[1], 0])
    counts.put('a', [1, 2])
    counts.forget((key) => key === 'a')
    takeBack()
    expect([counts.get('a'), counts.dirtyCount]).toEqual([[1], 0])
    counts.put('a', [1, 5])
    counts.beginFlush()
    counts.flush(9)
    takeBack()
    kept.set('a', [1])
    expect([counts.get('a'), counts.dirtyCount]).toEqual([[1], 0])
  })

  it('adds only its own changes to what another process stored', () => {
    const { kept, counts } = made()
    counts.put('a', [...counts.get('a'), 2])
    kept.set('a', [1, 7])
    counts.invalidate()
    counts.beginFlush()
    counts.flush(9)
    expect([kept.get('a'), counts.get('a')]).toEqual([
      [1, 2, 7],
      [1, 2, 7],
    ])
    kept.set('a', [8])
    counts.invalidate()
    expect(counts.get('a')).toEqual([8])
  })
})

const ACTIONS = ['put', 'get', 'begin flush', 'flush', 'other process', 'forget'] as const

describe('a counter cache with room for few', () => {
  const keys = fc.constantFrom('a', 'b', 'c', 'd', 'e')
  /** The actions of one transaction, and whether it is rolled back. */
  const rounds = fc.array(
    fc.record({
      actions: fc.array(fc.record({ kind: fc.constantFrom(...ACTIONS), key: keys }), { maxLength: 8 }),
      isRolledBack: fc.boolean(),
    }),
    { maxLength: 20 },
  )

  it('stores the sum of all committed changes', () =>
    fc.assert(
      fc.property(rounds, (all) => {
        const kept = new Map<string, number>()
        const undone: (() => void)[] = []
        const load = (key: string): number => kept.get(key) ?? 0
        const save = (key: string, value: number): void => {
          const before = load(key)
          undone.push(() => kept.set(key, before))
          kept.set(key, value)
        }
        const merge = (base: number, ours: number, theirs: number): number => theirs + ours - base
        const counts = new CounterCache(
          { load, save, merge, writesThrough: () => false },
          { recordUndo: (undo) => void undone.push(undo), maxCached: 3 },
        )
        let truth: Readonly<Record<string, number>> = {}
        const add = (key: string): void => void (truth = { ...truth, [key]: (truth[key] ?? 0) + 1 })
        for (const { actions, isRolledBack } of all) {
          // Other processes cannot write while our transaction is open.
          for (const { key } of actions.filter(({ kind }) => kind === 'other process')) {
            kept.set(key, load(key) + 1)
            add(key)
            counts.invalidate()
          }
          undone.length = 0
          const before = truth
          for (const { kind, key } of actions) {
            if (kind === 'put') {
              counts.put(key, counts.get(key) + 1)
              add(key)
            }
            if (kind === 'get') expect(counts.get(key)).toBe(truth[key] ?? 0)
            if (kind === 'begin flush') counts.beginFlush()
            if (kind === 'flush') counts.flush(2)
            if (kind === 'forget') {
              counts.forget((one) => one === key)
              save(key, 0)
              truth = { ...truth, [key]: 0 }
            }
          }
          if (!isRolledBack) continue
          for (const undo of undone.toReversed()) undo()
          counts.invalidate()
          truth = before
        }
        counts.beginFlush()
        counts.flush(Infinity)
        expect(counts.dirtyCount).toBe(0)
        for (const key of Object.keys(truth)) expect([key, load(key)]).toEqual([key, truth[key]])
      }),
      { numRuns: runs(100) },
    ))
})

describe('failed logins of peers', () => {
  it('are deleted after a day without one, and not before', () => {
    const database = new DatabaseSync(':memory:')
    migrate(database, 'memory')
    const DAY = 86_400
    const now = 20 * DAY
    const insert = database.prepare(
      'INSERT INTO login_failure (peer, buckets, blocked_until) VALUES (?, ?, ?)',
    )
    // More than one batch.
    for (let n = 0; n < 700; n++) insert.run(`old-${n}`, packBuckets(counted([1, now - DAY - 1])), null)
    insert.run('a', packBuckets(counted([1, now - DAY])), null)
    insert.run('b', packBuckets([]), (now - DAY - 1) * 1000)
    insert.run('c', packBuckets([]), now * 1000)
    insert.run('z', packBuckets(counted([1])), now * 1000)
    const sweep = failureSweep(statements(database))

    sweep(now)
    sweep(now)

    const left = database.prepare('SELECT peer FROM login_failure').all()
    expect(left.map(({ peer }) => peer)).toEqual(['a', 'c', 'z'])
    insert.run('again', packBuckets(counted([1])), null)
    sweep(now)
    expect(database.prepare('SELECT count(*) AS n FROM login_failure').get()).toEqual({ n: 3 })
  })

  it('are swept with the flush of a newer failure', async () => {
    const folder = storeFolder()
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const store = sqliteStore(folder, steadyClock)
    await store.write((w) => w.putFailures('192.0.2.1', { buckets: counted([1000]) }))
    // A listing flushes the counters first.
    const flush = async () => store.read((r) => r.clientsOf(1, { offset: 0, limit: 1 }))
    await flush()
    await store.write((w) => w.putFailures('192.0.2.2', { buckets: counted([1000 + 86_401]) }))
    await flush()
    await store.close()

    const database = new DatabaseSync(join(folder, 'holdfast.db'), { readOnly: true })
    expect(database.prepare('SELECT peer FROM login_failure').all()).toEqual([{ peer: '192.0.2.2' }])
    database.close()
  })
})

describe('counters in a store', () => {
  let folder: string
  let store: Store
  let who: Principal
  beforeEach(async () => {
    folder = storeFolder()
    store = fileStore(folder)
    const { keyId, accountId } = await fill(store)
    who = { kind: 'key', id: keyId, accountId }
  })
  afterEach(async () => {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const plusOne = (buckets: Buckets, start: number): Buckets =>
    counted([...buckets.flatMap((one) => Array<number>(one.count).fill(one.start)), start])
  const count = async (w: StoreWrites, moment: number): Promise<void> => {
    const { requests, ...usage } = await w.usageOf(who)
    const last = { at: instant(moment), agent: 'a', peer: PEER ?? raise(), reply: 'nochg' }
    await w.putUsage(who, { ...usage, requests: plusOne(requests, moment) }, last)
    await w.putNochgs(who, HOST, plusOne(await w.nochgsOf(who, HOST), moment))
  }
  const onDisk = (): unknown => {
    const database = new DatabaseSync(join(folder, 'holdfast.db'), { readOnly: true })
    const row = database.prepare('SELECT length(request_buckets) / 8 AS n FROM usage').get()
    database.close()
    return row?.['n'] ?? 0
  }

  it('are visible immediately, and on disk within seconds without a request', async () => {
    await store.write(async (w) => count(w, 1))
    expect(onDisk()).toBe(0)
    expect(await store.write(async (w) => (await w.usageOf(who)).requests)).toEqual(counted([1]))
    await eventually(onDisk).toBe(1)
  })

  it('are visible to reads and at keys, and on disk before clients are listed and when the store is closed', async () => {
    await store.write(async (w) => count(w, 1))
    expect((await store.read((r) => r.usageOf(who))).requests).toEqual(counted([1]))
    const page = { offset: 0, limit: 9 }
    const keys = await store.read(async (r) => {
      const [first] = (await r.keysOf(who.accountId, { page })).items
      return [first, first && (await r.keyNamed(first.username))]
    })
    for (const key of keys) expect(key?.lastUse).toMatchObject({ agent: 'a' })
    expect(onDisk()).toBe(0)
    const { items } = await store.read((r) => r.clientsOf(who.accountId, page))
    expect(items).toMatchObject([{ agent: 'a' }])
    expect(onDisk()).toBe(1)
    await store.write(async (w) => count(w, 2))
    await store.close()
    expect(onDisk()).toBe(2)
    store = sqliteStore(folder, steadyClock)
  })

  it('that cannot be written stay dirty, and do not prevent the store from closing', async () => {
    await store.write(async (w) => count(w, 1))
    const broken = new DatabaseSync(join(folder, 'holdfast.db'))
    broken.exec("CREATE TRIGGER full BEFORE INSERT ON usage BEGIN SELECT RAISE(ABORT, 'full'); END")
    broken.close()

    await expect(store.read((r) => r.clientsOf(who.accountId, { offset: 0, limit: 9 }))).rejects.toThrow(
      'full',
    )
    expect(await store.write(async (w) => (await w.usageOf(who)).requests)).toEqual(counted([1]))
    await expect(store.close()).resolves.toBeUndefined()
    const mended = new DatabaseSync(join(folder, 'holdfast.db'))
    mended.exec('DROP TRIGGER full')
    mended.close()
    store = sqliteStore(folder, steadyClock)
  })

  it.each<[string, (here: Store, other: Store) => Promise<void>]>([
    ['a key, by another process', async (_, other) => other.write((w) => w.removeKey(who.id, NOW))],
    [
      'an account, by another process',
      async (_, other) => other.write((w) => w.removeAccount(who.accountId)),
    ],
    ['an account', async (here) => here.write((w) => w.removeAccount(who.accountId))],
  ])('are dropped with %s', async (_, remove) => {
    await store.write(async (w) => count(w, 1))
    const other = sqliteStore(folder, steadyClock)
    await remove(store, other)
    await other.close()
    await store.close()

    const database = new DatabaseSync(join(folder, 'holdfast.db'), { readOnly: true })
    const rows = database.prepare('SELECT subject FROM usage UNION ALL SELECT subject FROM nochg').all()
    database.close()
    expect(rows).toEqual([])
    store = sqliteStore(folder, steadyClock)
  })

  it('of a job that throws are dropped, and those of the jobs in its transaction counted once', async () => {
    const all = [1, 2, 3, 4].map(async (moment) =>
      store.write(async (w) => {
        await count(w, moment)
        if (moment === 3) throw new Error('midway')
      }),
    )
    const ends = await Promise.allSettled(all)

    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
    expect((await store.read((r) => r.usageOf(who))).requests).toEqual(counted([1, 2, 4]))
    expect(await store.read((r) => r.nochgsOf(who, HOST))).toEqual(counted([1, 2, 4]))
  })

  it('of several processes with one store are added up', async () => {
    const other = sqliteStore(folder, steadyClock)
    for (const round of [0, 10, 20]) {
      await Promise.all([1, 2, 3].map(async (n) => store.write(async (w) => count(w, round + n))))
      await Promise.all([3, 4].map(async (n) => other.write(async (w) => count(w, round + n))))
    }
    for (const one of [store, other])
      await one.read((r) => r.clientsOf(who.accountId, { offset: 0, limit: 9 }))
    const wanted = counted([0, 10, 20].flatMap((round) => [1, 2, 3, 3, 4].map((n) => round + n)))

    for (const one of [store, other]) {
      expect((await one.read((r) => r.usageOf(who))).requests).toEqual(wanted)
      expect(await one.write((w) => w.nochgsOf(who, HOST))).toEqual(wanted)
    }
    await other.close()
  })

  it('are deleted when an operator in another process lifts the block, although they are cached', async () => {
    await store.write(async (w) => {
      await count(w, 1)
      const last = { at: NOW, agent: 'a', peer: PEER ?? raise(), reply: 'abuse' }
      await w.putUsage(
        who,
        { requests: [], refusals: [], nondescriptive: 0, blockedUntil: instant(NOW + 1) },
        last,
      )
    })
    expect((await store.write((w) => w.usageOf(who))).blockedUntil).toBe(NOW + 1)
    const operator = sqliteStore(folder, steadyClock)
    await operator.write((w) => w.unblock(who))
    await operator.close()

    expect(await store.write((w) => w.usageOf(who))).toEqual({
      requests: [],
      refusals: [],
      nondescriptive: 0,
    })
    expect(await store.write((w) => w.nochgsOf(who, HOST))).toEqual([])
  })

  it('and logins that another process changed are read again by the next request', async () => {
    const [at] = await store.write((w) => w.namesByFqdn(HOST))
    await store.write((w) => w.login('abc1234'))
    const operator = sqliteStore(folder, steadyClock)
    await operator.write((w) =>
      w.setSingleValue({ nameId: at?.nameId ?? 0, fqdn: HOST }, { dnsType: 'A', value: '192.0.2.7' }, NOW),
    )
    await operator.write((w) => w.changeKey(who.id, { hash: new Uint8Array([7]) }))
    await operator.close()

    expect(await store.write((w) => w.namesByFqdn(HOST))).toMatchObject([{ rdata: [{ value: '192.0.2.7' }] }])
    expect(await store.write((w) => w.login('abc1234'))).toMatchObject({ hash: new Uint8Array([7]) })
  })
})
