import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { after, instant, seconds } from '../../src/shared/base/time.ts'
import { type Address, parseAddress } from '../../src/shared/base/address.ts'
import type { StoredRdata, TargetRow } from '../../src/service/model/rows.ts'
import { MAX_TRAIL, type TrailEntry } from '../../src/service/model/trail.ts'
import { MAX_SCANNED } from '../../src/service/store/sql/account/trail.ts'
import type { TrailFilter, TrailQuery } from '../../src/service/store/account/trail.ts'
import type { About, Store, StoreReads, StoreWrites } from '../../src/service/store/store.ts'
import { flushed } from '../service/publish/flushed.ts'
import { swept } from './swept.ts'
import { SMALL_PLAN } from '../small-plan.ts'

const NOW = instant(Date.UTC(2026, 0, 1))
const HASH = new Uint8Array([1, 2, 3])
const V4 = '192.0.2.1' as Address

export interface Fixture {
  readonly accountId: number
  readonly zoneId: number
  readonly keyId: number
  readonly home: TargetRow
}

/** An account with a zone, a name in it and a key for that name. */
export const fill = async (store: Store): Promise<Fixture> =>
  store.write(async (w) => {
    const accountId = await w.addAccount(
      { name: 'acme', hash: HASH, planId: await w.addPlan(SMALL_PLAN) },
      NOW,
    )
    const zoneId = await w.addZone({ accountId, name: 'example.test', isShared: false }, NOW)
    const home = await w.addName({ zoneId, accountId, name: 'home' }, NOW)
    const keyId = await w.addKey(
      { accountId, username: 'abc1234', hash: HASH, description: '', groupLabel: 'house' },
      NOW,
    )
    await w.attach(keyId, home)
    return { accountId, zoneId, keyId, home }
  })

/** The contract of every store. A new backend must pass it. */
export function storeContract(title: string, open: () => Promise<Store>): void {
  describe(`${title} keeps the store contract`, () => {
    let store: Store
    let at: Fixture
    beforeEach(async () => {
      store = await open()
      at = await fill(store)
    })
    afterEach(async () => store.close())
    const valuesOf = async (): Promise<readonly string[]> =>
      (await rdataOf(at.home.fqdn)).map(({ dnsType, value }) => `${dnsType} ${value}`)
    const rdataOf = async (fqdn: string): Promise<readonly StoredRdata[]> =>
      store.read(async (r) => rdataIn(r, fqdn))
    const rdataIn = async (r: StoreReads, fqdn: string): Promise<readonly StoredRdata[]> =>
      (await r.namesByFqdn(fqdn))[0]?.rdata ?? []

    it('finds a key by its username and an account by its exact name', async () => {
      expect(await store.read((r) => r.login('abc1234'))).toEqual({
        kind: 'key',
        id: at.keyId,
        accountId: at.accountId,
        isSuspended: false,
        hash: HASH,
      })
      expect(await store.read((r) => r.login('acme'))).toEqual({
        kind: 'account',
        id: at.accountId,
        accountId: at.accountId,
        isSuspended: false,
        hash: HASH,
      })
      expect(await store.read((r) => r.login('ACME'))).toBeUndefined()
    })

    it('returns the last value of each type that was set', async () => {
      await store.write((w) => w.setSingleValue(at.home, { dnsType: 'A', value: '192.0.2.1' }, NOW))
      await store.write((w) => w.setSingleValue(at.home, { dnsType: 'AAAA', value: '2001:db8::1' }, NOW))
      await store.write((w) => w.setSingleValue(at.home, { dnsType: 'A', value: '192.0.2.2' }, NOW))

      expect((await valuesOf()).toSorted()).toEqual(['A 192.0.2.2', 'AAAA 2001:db8::1'])
    })

    it('changes nothing when the work throws, and commits the work in the same transaction', async () => {
      const failing = store.write(async (w) => {
        await w.setSingleValue(at.home, { dnsType: 'A', value: '192.0.2.1' }, NOW)
        throw new Error('midway')
      })
      const passing = store.write((w) =>
        w.setSingleValue(at.home, { dnsType: 'AAAA', value: '2001:db8::1' }, NOW),
      )

      await expect(failing).rejects.toThrow('midway')
      await passing
      expect(await valuesOf()).toEqual(['AAAA 2001:db8::1'])
    })

    it('runs works that conflict one at a time; a store of one node in the order of the calls', async () => {
      const seen: number[] = []
      const before = await Promise.all(
        Array.from({ length: 50 }, async (_, n) =>
          store.write(async (w) => {
            const { length } = await rdataIn(w, at.home.fqdn)
            await w.setSingleValue(at.home, { dnsType: 'A', value: `192.0.2.${n + 1}` }, NOW)
            seen.push(n)
            return length
          }),
        ),
      )

      expect(before.toSorted()).toEqual([0, ...Array<number>(49).fill(1)])
      expect(await valuesOf()).toEqual([`A 192.0.2.${(seen.at(-1) ?? 0) + 1}`])
      if (!store.isShared) expect(seen).toEqual(Array.from({ length: 50 }, (_, n) => n))
    })

    describe('works that say what they will ask', () => {
      const about = (): About => ({
        username: 'abc1234',
        hostnames: ['home.example.test'],
        peers: ['update 192.0.2.9/32'],
      })
      /** Adds one to the first value of the name. */
      const count = async (w: StoreWrites): Promise<number> => {
        const [name] = await w.namesByFqdn(at.home.fqdn)
        const [rdata] = name?.rdata ?? []
        if (name === undefined || rdata === undefined) throw new Error('the name has no value')
        const next = Number(rdata.value) + 1
        await w.setValue(name, { rdataId: rdata.id, value: String(next) }, NOW)
        await w.touchZone(name.zoneId, NOW)
        return next
      }
      beforeEach(async () => {
        await store.write(async (w) => w.setSingleValue(at.home, { dnsType: 'TXT', value: '0' }, NOW))
      })

      it('see what those before them changed, in the order of the calls', async () => {
        const made = await Promise.all(Array.from({ length: 300 }, async () => store.write(count, about)))

        expect(made).toEqual(Array.from({ length: 300 }, (_, n) => n + 1))
        expect(await valuesOf()).toEqual(['TXT 300'])
      })

      it('may ask for something else, and then still come in their turn', async () => {
        const other = await store.write((w) => w.addName({ ...at, name: 'other' }, NOW))
        const seen: string[] = []
        const works = Array.from({ length: 30 }, async (_, n) =>
          store.write(async (w) => {
            if (n % 7 === 3) {
              await w.setSingleValue(other, { dnsType: 'TXT', value: String(n) }, NOW)
              expect(await w.namesOfKey(at.keyId)).toHaveLength(1)
            }
            const next = await count(w)
            return () => seen.push(`${n} ${next}`)
          }, about),
        )
        for (const done of await Promise.all(works)) done()

        expect(seen).toEqual(Array.from({ length: 30 }, (_, n) => `${n} ${n + 1}`))
        expect((await rdataOf(other.fqdn)).map(({ value }) => value)).toEqual(['24'])
      })

      it('fail alone, with what they counted', async () => {
        const key = { kind: 'key', id: at.keyId, accountId: at.accountId } as const
        const last = { at: NOW, agent: 'Acme', peer: V4, reply: 'good' }
        const works = await Promise.allSettled(
          Array.from({ length: 20 }, async (_, n) =>
            store.write(async (w) => {
              const usage = await w.usageOf(key)
              await w.putUsage(key, { ...usage, nondescriptive: usage.nondescriptive + 1 }, last)
              await count(w)
              if (n % 4 === 1) throw new Error('midway')
            }, about),
          ),
        )

        expect(works.map(({ status }) => status === 'fulfilled')).toEqual(works.map((_, n) => n % 4 !== 1))
        expect(await valuesOf()).toEqual(['TXT 15'])
        expect((await store.read((r) => r.usageOf(key))).nondescriptive).toBe(15)
      })

      it('may change a value back, and come to nothing', async () => {
        const [rdata] = await rdataOf(at.home.fqdn)
        const set = (value: string) => async (w: StoreWrites) => {
          await w.setValue(at.home, { rdataId: rdata?.id ?? 0, value }, NOW)
          await w.touchZone(at.zoneId, NOW)
        }
        await Promise.all([store.write(set('1'), about), store.write(set('0'), about)])
        expect(await valuesOf()).toEqual(['TXT 0'])
      })

      it('may name what does not exist', async () => {
        const nothing = (): About => ({ username: 'no\0body', hostnames: ['no\0.where'], peers: [] })
        const found = await store.write(
          async (w) => [await w.login('no\0body'), await w.namesByFqdn('no\0.where'), await w.hasAccounts()],
          nothing,
        )
        expect(found).toEqual([undefined, [], true])
      })

      it('set a block that the next one obeys', async () => {
        const key = { kind: 'key', id: at.keyId, accountId: at.accountId } as const
        const last = { at: NOW, agent: 'Acme', peer: V4, reply: 'abuse' }
        const blockedUntil = after(NOW, seconds(60))
        const seen = await Promise.all(
          Array.from({ length: 4 }, async (_, n) =>
            store.write(async (w) => {
              const usage = await w.usageOf(key)
              await w.putUsage(key, n === 1 ? { ...usage, blockedUntil } : usage, last)
              return usage.blockedUntil
            }, about),
          ),
        )
        expect(seen).toEqual([undefined, undefined, blockedUntil, blockedUntil])
      })
    })

    it('resolves a write that begins while another runs', async () => {
      const first = store.write(async (w) =>
        w.setSingleValue(at.home, { dnsType: 'A', value: '192.0.2.1' }, NOW),
      )
      await new Promise(setImmediate)
      await Promise.all([
        first,
        store.write(async (w) => w.setSingleValue(at.home, { dnsType: 'A', value: '192.0.2.2' }, NOW)),
      ])

      // Of several nodes there is no order.
      expect(await valuesOf()).toEqual([
        store.isShared ? expect.stringMatching(/^A 192\.0\.2\.[12]$/) : 'A 192.0.2.2',
      ])
    })

    it('finds a name by its fqdn and by its key, and a key by its group', async () => {
      const { accountId, keyId } = at
      const home = {
        ...at.home,
        accountId,
        keyId,
        isProhibited: false,
        isBlocked: false,
        isOffline: false,
        rdata: [],
      }

      expect(await store.read((r) => r.namesOfKey(keyId))).toEqual([home])
      expect(await store.read((r) => r.namesByFqdn('home.example.test'))).toEqual([home])
      expect(await store.read((r) => r.namesByFqdn('away.example.test'))).toEqual([])
      expect(await store.read((r) => r.groupIdOf(accountId, 'house'))).toBe(keyId)
      expect(await store.read((r) => r.groupIdOf(accountId, 'abc1234'))).toBe(keyId)
      expect(await store.read((r) => r.groupIdOf(accountId + 1, 'house'))).toBeUndefined()
    })

    it('lists the name in the longest zone first', async () => {
      await store.write(async (w) => {
        const inner = await w.addZone(
          { accountId: at.accountId, name: 'b.example.test', isShared: false },
          NOW,
        )
        const root = await w.addZone(
          { accountId: at.accountId, name: 'a.b.example.test', isShared: false },
          NOW,
        )
        await w.addName({ zoneId: at.zoneId, accountId: at.accountId, name: 'a.b' }, NOW)
        await w.addName({ zoneId: root, accountId: at.accountId, name: '@' }, NOW)
        await w.addName({ zoneId: inner, accountId: at.accountId, name: 'a' }, NOW)
      })
      const found = await store.read((r) => r.namesByFqdn('a.b.example.test'))

      expect(found.map(({ zoneId }) => zoneId - at.zoneId)).toEqual([2, 1, 0])
    })

    it('finds Rdata that is a target by itself, and sets its value alone', async () => {
      const away = await store.write((w) =>
        w.addName({ zoneId: at.zoneId, accountId: at.accountId, name: 'away' }, NOW),
      )
      await store.write((w) => w.setSingleValue(away, { dnsType: 'A', value: '192.0.2.1' }, NOW))
      const [one] = await rdataOf(away.fqdn)
      await store.write((w) => w.attach(at.keyId, { ...away, rdataId: one?.id ?? 0 }))
      await store.write((w) => w.setValue(away, { rdataId: one?.id ?? 0, value: '192.0.2.9' }, NOW))

      const rdata = [{ id: one?.id, dnsType: 'A', value: '192.0.2.9', keyId: at.keyId }]
      expect(await store.read((r) => r.namesOfKey(at.keyId))).toMatchObject([
        at.home,
        { ...away, keyId: null, rdata },
      ])
      expect(await rdataOf(away.fqdn)).toEqual(rdata)
    })

    it('returns the current data after each kind of change, although it was cached', async () => {
      const current = async (): Promise<unknown> =>
        store.write(async (w) => {
          const [home] = await w.namesByFqdn('home.example.test')
          const login = await w.login('abc1234')
          return [home?.isOffline, home?.keyId, home?.rdata.map(({ value }) => value), login?.hash]
        })
      const [key, hash] = [at.keyId, HASH]
      expect(await current()).toEqual([false, key, [], hash])
      await store.write((w) => w.setSingleValue(at.home, { dnsType: 'A', value: '192.0.2.1' }, NOW))
      expect(await current()).toEqual([false, key, ['192.0.2.1'], hash])
      const [one] = await rdataOf(at.home.fqdn)
      await store.write((w) => w.setValue(at.home, { rdataId: one?.id ?? 0, value: '192.0.2.2' }, NOW))
      expect(await current()).toEqual([false, key, ['192.0.2.2'], hash])
      await store.write((w) => w.setOffline(at.home, true, NOW))
      expect(await current()).toEqual([true, key, ['192.0.2.2'], hash])
      const other = new Uint8Array([9])
      await store.write((w) => w.changeKey(at.keyId, { hash: other }))
      expect(await current()).toEqual([true, key, ['192.0.2.2'], other])
      await store.write((w) => w.setTargets(at.keyId, []))
      expect(await current()).toEqual([true, null, ['192.0.2.2'], other])
      await store.write((w) => w.removeKey(at.keyId, NOW))
      expect(await current()).toEqual([true, null, ['192.0.2.2'], undefined])
      await store.write((w) => w.removeZone(at.zoneId))
      expect(await current()).toEqual([undefined, undefined, undefined, undefined])
    })

    it('caches nothing that was rolled back', async () => {
      const ask = async (w: StoreReads): Promise<unknown> =>
        (await w.namesByFqdn('home.example.test'))[0]?.rdata.map(({ value }) => value)
      const failing = store.write(async (w) => {
        await w.setSingleValue(at.home, { dnsType: 'A', value: '192.0.2.1' }, NOW)
        expect(await ask(w)).toEqual(['192.0.2.1'])
        throw new Error('midway')
      })
      const concurrent = store.write(ask)

      await expect(failing).rejects.toThrow('midway')
      expect([await concurrent, await store.write(ask)]).toEqual([[], []])
    })

    it('stores counters, blocks and the last use', async () => {
      const principal = { kind: 'key', id: at.keyId, accountId: at.accountId } as const
      const peer = parseAddress('192.0.2.9')
      if (peer === undefined) throw new Error('no peer')
      const last = { at: NOW, agent: 'A b/1-1', peer, reply: 'good 192.0.2.1' }
      const [one, many] = [
        { start: 5, count: 1 },
        { start: 4_000_000_000, count: 1_000_001 },
      ]
      const usage = { requests: [one, many], refusals: [many], blockedUntil: NOW, nondescriptive: 2 }
      await store.write(async (w) => {
        await w.putUsage(principal, usage, last)
        await w.putNochgs(principal, 'home.example.test', [one, many])
        await w.putFailures('192.0.2.9', { buckets: [one], blockedUntil: NOW })
      })

      expect(await store.read((r) => r.usageOf(principal))).toEqual(usage)
      expect(await store.read((r) => r.clientsOf(at.accountId, { offset: 0, limit: 9 }))).toEqual({
        items: [
          { username: 'abc1234', agent: 'A b/1-1', address: peer, reply: 'good 192.0.2.1', usedAt: NOW },
        ],
        total: 1,
      })
      expect(await store.read((r) => r.nochgsOf(principal, 'home.example.test'))).toEqual([one, many])
      expect(
        await store.read((r) => r.nochgsOf({ ...principal, kind: 'account' }, 'home.example.test')),
      ).toEqual([])
      expect(await store.read((r) => r.failuresOf('192.0.2.9'))).toEqual({
        buckets: [one],
        blockedUntil: NOW,
      })
      expect(await store.read((r) => r.failuresOf('192.0.2.8'))).toEqual({ buckets: [] })
    })

    it('counts the requests of an account in windows', async () => {
      const count = async (accountId: number, ms: number): Promise<readonly number[]> => {
        const window = await store.countRequest(accountId, instant(NOW + ms), 1000)
        return [window.since - NOW, window.count]
      }
      const other = await store.write(async (w) =>
        w.addAccount({ name: 'other', hash: HASH, planId: await w.planOf(at.accountId) }, NOW),
      )

      expect([await count(at.accountId, 5), await count(at.accountId, 1004)]).toEqual([
        [5, 1],
        [5, 2],
      ])
      expect([await count(other, 1005), await count(at.accountId, 1005)]).toEqual([
        [1005, 1],
        [1005, 1],
      ])
    })

    it('writes something with every probe', async () => {
      const written = async (): Promise<unknown> => store.read(async (r) => r.fact('ready'))

      expect(await written()).toBeUndefined()
      await store.probe(NOW)
      expect(await written()).toBeDefined()
    })

    it('sets a name offline and online', async () => {
      await store.write((w) => w.setOffline(at.home, true, NOW))
      expect(await store.read((r) => r.namesOfKey(at.keyId))).toMatchObject([{ isOffline: true }])
      await store.write((w) => w.setOffline(at.home, false, NOW))
      expect(await store.read((r) => r.namesOfKey(at.keyId))).toMatchObject([{ isOffline: false }])
      expect(await store.read((r) => r.hasOffline(at.accountId))).toBe(true)
    })

    it('takes names of every zone that has changed into a flush', async () => {
      const other = await store.write((w) =>
        w.addZone({ accountId: at.accountId, name: 'other.test', isShared: false }, NOW),
      )
      await store.write(async (w) => {
        for (let n = 0; n < 50; n++)
          await w.addName({ zoneId: at.zoneId, accountId: at.accountId, name: `n${n}` }, NOW)
      })
      // Of three zones, with the catalog; of each at least five names, which is a new zone in one step.
      for (const [limit, share] of [
        [30, 10],
        [9, 5],
        [2, 2],
      ] as const) {
        const zones = (await store.write((w) => w.dirtyNames(limit))).map(({ zoneId }) => zoneId)
        expect([zones.filter((id) => id === at.zoneId).length, zones.includes(other)]).toEqual([share, true])
      }
    })

    it('raises every serial after a restore, by the time since the last change in the backup', async () => {
      await flushed(store, undefined, NOW)
      const serials = async () =>
        (await store.read((r) => r.publishedZones(-1, 9))).map(({ serial }) => serial)
      const before = await serials()
      await store.write((w) => w.raiseSerialsAfter(after(NOW, seconds(10))))
      expect(await serials()).toEqual(before.map((serial) => serial + 501))

      const { zones } = await flushed(store, undefined, NOW)
      expect(zones.map(({ serial }) => serial)).toEqual(before.map((serial) => serial + 502))
    })

    it('gives no id of a removed key or account to another one', async () => {
      const key = async (username: string) =>
        store.write((w) => w.addKey({ accountId: at.accountId, username, hash: HASH, description: '' }, NOW))
      const first = await key('key0001')
      await store.write((w) => w.removeKey(first, NOW))
      expect(await key('key0002')).toBeGreaterThan(first)

      const apiKey = async () =>
        store.write((w) =>
          w.addApiKey(
            { accountId: at.accountId, hash: new Uint8Array([9]), description: '', scopes: [] },
            NOW,
          ),
        )
      const number = await apiKey()
      await store.write((w) => w.removeApiKey(number))
      expect(await apiKey()).toBeGreaterThan(number)

      const account = async (name: string) =>
        store.write(async (w) =>
          w.addAccount({ name, hash: HASH, planId: await w.planOf(at.accountId) }, NOW),
        )
      const second = await account('second')
      await store.write((w) => w.removeAccount(second))
      await swept(store)
      expect(await account('third')).toBeGreaterThan(second)
    })

    describe('the trail of an account', () => {
      const entry = (at: number, more: Partial<TrailEntry> = {}): TrailEntry => ({
        at: instant(at),
        accountId: 1,
        isUpdate: false,
        actor: 'account acme',
        peer: '192.0.2.9',
        operation: 'createName',
        subject: 'home.example.test',
        ...more,
      })
      const update = { isUpdate: true, actor: 'key abc1234', operation: 'update' } as const
      const add = async (...entries: readonly TrailEntry[]): Promise<void> =>
        store.write(async (w) => {
          for (const one of entries) await w.addTrail([one])
        })
      const page = async (query: Partial<TrailQuery> = {}) =>
        store.read(async (r) => r.trailPage(1, { filter: {}, limit: 9, ...query }))

      it('is read by pages, both parts by time, the newest first', async () => {
        const all = [
          entry(1, { ...update, dnsType: 'A', before: '60 192.0.2.1', after: '60 192.0.2.2' }),
          entry(2),
          entry(3, { subject: 'abc1234', operation: 'createKey' }),
          entry(4, update),
          entry(5),
        ]
        await add(...all, entry(6, { accountId: 2 }))
        expect(await page()).toEqual({ entries: all.toReversed() })
        const first = await page({ limit: 2 })
        expect(first.entries).toEqual([all[4], all[3]])
        const second = await page({ limit: 2, ...(first.next && { place: first.next }) })
        expect(second.entries).toEqual([all[2], all[1]])
        // An entry that comes meanwhile belongs to no older page.
        await add(entry(7))
        expect(await page({ limit: 2, ...(second.next && { place: second.next }) })).toEqual({
          entries: [all[0]],
        })
        expect((await store.read(async (r) => r.trailPage(3, { filter: {}, limit: 9 }))).entries).toEqual([])
      })

      it('is filtered by each condition, all together', async () => {
        const subjects = [
          'example.test',
          'a.b.example.test',
          'xexample.test',
          'test',
          'example.test.com',
          'e',
        ]
        await add(...subjects.map((subject, n) => entry(n, { subject })), entry(9, update))
        const found = async (filter: TrailFilter) =>
          (await page({ filter })).entries.map(({ at }) => Number(at))
        expect(await found({ zone: 'example.test' })).toEqual([9, 1, 0])
        expect(await found({ subject: 'example.test' })).toEqual([0])
        expect(await found({ operation: 'update' })).toEqual([9])
        expect(await found({ actor: 'account acme', from: instant(2), to: instant(4) })).toEqual([3, 2])
        expect(await found({ zone: 'example.test', actor: 'key abc1234', from: instant(9) })).toEqual([9])
        expect(await found({ zone: 'example.test', to: instant(0) })).toEqual([])
        expect(await found({ subject: 'none' })).toEqual([])
      })

      it('is looked through in pages of a limited number of entries', async () => {
        await store.write(async (w) => {
          await w.addTrail([entry(1, { subject: 'old' }), entry(2, { subject: 'older' })])
          await w.addTrail([entry(1, { ...update, subject: 'old' })])
        })
        for (let from = 0; from < MAX_SCANNED; from += 1000)
          await store.write(async (w) =>
            w.addTrail(
              Array.from({ length: Math.min(1000, MAX_SCANNED - from) }, (_, n) => entry(from + n + 3)),
            ),
          )
        const none = await page({ filter: { subject: 'old' } })
        expect([none.entries, none.next]).toEqual([[], expect.anything()])
        const rest = await page({ filter: { subject: 'old' }, ...(none.next && { place: none.next }) })
        expect(rest).toEqual({
          entries: [entry(1, { ...update, subject: 'old' }), entry(1, { subject: 'old' })],
        })
        // Without a filter the newest are found at once.
        expect((await page({ limit: 1 })).entries).toEqual([entry(MAX_SCANNED + 2)])
      })
    })

    it('keeps the last entries of the trail of an account, those of updates apart, until they are old', async () => {
      const entry = (n: number, isUpdate: boolean) => ({
        at: after(NOW, seconds(n)),
        accountId: at.accountId,
        isUpdate,
        actor: 'key abc1234',
        peer: '192.0.2.9',
        operation: 'update',
        subject: 'home.example.test',
        dnsType: 'A',
        after: `192.0.2.${n}`,
      })
      const count = MAX_TRAIL.updates + 150
      await store.write(async (w) => w.addTrail([entry(1, false), entry(2, false)]))
      for (let n = 0; n < count; n += 1000) {
        const part = Array.from({ length: Math.min(1000, count - n) }, (_, i) => entry(n + i, true))
        await store.write(async (w) => w.addTrail(part))
      }
      const first = { accountId: -1, isUpdate: false }
      const pruned = async (before: typeof NOW): Promise<void> =>
        store.write(async (w) => {
          for (let part = await w.pruneTrail(first, before); part !== undefined; )
            part = await w.pruneTrail(part, before)
        })
      await pruned(NOW)
      const kept = async (name = 'home.example.test') =>
        store.read(async (r) => r.overview('trail', { filter: { name }, now: NOW }))
      const [newest] = await kept()
      expect(newest).toMatchObject({
        account: 'acme',
        by: 'key abc1234',
        type: 'A',
        before: null,
        after: `192.0.2.${count - 1}`,
      })
      const rows = async () => (await kept()).length
      expect(await rows()).toBe(1000)
      for (let round = 0; round < 30; round++) await pruned(after(NOW, seconds(count - 20)))
      expect((await kept()).map(({ at: when }) => when)).toHaveLength(20)
    })

    it('keeps the changes of the operator until they are removed, in their order', async () => {
      const change = { at: NOW, operator: 'root', operation: 'account suspend', subject: 'acme' }
      await store.write(async (w) => {
        await w.addOperatorChange(change)
        await w.addOperatorChange({ ...change, operation: 'account resume' })
      })
      // They are in the trail too, for longer.
      const entries = await store.read((r) => r.overview('trail', { filter: { name: 'acme' }, now: NOW }))
      expect(entries.map(({ by, operation }) => [by, operation])).toContainEqual([
        'operator root',
        'account suspend',
      ])
      const set = { ...change, operation: 'zone set', subject: 'acme.test prohibited=yes' }
      await store.write(async (w) => w.addOperatorChange(set))
      expect(
        await store.read((r) => r.overview('trail', { filter: { name: 'acme.test' }, now: NOW })),
      ).toMatchObject([{ operation: 'zone set', after: 'prohibited=yes' }])
      const [first, second, last] = await store.read((r) => r.operatorChanges())
      expect([first, second, last]).toMatchObject([change, { operation: 'account resume' }, set])
      await store.write(async (w) => w.removeOperatorChanges(first?.id ?? 0))
      expect(await store.read((r) => r.operatorChanges())).toEqual([second, last])

      await store.write(async (w) => w.removeOperatorChanges(last?.id ?? 0))
      await store.write(async (w) => w.addOperatorChange(change))
      const [third] = await store.read((r) => r.operatorChanges())
      expect(third?.id).toBeGreaterThan(last?.id ?? Infinity)
    })

    it('rejects a second zone, name or key of the same name', async () => {
      await expect(
        store.write((w) =>
          w.addZone({ accountId: at.accountId, name: 'example.test', isShared: false }, NOW),
        ),
      ).rejects.toThrow()
      await expect(
        store.write((w) => w.addName({ zoneId: at.zoneId, accountId: at.accountId, name: 'home' }, NOW)),
      ).rejects.toThrow()
      await expect(
        store.write((w) =>
          w.addKey({ accountId: at.accountId, username: 'abc1234', hash: HASH, description: '' }, NOW),
        ),
      ).rejects.toThrow()
    })

    it('finds keys by their descriptions, without case of the letters of ASCII alone', async () => {
      const descriptions = ['House', 'qÄq', 'qäq', 'qIq', 'qıq']
      await store.write(async (w) => {
        for (const [n, description] of descriptions.entries())
          await w.addKey({ accountId: at.accountId, username: `key${n}`, hash: HASH, description }, NOW)
      })
      const found = async (description: string) =>
        (
          await store.read(async (r) =>
            r.keysOf(at.accountId, { description, page: { limit: 9, offset: 0 } }),
          )
        ).items.map((one) => one.description)

      expect(await found('hOUS')).toEqual(['House'])
      expect(await found('QÄ')).toEqual(['qÄq'])
      expect(await found('qä')).toEqual(['qäq'])
      expect(await found('qi')).toEqual(['qIq'])
    })
  })
}
