import { flushed } from '../service/publish/flushed.ts'
import { publishedIn } from '../service/publish/zones.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { after, type Instant, instant, minutes } from '../../src/shared/base/time.ts'
import type { Address } from '../../src/shared/base/address.ts'
import type { DnsType } from '../../src/service/model/rdata/types.ts'
import type { NamesOf } from '../../src/service/store/records.ts'
import type { Name } from '../../src/service/model/tree.ts'
import type { Store } from '../../src/service/store/store.ts'
import { type Fixture, fill } from './store.ts'
import { swept } from './swept.ts'

const NOW = instant(Date.UTC(2026, 0, 1))
const LATER = after(NOW, minutes(1))

/** The contract of every store with the management API. */
export function recordsContract(title: string, open: () => Promise<Store>): void {
  describe(`${title} keeps the contract of records`, () => {
    let store: Store
    let at: Fixture
    beforeEach(async () => {
      store = await open()
      at = await fill(store)
    })
    afterEach(async () => store.close())

    const tree = (name: string, over: Partial<Name> = {}): Name => ({
      zoneId: at.zoneId,
      accountId: at.accountId,
      name,
      isProhibited: false,
      isBlocked: false,
      isOffline: false,
      metadata: { colour: 'red', size: 'xl' },
      rrsets: [
        {
          dnsType: 'A',
          ttl: 300,
          isSystem: false,
          metadata: { a: 'b' },
          rdata: [
            { label: 'one', value: '192.0.2.1', isSystem: false },
            { label: 'Two', value: '192.0.2.2', isSystem: false, updateGroup: 'abc1234' },
          ],
          createdAt: NOW,
          updatedAt: NOW,
        },
        {
          dnsType: 'TXT',
          ttl: 60,
          isSystem: true,
          metadata: {},
          rdata: [{ label: '_1', value: '"x"', isSystem: true }],
          createdAt: NOW,
          updatedAt: NOW,
        },
      ],
      createdAt: NOW,
      updatedAt: NOW,
      ...over,
    })
    const keep = async (name: Name): Promise<void> => store.write(async (w) => w.saveName(name, NOW))
    const kept = async (name: string): Promise<Name | undefined> =>
      store.read(async (r) => r.nameAt(at.zoneId, name))

    it('remembers that a name is implicit, also after a change', async () => {
      await keep(tree('made', { isImplicit: true }))
      const made = await kept('made')
      expect(made?.isImplicit).toBe(true)
      if (made !== undefined) await keep({ ...made, metadata: {} })
      expect((await kept('made'))?.isImplicit).toBe(true)
      await keep(tree('other'))
      expect((await kept('other'))?.isImplicit).toBeUndefined()
    })

    it('returns a name as it was saved', async () => {
      const wanted = tree('whole', {
        isOffline: true,
        offlineSettings: { action: 'redirect', url: 'https://x.test/' },
        updateGroup: 'abc1234',
      })
      await keep(wanted)

      const { id, ...rest } = (await kept('whole')) ?? {}
      expect(id).toBeTypeOf('number')
      expect(rest).toEqual(wanted)
    })

    it('replaces everything stored at a name', async () => {
      await keep(tree('changing'))
      const before = await kept('changing')
      if (before === undefined) throw new Error('it is not there')
      const [a] = before.rrsets
      if (a === undefined) throw new Error('nothing at it')
      await keep({
        ...before,
        metadata: { colour: 'blue' },
        rrsets: [
          { ...a, ttl: 60, metadata: {}, rdata: [{ label: 'two', value: '192.0.2.9', isSystem: false }] },
        ],
      })

      expect(await kept('changing')).toMatchObject({
        metadata: { colour: 'blue' },
        rrsets: [{ dnsType: 'A', ttl: 60, metadata: {}, rdata: [{ value: '192.0.2.9' }] }],
      })
      expect((await kept('changing'))?.rrsets).toHaveLength(1)
    })

    it('renames a name with everything at it, and publishes both spellings in one flush', async () => {
      const zone = async () => store.read(async (r) => r.zoneNamed('example.test'))
      await keep(tree('before', { updateGroup: 'abc1234', offlineSettings: { action: 'none' } }))
      await flushed(store)
      const [name, held] = [await kept('before'), await store.read(async (r) => r.holdingsOf(at.accountId))]
      if (name === undefined) throw new Error('it is not there')
      await store.write(async (w) => w.namesByFqdn('before.example.test'))
      await store.write(async (w) => w.renameName(name, 'a.after', LATER))

      const { publishedAt: _, ...rest } = name
      expect(await kept('a.after')).toEqual({ ...rest, name: 'a.after', updatedAt: LATER })
      expect(await kept('before')).toBeUndefined()
      expect(await zone()).toMatchObject({ updatedAt: LATER })
      const found = async (fqdn: string) =>
        store.read(async (r) => (await r.namesByFqdn(fqdn)).map(({ nameId }) => nameId))
      expect([await found('before.example.test'), await found('a.after.example.test')]).toEqual([
        [],
        [name.id],
      ])
      const beneath = { name: 'after', accountId: 0 }
      const near = { id: at.zoneId, name: 'example.test' }
      expect(await store.read(async (r) => r.neighboursOf(near, beneath))).toContainEqual({
        name: 'a.after',
        accountId: at.accountId,
      })
      expect(await store.read(async (r) => r.holdingsOf(at.accountId))).toEqual(held)
      const serial = (await zone())?.serial ?? 0
      await flushed(store)
      const lines = await publishedIn(store, 'example.test')
      expect(lines.filter((line) => line.startsWith('before '))).toEqual([])
      expect(lines.filter((line) => line.startsWith('a.after '))).toHaveLength(3)
      expect((await zone())?.serial).toBe(serial + 1)
      expect((await kept('a.after'))?.publishedAt).toBeTypeOf('number')
    })

    it('counts the names of a zone that wait for a flush, up to a number, and knows the time of the last one', async () => {
      const publication = async (max = 1000) => store.read(async (r) => r.publicationOf(at.zoneId, max))
      await flushed(store, undefined, NOW)
      expect(await publication()).toEqual({ at: NOW, pending: 0 })
      await keep(tree('first'))
      await keep(tree('second'))
      await store.write(async (w) => {
        // Once, whatever its rows are for.
        await w.setStuck([{ zoneId: at.zoneId, name: 'first' }])
        await w.setDirty('soas')
        await w.addZone({ accountId: at.accountId, name: 'another.test', isShared: false }, NOW)
      })
      expect(await publication()).toEqual({ at: NOW, pending: 2 })
      expect((await publication(1)).pending).toBe(1)
      await flushed(store, undefined, LATER)
      expect(await publication()).toEqual({ at: LATER, pending: 0 })
      expect(await store.read(async (r) => r.publicationOf(99_999, 9))).toEqual({ pending: 0 })
    })

    it('sets updatedAt of the zone with every change, and raises its serial when that is published', async () => {
      const zone = async () => store.read(async (r) => r.zoneNamed('example.test'))
      await flushed(store)
      const before = (await zone())?.serial ?? 0
      await store.write(async (w) => w.saveName(tree('serial'), LATER))
      expect(await zone()).toMatchObject({ serial: before, updatedAt: LATER })

      await flushed(store)
      expect((await zone())?.serial).toBe(before + 1)
      await flushed(store)
      expect((await zone())?.serial).toBe(before + 1)
    })

    it('counts the names and Rdata of an account, less those removed', async () => {
      const held = async () => store.read(async (r) => r.holdingsOf(at.accountId))
      const before = await held()
      await keep(tree('counted'))
      expect(await held()).toEqual({ names: before.names + 1, rdata: before.rdata + 3 })
      const name = await kept('counted')
      await store.write(async (w) => name && w.removeName(name, NOW))
      expect(await held()).toEqual(before)
    })

    it('counts the apexes of an account and their name servers', async () => {
      const apexes = async () => store.read(async (r) => r.apexHoldingsOf(at.accountId))
      const before = await apexes()
      await store.write(async (w) => {
        const zoneId = await w.addZone({ accountId: at.accountId, name: 'apex.test', isShared: false }, NOW)
        const [two, one] = tree('').rrsets
        if (two === undefined || one === undefined) throw new Error('the fixture is broken')
        const ns = { ...two, dnsType: 'NS' } as const
        await w.saveName(tree('@', { zoneId, rrsets: [ns, one] }), NOW)
        await w.saveName(tree('below', { zoneId, rrsets: [ns] }), NOW)
      })
      expect(await apexes()).toEqual({ names: before.names + 1, rdata: before.rdata + 2 })
    })

    it('returns the whole names of a zone or of an account in pages', async () => {
      await store.write(async (w) => {
        const other = await w.addZone({ accountId: at.accountId, name: 'b.test', isShared: false }, NOW)
        await w.saveName(tree('elsewhere', { zoneId: other }), NOW)
        await w.saveName(tree('own'), NOW)
      })
      const page = async (of: NamesOf, after = 0, limit = 99) =>
        store.read(async (r) => r.namesAfter(of, after, limit))
      const [first, ...rest] = await page({ accountId: at.accountId })

      expect([first, ...rest].map((one) => one?.name)).toEqual(['home', 'elsewhere', 'own'])
      expect(await page({ accountId: at.accountId }, first?.id, 1)).toEqual([rest[0]])
      expect((await page({ zoneId: at.zoneId })).map(({ name }) => name)).toEqual(['home', 'own'])
      expect((await page({ zoneId: at.zoneId }))[1]).toEqual(await kept('own'))
      expect(await page({ accountId: at.accountId }, rest[1]?.id)).toEqual([])
    })

    it('finds the deepest zone that holds a name', async () => {
      await store.write(async (w) =>
        w.addZone({ accountId: at.accountId, name: 'deep.example.test', isShared: false }, NOW),
      )
      const holding = async (fqdn: string) => (await store.read(async (r) => r.zoneContaining(fqdn)))?.name

      expect([
        await holding('a.b.deep.example.test'),
        await holding('deep.example.test'),
        await holding('x.example.test'),
        await holding('other.test'),
      ]).toEqual(['deep.example.test', 'deep.example.test', 'example.test', undefined])

      const inside = async (name: string) =>
        (await store.read(async (r) => r.zoneInside({ name: 'example.test' }, name)))?.name
      expect([await inside('a.b.deep'), await inside('deep'), await inside('x'), await inside('@')]).toEqual([
        'deep.example.test',
        'deep.example.test',
        undefined,
        undefined,
      ])
    })

    const made = async (name: string, records: Partial<Record<DnsType, readonly string[]>>): Promise<void> =>
      keep(
        tree(name, {
          rrsets: Object.entries(records).map(([dnsType, values]) => ({
            dnsType: dnsType as DnsType,
            ttl: 60,
            isSystem: false,
            metadata: {},
            rdata: values.map((value, n) => ({ label: `_${n}`, value, isSystem: false })),
            createdAt: NOW,
            updatedAt: NOW,
          })),
        }),
      )
    const V4 = ['192.0.2.1']

    it('finds the records of a zone that point to a name, once for each name and type', async () => {
      const to = (fqdn: string) => [`1 ${fqdn}.`, `2 ${fqdn}.`, 'x.test.']
      await made('all', {
        MX: to('t.example.test'),
        NS: ['t.example.test.', 'xt.example.test.'],
        SRV: ['1 2 3 t.example.test.'],
        TXT: ['"t.example.test."'],
        HTTPS: ['0 t.example.test.'],
      })
      await made('cname', { CNAME: ['t.example.test.'] })
      await made('ptr', { PTR: ['x.t.example.test.', 't.example.test.'] })
      await made('alias', { ALIAS: ['t.example.test.'], A: V4 })
      await store.write(async (w) => {
        const other = await w.addZone({ accountId: at.accountId, name: 'b.test', isShared: false }, NOW)
        const found = await w.nameAt(at.zoneId, 'cname')
        if (found === undefined) throw new Error('it is not there')
        const { id: _, ...name } = found
        await w.saveName({ ...name, zoneId: other }, NOW)
      })
      const pointers = async (fqdn: string) => store.read(async (r) => r.pointersTo(at.zoneId, fqdn))

      expect(await pointers('t.example.test')).toEqual(
        [
          ['alias', 'ALIAS'],
          ['all', 'MX'],
          ['all', 'NS'],
          ['all', 'SRV'],
          ['cname', 'CNAME'],
          ['ptr', 'PTR'],
        ].map(([name, dnsType]) => ({ name, accountId: at.accountId, dnsType })),
      )
      expect(await pointers('T.example.test')).toEqual([])
      await made('cname2', { CNAME: ['cname.example.test.'] })
      await store.write(async (w) => {
        const name = await w.nameAt(at.zoneId, 'cname2')
        if (name !== undefined) await w.saveName({ ...name, rrsets: [] }, NOW)
      })
      expect(await pointers('cname.example.test')).toEqual([])
    })

    it.each([
      ['x.d', 'd'],
      ['y.x.d', 'd'],
      ['y.x.d.d2', 'd2'],
      ['d', undefined],
      ['xd', undefined],
      ['@', undefined],
    ])('finds the highest delegation above %s: %s', async (name, cut) => {
      await made('@', { NS: ['ns.test.'] })
      await made('d', { NS: ['ns.test.'] })
      await made('x.d', { NS: ['ns.test.'] })
      await made('d2', { NS: ['ns.test.'] })
      await made('d.d2', { A: V4 })
      expect(await store.read(async (r) => r.delegationAbove(at.zoneId, name))).toBe(cut)
    })

    it.each<[what: string, name: string, records: Partial<Record<DnsType, readonly string[]>>, is: boolean]>([
      ['TXT', 'x.d', { TXT: ['"x"'] }, true],
      ['an address', 'y.x.d', { A: V4 }, true],
      ['an address that an NS needs', 'ns.d', { AAAA: ['::1'] }, false],
      ['TXT at such a name', 'ns.d', { A: V4, TXT: ['"x"'] }, true],
      ['a name without records', 'x.d', {}, false],
      ['a name with the same ending', 'xd', { TXT: ['"x"'] }, false],
    ])('finds what a delegation hides: %s', async (_, name, records, is) => {
      await made('d', { NS: ['ns.d.example.test.'] })
      await made(name, records)
      const zone = { id: at.zoneId, name: 'example.test' }
      expect(await store.read(async (r) => r.hiddenBeneath(zone, 'd'))).toBe(is ? name : undefined)
    })

    it('returns a key with all of its targets, and replaces them', async () => {
      await keep(tree('aimed'))
      const key = async () => (await store.read(async (r) => r.keyNamed('abc1234')))?.targets
      expect(await key()).toEqual([
        { zoneName: 'example.test', name: 'aimed', dnsType: 'A', label: 'Two' },
        { zoneName: 'example.test', name: 'home' },
      ])
      const id = (await kept('aimed'))?.id ?? 0
      await store.write(async (w) => w.setTargets(at.keyId, [id]))
      expect((await key())?.map(({ name, label }) => [name, label])).toEqual([
        ['aimed', undefined],
        ['aimed', 'Two'],
      ])
    })

    it('removes a zone with its names, and a key with its targets', async () => {
      await keep(tree('gone'))
      await store.write(async (w) => w.removeKey(at.keyId, NOW))
      expect((await kept('gone'))?.rrsets[0]?.rdata.map(({ updateGroup }) => updateGroup)).toEqual([
        undefined,
        undefined,
      ])
      await store.write(async (w) => w.removeZone(at.zoneId))
      expect(await store.read(async (r) => r.holdingsOf(at.accountId))).toEqual({ names: 0, rdata: 0 })
      await swept(store)
      expect([await kept('gone'), await store.read(async (r) => r.holdingsOf(at.accountId))]).toEqual([
        undefined,
        { names: 0, rdata: 0 },
      ])
    })

    it('lists the API keys of an account, with their last use, and removes one of it', async () => {
      const key = { hash: new Uint8Array([9]), description: 'acme', scopes: ['read', 'zone:example.test'] }
      const own = { accountId: at.accountId, ...key, expiresAt: LATER }
      const id = await store.write(async (w) => w.addApiKey(own, NOW))
      const listed = async (accountId: number) =>
        store.read(async (r) => r.apiKeysOf(accountId, { offset: 0, limit: 9 }))
      const { hash: _, ...shown } = { id, ...own, createdAt: NOW }
      expect((await listed(at.accountId)).items).toContainEqual(shown)
      await store.write(async (w) => w.touchApiKey(id, LATER))
      expect((await listed(at.accountId)).items).toContainEqual({ ...shown, lastUsedAt: LATER })
      expect(await listed(at.accountId + 1)).toEqual({ items: [], total: 0 })

      const remove = async (accountId?: number) => store.write(async (w) => w.removeApiKey(id, accountId))
      expect([await remove(at.accountId + 1), await remove(at.accountId), await remove()]).toEqual([
        false,
        true,
        false,
      ])
    })

    /** As an update does: it is counted at once, and stored later. */
    const usedBy = async (id: number, used: Instant, blockedUntil?: Instant): Promise<void> =>
      store.write(
        async (w) => {
          const principal = { kind: 'key', id, accountId: at.accountId } as const
          const usage = { ...(await w.usageOf(principal)), ...(blockedUntil && { blockedUntil }) }
          const last = {
            at: used,
            agent: `agent ${id}`,
            peer: '192.0.2.9' as Address,
            reply: 'nochg 192.0.2.1',
          }
          await w.putUsage(principal, usage, last)
        },
        () => ({ username: id === at.keyId ? 'abc1234' : 'abc0002', hostnames: [], peers: [] }),
      )
    const useOf = (id: number, used: Instant) => ({
      at: used,
      agent: `agent ${id}`,
      address: '192.0.2.9',
      reply: 'nochg 192.0.2.1',
    })

    it('finds the keys of the account that may update names, with their last requests, at once', async () => {
      const { accountId, zoneId, keyId } = at
      const key = { hash: new Uint8Array([1]), description: '' }
      const [second, other] = await store.write(async (w) => [
        await w.addKey({ ...key, accountId, username: 'abc0002' }, NOW),
        await w.addKey(
          {
            ...key,
            accountId: await w.addAccount({ name: 'o', hash: key.hash, planId: 1 }, NOW),
            username: 'oth0001',
          },
          NOW,
        ),
      ])
      await keep(tree('aimed', { updateGroup: 'abc0002' }))
      await keep(tree('unaimed', { rrsets: [] }))
      await store.write(async (w) =>
        w.attach(other, { ...at.home, nameId: (await w.nameAt(zoneId, 'unaimed'))?.id ?? 0 }),
      )
      const idOf = async (name: string): Promise<number> => (await kept(name))?.id ?? 0
      const [home, aimed, unaimed] = [at.home.nameId, await idOf('aimed'), await idOf('unaimed')]
      const found = async (...names: readonly number[]) =>
        store.read(async (r) => r.keysOfNames(accountId, names))
      // Of a name that is a target itself, and has an Rdata that is one.
      const none = [
        { nameId: home, keyId, username: 'abc1234' },
        { nameId: aimed, keyId, username: 'abc1234' },
        { nameId: aimed, keyId: second, username: 'abc0002' },
      ]
      expect(await found(home, aimed, unaimed)).toEqual(none)
      expect(await found()).toEqual([])

      await usedBy(keyId, NOW)
      const once = none.map((one) => (one.keyId === keyId ? { ...one, lastUse: useOf(keyId, NOW) } : one))
      expect(await found(home, aimed)).toEqual(once)
      // A block is stored with all of the usage.
      await usedBy(keyId, LATER, LATER)
      await usedBy(second, NOW)
      const uses = { [keyId]: useOf(keyId, LATER), [second]: useOf(second, NOW) }
      expect(await found(home, aimed)).toEqual(none.map((one) => ({ ...one, lastUse: uses[one.keyId] })))
      expect(await store.write(async (w) => w.keysOfNames(accountId, [home]))).toEqual([
        { ...none[0], lastUse: uses[keyId] },
      ])
    })

    it('returns a key with its last request and its blocks', async () => {
      const key = async () => store.read(async (r) => r.keyNamed('abc1234'))
      expect(await key()).toMatchObject({ isBlocked: false, username: 'abc1234' })
      expect(await key()).not.toHaveProperty('lastUse')
      expect(await key()).not.toHaveProperty('blockedUntil')
      await usedBy(at.keyId, NOW, LATER)
      await store.write(async (w) => w.blockKey(at.keyId, true, NOW))
      const used = { isBlocked: true, blockedUntil: LATER, lastUse: useOf(at.keyId, NOW) }
      expect(await key()).toMatchObject(used)
      const { items } = await store.read(async (r) =>
        r.keysOf(at.accountId, { page: { offset: 0, limit: 9 } }),
      )
      expect(items).toMatchObject([used])
    })

    it('counts what an account has, each kind apart', async () => {
      const counts = async (id = at.accountId) => store.read(async (r) => r.accountCounts(id))
      const none = { createdAt: NOW, zones: 0, keys: 0, apiKeys: 0, tsigKeys: 0 }
      expect(await counts()).toEqual({ ...none, zones: 1, keys: 1 })
      const accountId = await store.write(async (w) => {
        const planId = await w.planOf(at.accountId)
        const id = await w.addAccount({ name: 'other', hash: new Uint8Array([1]), planId }, LATER)
        for (const [n, name] of ['a.test', 'b.test', 'c.test', 'd.test'].entries()) {
          await w.addZone({ accountId: id, name, isShared: false }, NOW)
          const hash = new Uint8Array([n])
          if (n < 3) await w.addApiKey({ accountId: id, hash, description: '', scopes: [] }, NOW)
          const key = { name, algorithm: 'hmac-sha256', sealed: hash, description: '', scopes: [] }
          if (n < 2) await w.addTsigKey({ ...key, accountId: id }, NOW)
        }
        return id
      })
      expect(await counts(accountId)).toEqual({
        createdAt: LATER,
        zones: 4,
        keys: 0,
        apiKeys: 3,
        tsigKeys: 2,
      })
      expect([await counts(), await counts(99)]).toEqual([{ ...none, zones: 1, keys: 1 }, undefined])
    })

    it('changes a password only from the one that was checked', async () => {
      const hash = async () => (await store.read(async (r) => r.login('acme')))?.hash
      const from = (await hash()) ?? new Uint8Array()
      const [to, other] = [new Uint8Array([4, 0, 5]), new Uint8Array([6])]
      const change = async (id: number, old: Uint8Array, next: Uint8Array) =>
        store.write(async (w) => w.changePassword(id, { from: old, to: next }, NOW))
      expect([await change(at.accountId, to, other), await change(99, from, other), await hash()]).toEqual([
        false,
        false,
        from,
      ])
      const both = [change(at.accountId, from, to), change(at.accountId, from, to)]
      expect((await Promise.all(both)).toSorted()).toEqual([false, true])
      expect(await hash()).toEqual(to)
    })

    it('changes an API key, which the account alone finds by its number', async () => {
      const key = { hash: new Uint8Array([9]), description: 'acme', scopes: ['read'], expiresAt: LATER }
      const own = { accountId: at.accountId, ...key }
      const id = await store.write(async (w) => w.addApiKey(own, NOW))
      const other = await store.write(async (w) => w.addApiKey({ ...own, hash: new Uint8Array([8]) }, NOW))
      const found = async (n: number, accountId = at.accountId) =>
        store.read(async (r) => r.apiKeyOf(accountId, n))
      const { hash: _, ...shown } = { id, ...own, createdAt: NOW }
      expect([await found(id), await found(id, at.accountId + 1), await found(99)]).toEqual([
        shown,
        undefined,
        undefined,
      ])
      const changed = { id, description: 'b', scopes: ['read', 'type:A'] }
      await store.write(async (w) => w.changeApiKey({ ...changed, expiresAt: NOW }))
      expect(await found(id)).toEqual({ ...shown, ...changed, expiresAt: NOW })
      await store.write(async (w) => w.changeApiKey({ ...changed, scopes: [] }))
      const { expiresAt: __, ...endless } = { ...shown, ...changed, scopes: [] }
      expect([await found(id), await found(other)]).toEqual([endless, { ...shown, id: other }])
      expect(await store.read(async (r) => r.apiKeyByHash(key.hash))).toMatchObject({ id, scopes: [] })
    })

    it('keeps the sessions of an account until they are over, or its password or their API key goes', async () => {
      const { accountId } = at
      const hash = (n: number): Uint8Array => new Uint8Array([0, n])
      const session = {
        accountId,
        createdAt: NOW,
        seenAt: NOW,
        provedAt: NOW,
        needsFactor: true,
        peer: '192.0.2.1',
        program: 'b',
      }
      const add = async (
        n: number,
        more: object = {},
        over = { created: NOW, seen: NOW, max: 100, credential: 'account password' },
      ) => store.write(async (w) => w.addSession({ ...session, ...more, hash: hash(n) }, over))
      const found = async (n: number) => store.read(async (r) => r.sessionByHash(hash(n)))
      const never = { created: NOW, seen: NOW }
      const listed = async (id: number, over = never) =>
        store.read(async (r) => r.sessionsOf(id, { offset: 0, limit: 9 }, over))
      const apiKeyId = await store.write(async (w) =>
        w.addApiKey({ accountId, hash: hash(99), description: '', scopes: [] }, NOW),
      )
      const [first, second] = [await add(1), await add(2, { apiKeyId, createdAt: LATER, seenAt: LATER })]
      const [one, two] = [
        { ...session, id: first },
        { ...session, id: second, apiKeyId, createdAt: LATER, seenAt: LATER },
      ]
      expect([await found(1), await found(2), await found(3)]).toEqual([one, two, undefined])
      expect([await listed(accountId), await listed(accountId + 1)]).toEqual([
        { items: [two, one], total: 2 },
        { items: [], total: 0 },
      ])
      expect(await listed(accountId, { created: NOW, seen: LATER })).toEqual({ items: [two], total: 1 })
      expect(await listed(accountId, { created: LATER, seen: NOW })).toEqual({ items: [two], total: 1 })
      const page = await store.read(async (r) => r.sessionsOf(accountId, { offset: 0, limit: 1 }, never))
      expect(page).toEqual({ items: [two], total: 2, next: [second] })
      expect(
        await store.read(async (r) =>
          r.sessionsOf(accountId, { offset: 1, limit: 1, after: [second] }, never),
        ),
      ).toEqual({ items: [one], total: 2 })

      await store.write(async (w) => w.touchSession(first, LATER))
      await store.write(async (w) => w.renewSession(first, hash(7), { provedAt: LATER, hasFactor: true }))
      expect([await found(1), await found(7)]).toEqual([
        undefined,
        { ...one, seenAt: LATER, provedAt: LATER, needsFactor: false },
      ])
      await store.write(async (w) => w.removeApiKey(apiKeyId, accountId))
      expect(await listed(accountId)).toMatchObject({ items: [{ id: first }] })
      const needed = async (except: number | undefined): Promise<boolean | undefined> => {
        await store.write(async (w) => w.needFactor(accountId, except))
        return (await found(7))?.needsFactor
      }
      expect([await needed(first), await needed(undefined)]).toEqual([false, true])
      const remove = async (id: number) => store.write(async (w) => w.removeSession(first, id))
      expect([await remove(accountId + 1), await remove(accountId), await remove(accountId)]).toEqual([
        false,
        true,
        false,
      ])
      await add(4)
      await add(5, { createdAt: LATER, seenAt: NOW })
      await add(
        6,
        { createdAt: LATER, seenAt: LATER },
        { created: LATER, seen: NOW, max: 100, credential: 'account password' },
      )
      expect((await listed(accountId)).items).toHaveLength(2)
      await add(
        8,
        { createdAt: LATER, seenAt: LATER },
        { created: NOW, seen: LATER, max: 100, credential: 'account password' },
      )
      expect((await listed(accountId)).items).toHaveLength(2)
      const { hash: from } = (await store.read(async (r) => r.login('acme'))) ?? { hash: hash(0) }
      const change = async (used: Uint8Array) =>
        store.write(async (w) => w.changePassword(accountId, { from: used, to: hash(1) }, NOW))
      expect([await change(hash(0)), (await listed(accountId)).total]).toEqual([false, 2])
      expect([await change(from), (await listed(accountId)).total]).toEqual([true, 0])
      await add(9)
      await store.write(async (w) => w.setAccountPassword(accountId, hash(1), NOW))
      expect((await listed(accountId)).total).toBe(0)
    })

    it('keeps the second factors of an account', async () => {
      const { accountId } = at
      const factor = { accountId, kind: 'totp', description: 'phone', counter: 0, createdAt: NOW } as const
      const content = new Uint8Array([1, 0, 2])
      const add = async (more: object = {}) =>
        store.write(async (w) => w.addFactor({ ...factor, content, isConfirmed: false, ...more }))
      const all = async () => store.read(async (r) => r.factorsOf(accountId))
      const has = async (id = accountId) => store.read(async (r) => r.hasFactor(id))
      const id = await add()
      expect([await all(), await has()]).toEqual([[{ ...factor, id, content, isConfirmed: false }], false])
      await store.write(async (w) => w.useFactor(id, { counter: 59_000_000_000, now: LATER }))
      const used = { ...factor, id, content, isConfirmed: true, counter: 59_000_000_000, usedAt: LATER }
      expect([await all(), await has(), await has(accountId + 1)]).toEqual([[used], true, false])

      const paper = await add({ kind: 'recovery', isConfirmed: true })
      expect(await store.write(async (w) => w.sealedFactors())).toEqual([{ id, accountId, content }])
      await store.write(async (w) => w.resealFactor(id, new Uint8Array([9])))
      expect((await all()).map((one) => [one.id, one.content[0]])).toEqual([
        [id, 9],
        [paper, 1],
      ])
      const remove = async (of: number) => store.write(async (w) => w.removeFactor(paper, of, NOW))
      expect([await remove(accountId + 1), await remove(accountId), await remove(accountId)]).toEqual([
        false,
        true,
        false,
      ])
      await add({ kind: 'recovery' })
      await store.write(async (w) => w.removeFactors(accountId, NOW, 'recovery'))
      expect((await all()).map(({ kind }) => kind)).toEqual(['totp'])
      await store.write(async (w) => w.removeFactors(accountId, NOW))
      expect(await all()).toEqual([])
    })

    it('keeps codes that are used once until they expire', async () => {
      const hash = (n: number): Uint8Array => new Uint8Array([0, n])
      const { accountId } = at
      const made = { purpose: 'reset', accountId, grant: '{}', createdAt: NOW, expiresAt: LATER } as const
      const invitation = {
        purpose: 'invitation',
        grant: '{"a":1}',
        createdAt: NOW,
        expiresAt: LATER,
      } as const
      const add = async (n: number, code: object = made) =>
        store.write(async (w) => w.addCode({ ...made, ...code, hash: hash(n) }))
      const take = async (n: number, purpose: 'reset' | 'invitation', now = NOW) =>
        store.write(async (w) => w.takeCode(hash(n), purpose, now))
      const id = await add(1)
      const other = await store.write(async (w) => w.addCode({ ...invitation, hash: hash(2) }))
      const has = async (n: number, now = NOW) =>
        store.read(async (r) => (await r.codeWith(hash(n), 'reset', now)) !== undefined)
      expect([await has(1), await has(2), await has(1, LATER)]).toEqual([true, false, false])
      expect(await store.read(async (r) => r.codesFor('invitation', NOW))).toEqual([
        { ...invitation, id: other },
      ])
      expect(await store.read(async (r) => r.codesFor('invitation', LATER))).toEqual([])
      expect([await take(1, 'invitation'), await take(1, 'reset', LATER)]).toEqual([undefined, undefined])
      expect([await take(1, 'reset'), await take(1, 'reset')]).toEqual([{ ...made, id }, undefined])
      const remove = async (one: number) => store.write(async (w) => w.removeCode(one, 'invitation'))
      expect([await remove(other), await remove(other)]).toEqual([true, false])
      await add(3)
      await add(4, { createdAt: LATER, expiresAt: after(LATER, minutes(1)) })
      expect([await has(3), await has(4)]).toEqual([false, true])
    })

    it('keeps the TSIG keys of an account, and the messages that they signed', async () => {
      const key = {
        name: 'key-a',
        algorithm: 'hmac-sha256',
        sealed: new Uint8Array([7, 0, 9]),
        description: 'acme',
      }
      const own = {
        accountId: at.accountId,
        ...key,
        scopes: ['type:TXT', 'zone:example.test'],
        expiresAt: LATER,
      }
      await store.write(async (w) => w.addTsigKey(own, NOW))
      const listed = async (accountId: number) =>
        store.read(async (r) => r.tsigKeysOf(accountId, { offset: 0, limit: 9 }))
      const named = async (name = key.name) => store.read(async (r) => r.tsigKeyNamed(name))
      expect(await named()).toEqual({ ...own, createdAt: NOW })
      expect(await listed(at.accountId)).toEqual({ items: [{ ...own, createdAt: NOW }], total: 1 })
      expect([await listed(at.accountId + 1), await named('key-b')]).toEqual([
        { items: [], total: 0 },
        undefined,
      ])

      await store.write(async (w) => {
        await w.touchTsigKey(key.name, LATER)
        await w.resealTsigKey(key.name, new Uint8Array([8]))
      })
      expect(await named()).toMatchObject({ lastUsedAt: LATER, sealed: new Uint8Array([8]) })
      expect(await store.write(async (w) => w.allTsigKeys())).toEqual([
        { name: 'key-a', sealed: new Uint8Array([8]) },
      ])

      const mac = (n: number): Uint8Array => new Uint8Array([0, n])
      const handled = async (n: number) => store.read(async (r) => r.handledUpdate(mac(n)))
      const note = async (n: number, now: Instant, oldest: Instant) =>
        store.write(async (w) => w.noteUpdate({ mac: mac(n), rcode: n }, { now, oldest }))
      await note(1, NOW, NOW)
      await note(5, LATER, NOW)
      expect([await handled(1), await handled(5), await handled(9)]).toEqual([1, 5, undefined])
      await note(8, LATER, LATER)
      expect([await handled(1), await handled(5)]).toEqual([undefined, 5])

      const remove = async (accountId: number) =>
        store.write(async (w) => w.removeTsigKey(key.name, accountId))
      expect([
        await remove(at.accountId + 1),
        await remove(at.accountId),
        await remove(at.accountId),
      ]).toEqual([false, true, false])
    })

    it('changes policy by property, and rejects an unknown property', async () => {
      const plan = await store.write(async (w) => w.planOf(at.accountId))
      await store.write(async (w) => {
        await w.changePlan(plan, { maxNames: 3, types: ['A', 'TXT'], fixedTtl: 60 })
        await w.changeZone(at.zoneId, { isShared: true, isMembersOnly: true, maxLabels: 2 })
        await w.setMember(at.zoneId, at.accountId, true)
      })
      const read = async () =>
        store.read(async (r) => [
          await r.account(at.accountId),
          await r.zoneNamed('example.test'),
          await r.isMember(at.zoneId, at.accountId),
        ])
      expect(await read()).toMatchObject([
        { plan: { maxNames: 3, types: ['A', 'TXT'], fixedTtl: 60 } },
        { isShared: true, isMembersOnly: true, maxLabels: 2 },
        true,
      ])
      await expect(
        store.write(async (w) => w.changeZone(at.zoneId, { colour: 1 } as object)),
      ).rejects.toThrow('zone has no colour')
    })

    it('saves nothing when the work throws', async () => {
      const failing = store.write(async (w) => {
        await w.saveName(tree('half'), NOW)
        throw new Error('no')
      })
      await expect(failing).rejects.toThrow('no')
      expect(await kept('half')).toBeUndefined()
    })
  })
}
