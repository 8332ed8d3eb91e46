import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { after, instant, minutes } from '../../src/shared/base/time.ts'
import type { Address } from '../../src/shared/base/address.ts'
import type { Name } from '../../src/service/model/tree.ts'
import { OVERVIEWS } from '../../src/service/store/overview.ts'
import type { SweptPlace } from '../../src/service/store/bulk.ts'
import type { Store, StoreReads, StoreWrites } from '../../src/service/store/store.ts'
import { flushed } from '../service/publish/flushed.ts'
import { publishedIn } from '../service/publish/zones.ts'
import { type Fixture, fill } from './store.ts'
import { swept } from './swept.ts'

const NOW = instant(Date.UTC(2026, 0, 1))
const LATER = after(NOW, minutes(1))
const HASH = new Uint8Array([7])
const PAGE = { offset: 0, limit: 99 }
const ZONE = 'example.test'

const SESSION = { createdAt: NOW, seenAt: NOW, provedAt: NOW, needsFactor: false, peer: '', program: '' }
const TSIG_KEY = { algorithm: 'hmac-sha256', sealed: HASH, description: '', scopes: [] }

const named = (zoneId: number, accountId: number, name: string, value = '192.0.2.1'): Name => ({
  zoneId,
  accountId,
  name,
  isProhibited: false,
  isBlocked: false,
  isImplicit: false,
  isOffline: false,
  metadata: { colour: 'red' },
  rrsets: [
    {
      dnsType: 'A',
      ttl: 300,
      isSystem: false,
      metadata: { a: 'b' },
      rdata: [{ label: '_1', value, updateGroup: 'abc1234', isSystem: false }],
      createdAt: NOW,
      updatedAt: NOW,
    },
  ],
  createdAt: NOW,
  updatedAt: NOW,
})

/** The names of hidden zones, accounts and keys, which no reader finds. */
const each = async <T>(ask: (name: string) => Promise<T>): Promise<readonly T[]> =>
  Promise.all(['#draft 1', ...Array.from({ length: 9 }, (_, n) => `#${n}`)].map(ask))

/** Each read with what it is asked here; a read that is added needs a row. */
const asked = (at: Fixture) =>
  ({
    account: async (r) => r.account(at.accountId),
    accountCounts: async (r) => r.accountCounts(at.accountId),
    apiKeyByHash: async (r) => r.apiKeyByHash(HASH),
    apiKeyOf: async (r) => r.apiKeyOf(at.accountId, 1),
    apiKeysOf: async (r) => r.apiKeysOf(at.accountId, PAGE),
    clientsOf: async (r) => r.clientsOf(at.accountId, PAGE, { names: ['gone.test'] }),
    countNamesOfOthers: async (r) => r.countNamesOfOthers(at.zoneId, 0),
    delegationAbove: async (r) => r.delegationAbove(at.zoneId, 'a.home'),
    fact: async (r) => r.fact('a fact'),
    failuresOf: async (r) => r.failuresOf('192.0.2.9'),
    groupIdOf: async (r) => r.groupIdOf(at.accountId, 'house'),
    hasAccounts: async (r) => r.hasAccounts(),
    hasDirtyNames: undefined,
    hasDirtyNamesAmong: async (r) => r.hasDirtyNamesAmong(at.zoneId, ['none']),
    handledUpdate: async (r) => r.handledUpdate(HASH),
    hasHidden: undefined,
    hasLockedNames: async (r) => [
      await r.hasLockedNames(at.zoneId),
      await r.hasLockedNames(at.zoneId, 'home.example.test'),
    ],
    hasOffline: async (r) => r.hasOffline(at.accountId),
    hasOthersBeneath: async (r) => [
      await r.hasOthersBeneath('gone.test', at.accountId),
      await r.hasOthersBeneath('example.test', 0),
    ],
    hasPublishedBelow: async (r) => r.hasPublishedBelow(at.zoneId, 'none'),
    hiddenBeneath: async (r) => r.hiddenBeneath({ id: at.zoneId, name: ZONE }, 'a.home'),
    holdingsOf: async (r) => r.holdingsOf(at.accountId),
    apexHoldingsOf: async (r) => r.apexHoldingsOf(at.accountId),
    isMember: async (r) => r.isMember(at.zoneId, at.accountId),
    keyNamed: async (r) => [
      await r.keyNamed('abc1234'),
      await r.keyNamed('key-of-gone'),
      ...(await each(async (name) => r.keyNamed(name))),
    ],
    keysOf: async (r) => r.keysOf(at.accountId, { page: PAGE }),
    nameStatesOf: async (r) => [...(await r.nameStatesOf([at.home.nameId]))],
    zoneStatesOf: async (r) => [...(await r.zoneStatesOf([at.zoneId]))],
    zonesAwaitingProof: async (r) => r.zonesAwaitingProof(10),
    zoneTotals: async (r) => r.zoneTotals(),
    keysOfNames: async (r) => r.keysOfNames(at.accountId, [at.home.nameId]),
    login: async (r) => [
      await r.login('gone'),
      await r.login('key-of-gone'),
      await r.login('acme'),
      await r.login('abc1234'),
      ...(await each(async (name) => r.login(name))),
    ],
    nameAt: async (r) => r.nameAt(at.zoneId, 'home'),
    namesAfter: async (r) => [
      await r.namesAfter({ accountId: at.accountId }, 0, 99),
      await r.namesAfter({ zoneId: at.zoneId }, 0, 99),
    ],
    namesAt: async (r) => r.namesAt(at.zoneId, ['home', 'next']),
    namesBy: async (r) => [
      await r.namesBy({ accountId: at.accountId, page: PAGE, sort: [], filter: {} }),
      await r.namesBy({
        accountId: at.accountId,
        page: PAGE,
        sort: [{ key: 'created_at', direction: 'desc' }],
        filter: {},
      }),
      await r.namesBy({ accountId: at.accountId, page: PAGE, sort: [], filter: { dnsTypes: ['A'] } }),
      await r.namesBy({ accountId: at.accountId, zoneId: at.zoneId, page: PAGE, sort: [], filter: {} }),
    ],
    namesByFqdn: async (r) => [
      await r.namesByFqdn('home.example.test'),
      await r.namesByFqdn('next.example.test'),
      await r.namesByFqdn('www.gone.test'),
    ],
    namesOfKey: async (r) => r.namesOfKey(at.keyId),
    neighboursOf: async (r) =>
      r.neighboursOf({ id: at.zoneId, name: ZONE }, { name: 'a.home', accountId: 0 }),
    nochgsOf: async (r) =>
      r.nochgsOf({ kind: 'key', id: at.keyId, accountId: at.accountId }, 'home.example.test'),
    operatorChanges: async (r) => r.operatorChanges(),
    overview: async (r) => Promise.all(OVERVIEWS.map(async (of) => r.overview(of, { filter: {}, now: NOW }))),
    pointersTo: async (r) => r.pointersTo(at.zoneId, 'home.example.test'),
    publicationOf: async (r) => (await r.publicationOf(at.zoneId, 9)).pending,
    publishedAfter: async (r) => r.publishedAfter(at.zoneId, undefined, 99),
    publishedAt: async (r) => r.publishedAt(at.zoneId, 'home'),
    publishedZone: async (r) => [
      await r.publishedZone(ZONE),
      await r.publishedZone('gone.test'),
      ...(await each(async (name) => r.publishedZone(name))),
    ],
    publishedZones: async (r) => (await r.publishedZones(0, 99)).map(({ apex }) => apex),
    codesFor: async (r) => r.codesFor('invitation', NOW),
    factorsOf: async (r) => r.factorsOf(at.accountId),
    hasFactor: async (r) => r.hasFactor(at.accountId),
    codeWith: async (r) => r.codeWith(HASH, 'reset', NOW),
    eventsOf: async (r) => r.eventsOf(at.accountId, 10),
    signInsOf: async (r) => r.signInsOf(at.accountId, 10),
    unsentMails: async (r) => r.unsentMails(NOW, 10),
    sessionByHash: async (r) => r.sessionByHash(HASH),
    sessionsOf: async (r) => r.sessionsOf(at.accountId, PAGE, { created: NOW, seen: NOW }),
    stepNumber: async (r) => r.stepNumber(at.zoneId, 0),
    steps: async (r) => r.steps(at.zoneId, 999, 9),
    stepsSize: async (r) => r.stepsSize(at.zoneId, 999),
    storedState: async (r) => r.storedState(at.zoneId, 'home'),
    summariesBy: async (r) => r.summariesBy({ accountId: at.accountId, page: PAGE, sort: [], filter: {} }),
    totals: async (r) => r.totals(NOW),
    trailPage: async (r) => r.trailPage(at.accountId, { filter: {}, limit: 9 }),
    tsigKeyNamed: async (r) => r.tsigKeyNamed('key-gone'),
    tsigKeysOf: async (r) => r.tsigKeysOf(at.accountId, PAGE),
    sanctionsOf: async (r) => r.sanctionsOf(at.accountId),
    keyRestrictions: async (r) => r.keyRestrictions(at.keyId),
    hasPasskey: async (r) => r.hasPasskey(HASH),
    hasAccountLike: async (r) => r.hasAccountLike('ACME'),
    collidingAccounts: async (r) => r.collidingAccounts(),
    zoneNames: async (r) => r.zoneNames(),
    groupNamed: async (r) => r.groupNamed('key0000'),
    outlineAt: async (r) => r.outlineAt(at.zoneId, 'home'),
    zonePrints: async (r) => [...(await r.zonePrints(at.zoneId))],
    usageOf: async (r) => r.usageOf({ kind: 'key', id: at.keyId, accountId: at.accountId }),
    zoneContaining: async (r) => [
      await r.zoneContaining('home.example.test'),
      await r.zoneContaining('www.gone.test'),
    ],
    zoneInside: async (r) => [
      await r.zoneInside({ name: 'test' }, 'www.gone'),
      await r.zoneInside({ name: 'test' }, 'home.example'),
    ],
    zoneNamed: async (r) => [
      await r.zoneNamed(ZONE),
      await r.zoneNamed('gone.test'),
      ...(await each(async (name) => r.zoneNamed(name))),
    ],
    zoneRules: async (r) => r.zoneRules(at.zoneId),
    zonesChangedSince: async (r) =>
      (await r.zonesChangedSince(NOW, 99)).map(({ apex }) => apex).filter((apex) => apex !== ''),
    zonesOf: async (r) => [
      await r.zonesOf(at.accountId, { page: PAGE }),
      await r.zonesOf(at.accountId, { page: PAGE, isShared: true }),
    ],
  }) satisfies Readonly<Record<string, ((r: StoreReads) => Promise<unknown>) | undefined>>

/** The contract of every store with changes in steps (decision 0050). */
export function bulkContract(title: string, open: () => Promise<Store>): void {
  describe(`${title} keeps the contract of changes in steps`, () => {
    let store: Store
    let at: Fixture
    beforeEach(async () => {
      store = await open()
      at = await fill(store)
    })
    afterEach(async () => store.close())

    const draftWith = async (names: readonly Name[]): Promise<number> => {
      const draft = await store.write(async (w) => w.addDraft(at.zoneId, LATER, NOW))
      if (draft === undefined) throw new Error('there is a draft already')
      await store.write(async (w) => w.fillDraft(draft, names, LATER))
      return draft
    }
    const own = (name: string, value?: string): Name => named(at.zoneId, at.accountId, name, value)
    const replaced = async (draft: number): Promise<boolean> => {
      return store.write(async (w) => {
        if ((await w.lockOfDraft(draft)) === undefined) return false
        await w.replaceByDraft(draft, LATER)
        return true
      })
    }
    const fqdns = async (fqdn: string) =>
      (await store.read(async (r) => r.namesByFqdn(fqdn))).flatMap(({ rdata }) =>
        rdata.map(({ value }) => value),
      )
    const everything = async () => {
      const answers: Record<string, unknown> = {}
      for (const [name, ask] of Object.entries(asked(at)) as [
        string,
        ((r: StoreReads) => Promise<unknown>) | undefined,
      ][])
        if (ask !== undefined) answers[name] = await store.read(ask)
      return answers
    }

    it('shows a draft, and what is removed, to no read', async () => {
      const principal = { kind: 'key', id: at.keyId, accountId: at.accountId } as const
      const usage = { requests: [], refusals: [], nondescriptive: 0 }
      const last = { at: NOW, agent: 'a', peer: '192.0.2.9' as Address, reply: 'good' }
      await store.write(async (w) => w.putUsage(principal, usage, last))
      await store.write(async (w) => w.touchZone(at.zoneId, NOW))
      await flushed(store, undefined, NOW)
      const before = await everything()
      await draftWith([own('home', '192.0.2.66'), own('next')])
      await store.write(async (w) => {
        const zoneId = await w.addZone({ accountId: at.accountId, name: 'gone.test', isShared: true }, NOW)
        await w.saveName({ ...named(zoneId, at.accountId, 'www'), updateGroup: 'abc1234' }, NOW)
        const planId = await w.planOf(at.accountId)
        const accountId = await w.addAccount({ name: 'gone', hash: HASH, planId }, NOW)
        await w.addKey({ accountId, username: 'key-of-gone', hash: HASH, description: '' }, NOW)
        await w.addApiKey({ accountId, hash: HASH, description: '', scopes: [] }, NOW)
        await w.addTsigKey({ ...TSIG_KEY, accountId, name: 'key-gone' }, NOW)
        const code = {
          purpose: 'reset',
          grant: '{}',
          createdAt: NOW,
          expiresAt: minutesAfter(LATER),
        } as const
        await w.addCode({ ...code, hash: HASH, accountId })
        await w.addSession(
          { ...SESSION, hash: HASH, accountId },
          { created: NOW, seen: NOW, max: 100, credential: 'account password' },
        )
        const other = await w.addZone({ accountId, name: 'b.gone.test', isShared: true }, NOW)
        await w.saveName(named(other, accountId, 'www'), NOW)
        await w.saveName(named(at.zoneId, accountId, 'of-gone'), NOW)
        await w.removeAccount(accountId)
        await w.removeZone(zoneId)
        expect(await each(async (name) => w.accountNamed(name))).toEqual(Array(10).fill(undefined))
      })
      await flushed(store, undefined, NOW)
      expect(await store.read(async (r) => r.hasHidden())).toBe(true)
      const now = await everything()
      for (const [name, answer] of Object.entries(before))
        expect.soft(withoutSerials(now[name]), name).toEqual(withoutSerials(answer))

      await swept(store, { now: minutesAfter(LATER) })
      expect(await store.read(async (r) => r.hasHidden())).toBe(false)
      expect(withoutSerials(await everything())).toEqual(withoutSerials(before))
    })

    it('asks each read of a store in the test above', async () => {
      const reads = await store.read(async (r) => Object.keys(r))
      const writes = await store.write(async (w) => Object.keys(w))
      // In memory, a read has the writes too.
      if (reads.length < writes.length) expect(Object.keys(asked(at))).toEqual(expect.arrayContaining(reads))
    })

    it('replaces the content of a zone at one moment, with its settings, and publishes it at one moment', async () => {
      await store.write(async (w) => {
        await w.saveName(own('old'), NOW)
        await w.changeZone(at.zoneId, {
          isMembersOnly: true,
          maxLabels: 3,
          description: 'the house',
          defaultTtl: 90,
        })
        await w.setMember(at.zoneId, at.accountId, true)
        await w.setZoneMetadata(at.zoneId, { owner: 'me' })
      })
      await flushed(store, undefined, NOW)
      const zone = await store.read(async (r) => r.zoneNamed(ZONE))
      const draft = await draftWith([own('home', '192.0.2.66'), own('next')])
      await flushed(store, undefined, NOW)
      expect(await store.write(async (w) => w.countUnpublished(draft))).toBe(0)
      expect([await publishedIn(store, ZONE), await fqdns('next.example.test')]).toEqual([
        expect.arrayContaining([expect.stringContaining('old 300 A')]),
        [],
      ])

      expect(await replaced(draft)).toBe(true)
      const now = await store.read(async (r) => r.zoneNamed(ZONE))
      expect(now).toEqual({ ...zone, id: draft, serial: expect.any(Number), updatedAt: LATER })
      expect(now).toMatchObject({ description: 'the house', defaultTtl: 90 })
      expect(now?.serial).toBeGreaterThan(zone?.serial ?? Infinity)
      expect(await store.read(async (r) => r.isMember(draft, at.accountId))).toBe(true)
      const published = (await publishedIn(store, ZONE)).filter((line) => line.includes(' A '))
      expect(published).toEqual(['home 300 A 192.0.2.66', 'next 300 A 192.0.2.1'])
      expect([await fqdns('old.example.test'), await fqdns('home.example.test')]).toEqual([
        [],
        ['192.0.2.66'],
      ])
      expect(await store.read(async (r) => r.holdingsOf(at.accountId))).toEqual({ names: 2, rdata: 2 })
      // Name servers are told: the next flush gives a new serial, without a step from the old content.
      const { zones } = await flushed(store, undefined, LATER)
      expect(zones.map(({ apex }) => apex)).toContain(ZONE)
      expect(await store.read(async (r) => r.stepNumber(draft, zone?.serial ?? 0))).toBeUndefined()

      await swept(store)
      expect(await store.read(async (r) => r.nameAt(at.zoneId, 'old'))).toBeUndefined()
      expect((await store.read(async (r) => r.nameAt(draft, 'home')))?.rrsets[0]).toEqual(
        own('home', '192.0.2.66').rrsets[0],
      )
    })

    it('replaces no zone that is gone', async () => {
      const draft = await draftWith([own('next')])
      await store.write(async (w) => w.removeZone(at.zoneId))
      expect(await replaced(draft)).toBe(false)
      await flushed(store, undefined, NOW)
      await swept(store, { now: minutesAfter(LATER) })
      expect(await store.read(async (r) => r.hasHidden())).toBe(false)
      expect(await fqdns('next.example.test')).toEqual([])
    })

    it('has another print for a name where a value, a lock, a block or a key has changed', async () => {
      const target = await store.write(async (w) =>
        w.addName({ zoneId: at.zoneId, accountId: at.accountId, name: 'held' }, NOW),
      )
      const changes: readonly ((w: StoreWrites) => Promise<unknown>)[] = [
        async (w) =>
          w.setSingleValue(
            { nameId: target.nameId, fqdn: target.fqdn },
            { dnsType: 'A', value: '192.0.2.1' },
            NOW,
          ),
        async (w) => w.lockName(target.nameId, true),
        async (w) => w.blockName(target.nameId, true),
        async (w) => w.setTargets(at.keyId, [target.nameId]),
        async (w) => w.setTargets(at.keyId, []),
      ]
      for (const [n, change] of changes.entries()) {
        const print = async () => (await store.read(async (r) => r.zonePrints(at.zoneId))).get('held')
        const before = await print()
        await store.write(change)
        expect(await print(), `${n}`).not.toBe(before)
      }
    })

    it('fills no draft whose zone is gone', async () => {
      const draft = await draftWith([own('next')])
      await store.write(async (w) => w.removeZone(at.zoneId))
      await flushed(store, undefined, NOW)
      await swept(store, { now: minutesAfter(LATER) })
      expect(await store.write(async (w) => w.fillDraft(draft, [own('more')], LATER))).toBe(false)
    })

    it('makes one draft of a zone at a time, and gives up one whose lease is over', async () => {
      const first = await draftWith([own('next')])
      const again = async (now = NOW) =>
        store.write(async (w) => w.addDraft(at.zoneId, minutesAfter(LATER), now))
      expect(await again()).toBeUndefined()
      const second = await again(minutesAfter(LATER))
      expect(second).toBeGreaterThan(first)
      expect(await replaced(first)).toBe(false)
      await swept(store, { now: LATER })
      expect(await replaced(second ?? 0)).toBe(true)
    })

    it('deletes in steps of at most so many names', async () => {
      await store.write(async (w) => {
        for (let n = 0; n < 25; n++) await w.saveName(own(`n${n}`), NOW)
      })
      await flushed(store, undefined, NOW)
      await store.write(async (w) => w.removeZone(at.zoneId))
      let steps = 0
      let from: SweptPlace | undefined
      do from = await store.write(async (w) => w.sweepHidden(10, NOW, from))
      while (from !== undefined && ++steps < 1000)
      expect(steps).toBeGreaterThan(5)
    })

    it('a removed zone comes again with a higher serial', async () => {
      await flushed(store, undefined, NOW)
      const before = await store.read(async (r) => r.publishedZone(ZONE))
      await store.write(async (w) => w.removeZone(at.zoneId))
      const zone = { accountId: at.accountId, name: ZONE, isShared: false }
      await store.write(async (w) => w.addZone(zone, NOW))
      expect((await store.read(async (r) => r.publishedZone(ZONE)))?.serial).toBeGreaterThan(
        before?.serial ?? Infinity,
      )
      await swept(store)
      expect((await store.read(async (r) => r.zoneNamed(ZONE)))?.name).toBe(ZONE)
    })
  })
}

const minutesAfter = (at: typeof NOW) => after(at, minutes(1))

/** The catalog changes when zones come and go. */
const withoutSerials = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value ?? null, (key, one: unknown) => (key === 'serial' ? 0 : one)))
