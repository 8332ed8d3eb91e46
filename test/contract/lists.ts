import type { NameState } from '../../src/service/model/publication.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { after, type Instant, instant, minutes, seconds } from '../../src/shared/base/time.ts'
import type { Address } from '../../src/shared/base/address.ts'
import type { DnsType } from '../../src/service/model/rdata/types.ts'
import type {
  ListedPage,
  NameFilter,
  NameQuery,
  Page,
  Position,
  Sort,
} from '../../src/service/model/query.ts'
import type { Name } from '../../src/service/model/tree.ts'
import type { Store } from '../../src/service/store/store.ts'
import { flushed } from '../service/publish/flushed.ts'
import { type Fixture, fill } from './store.ts'

const NOW = instant(Date.UTC(2026, 0, 1))
const V4 = '192.0.2.1' as Address
const at = (n: number): Instant => after(NOW, minutes(n))

type Records = Partial<Record<DnsType, readonly (readonly [value: string, group?: string])[]>>

/** The contract of every store with the lists of the management API: filters, orders and cursors. */
export function listsContract(title: string, open: () => Promise<Store>): void {
  describe(`${title} keeps the contract of lists`, () => {
    let store: Store
    let own: Fixture
    beforeEach(async () => {
      store = await open()
      own = await fill(store)
    })
    afterEach(async () => store.close())

    const nameWith = (name: string, records: Records = {}, more: Partial<Name> = {}): Name => {
      const changed = more.updatedAt ?? NOW
      return {
        zoneId: own.zoneId,
        accountId: own.accountId,
        name,
        isProhibited: false,
        isBlocked: false,
        isOffline: false,
        metadata: {},
        rrsets: Object.entries(records).map(([dnsType, rdata]) => ({
          dnsType: dnsType as DnsType,
          ttl: 60,
          isSystem: false,
          metadata: {},
          rdata: rdata.map(([value, updateGroup], n) => ({
            label: `_${n}`,
            value,
            isSystem: false,
            ...(updateGroup !== undefined && { updateGroup }),
          })),
          createdAt: NOW,
          updatedAt: changed,
        })),
        createdAt: NOW,
        updatedAt: changed,
        ...more,
      }
    }
    const save = async (name: Name): Promise<void> =>
      store.write(async (w) => w.saveName(name, name.updatedAt))
    const idOf = async (name: string): Promise<number> =>
      store.read(async (r) => (await r.nameAt(own.zoneId, name))?.id ?? 0)
    const whole = { offset: 0, limit: 99 }
    const query = (more: Partial<NameQuery>): NameQuery => ({
      accountId: own.accountId,
      filter: {},
      sort: [],
      page: whole,
      ...more,
    })
    const namesIn = async (filter: NameFilter, more: Partial<NameQuery> = {}): Promise<string> => {
      const { items } = await store.read(async (r) => r.summariesBy(query({ filter, ...more })))
      return items.map(({ name }) => name.name).join(' ')
    }
    const search = async (text: string, isInKeys = true, accountId = own.accountId): Promise<string> =>
      namesIn(
        { search: { name: text.toLowerCase(), text, isInKeys } },
        { accountId, ...(accountId !== own.accountId && { zoneId: own.zoneId }) },
      )

    it('finds names by a part of the whole name, of an address, and of the description of a key', async () => {
      await store.write(async (w) => w.changeKey(own.keyId, { description: 'Router in the Attic' }))
      await save(nameWith('web', { A: [['192.0.2.77']], TXT: [['"attic 77"']] }))
      await save(nameWith('six', { AAAA: [['2001:db8::c0de']] }))
      await save(nameWith('part', { A: [['198.51.100.1'], ['198.51.100.2', 'abc1234']] }))

      expect([
        await search('WEB.exa'),
        await search('.2.77'),
        await search('8::C0DE'),
        await search('in the attic'),
        await search('in the attic', false),
        await search('"attic'),
        await search('example.test'),
        await search('%'),
      ]).toEqual(['web', 'web', 'six', 'home part', '', '', 'home web six part', ''])
    })

    it('does not search the descriptions of keys of other accounts', async () => {
      await store.write(async (w) => {
        const planId = await w.planOf(own.accountId)
        const other = await w.addAccount({ name: 'other', hash: new Uint8Array(1), planId }, NOW)
        const key = { accountId: other, username: 'zzz1234', hash: new Uint8Array(1), description: 'secret' }
        await w.addKey(key, NOW)
        await w.saveName(nameWith('theirs', {}, { accountId: other, updateGroup: 'zzz1234' }), NOW)
      })
      const [zoneId, text] = [own.zoneId, 'secret']
      const filter = { search: { name: text, text, isInKeys: true } }

      expect(await namesIn({}, { zoneId })).toBe('home theirs')
      expect(await namesIn(filter, { zoneId })).toBe('')
      await store.write(async (w) => w.changeKey(own.keyId, { description: text }))
      expect(await namesIn(filter, { zoneId })).toBe('home')
    })

    it('finds names by state', async () => {
      const a: Records = { A: [['192.0.2.1']] }
      await save(nameWith('done', a))
      await save(nameWith('broken', a))
      await save(nameWith('text', { TXT: [['"x"']] }))
      await save(nameWith('away', a, { isOffline: true }))
      for (const name of ['locked', 'stopped']) await save(nameWith(name, a))
      await flushed(store)
      await save(nameWith('new', a))
      const [locked, stopped] = [await idOf('locked'), await idOf('stopped')]
      await store.write(async (w) => {
        await w.lockName(locked, true)
        await w.setStuck([{ zoneId: own.zoneId, name: 'broken' }])
        await w.blockName(stopped, true)
      })

      const inState = async (...states: readonly NameState[]) => namesIn({ states: [{ states }] })
      const inZone = async (areIn: boolean) =>
        namesIn({
          states: [{ states: ['stuck'] }, { states: ['published'], zones: { ids: [own.zoneId], areIn } }],
        })
      expect([
        await inState('published'),
        await inState('pending'),
        await inState('stuck'),
        await inState('blocked'),
        await inState('offline'),
        await inState('no_address'),
        await inState('stuck', 'offline'),
        await inState(),
        await inZone(true),
        await inZone(false),
        await namesIn({ isOffline: true }),
        await namesIn({ isOffline: false, states: [{ states: ['published'] }] }),
      ]).toEqual([
        'done',
        'new',
        'broken',
        'locked stopped',
        'away',
        'home text',
        'broken away',
        '',
        'done broken',
        'broken',
        'away',
        'done',
      ])
      const ids = [await idOf('done'), await idOf('text'), stopped]
      const states = await store.read(async (r) => r.nameStatesOf(ids))
      expect(ids.map((id) => states.get(id))).toEqual(['published', 'no_address', 'blocked'])
      expect([...(await store.read(async (r) => r.zoneStatesOf([own.zoneId])))]).toEqual([
        [own.zoneId, 'pending'],
      ])
      expect(await store.read(async (r) => r.zoneTotals())).toEqual({
        zones: 1,
        unproved: 0,
        changed: [own.zoneId],
      })
    })

    const sorted = async (key: Sort['key'], direction: Sort['direction']): Promise<string> =>
      namesIn({}, { sort: [{ key, direction }] })

    it('sorts names by their last change, also by one of an address alone, and by their publication', async () => {
      await save(nameWith('b', { A: [['192.0.2.1']] }, { updatedAt: at(2) }))
      await save(nameWith('c', {}, { updatedAt: at(3) }))
      expect(await sorted('updated_at', 'asc')).toBe('home b c')
      await store.write(async (w) => {
        const [name] = await w.namesByFqdn('b.example.test')
        const rdataId = name?.rdata[0]?.id ?? 0
        const target = { nameId: name?.nameId ?? 0, fqdn: 'b.example.test' }
        await w.setValue(target, { rdataId, value: '192.0.2.2' }, at(9))
      })
      expect([await sorted('updated_at', 'asc'), await sorted('updated_at', 'desc')]).toEqual([
        'home c b',
        'b c home',
      ])

      await flushed(store, undefined, at(10))
      await save(nameWith('d'))
      await flushed(store, undefined, at(11))
      await store.write(async (w) => w.setOffline({ ...own.home }, true, at(12)))
      expect([await sorted('published_at', 'asc'), await sorted('published_at', 'desc')]).toEqual([
        'home b c d',
        'd b c home',
      ])
    })

    it('sorts names by the last request of the keys that may update them', async () => {
      const key = (name: string) => ({
        accountId: own.accountId,
        username: name,
        hash: new Uint8Array([1]),
        description: '',
      })
      const [first, second] = await store.write(async (w) => [
        await w.addKey(key('first12'), at(1)),
        await w.addKey(key('second1'), at(1)),
      ])
      await save({ ...nameWith('b'), updateGroup: 'first12' })
      await save(nameWith('c', { A: [['192.0.2.1', 'second1']] }))
      const use = async (id: number, n: number): Promise<void> =>
        store.write(async (w) =>
          w.putUsage(
            { kind: 'key', id, accountId: own.accountId },
            { requests: [], refusals: [], nondescriptive: 0 },
            { at: at(n), agent: 'a', peer: '192.0.2.9' as Address, reply: 'good' },
          ),
        )
      await use(first ?? 0, 5)
      await use(second ?? 0, 9)
      // Uses are stored within seconds; a list of clients has them stored first.
      await store.read(async (r) => r.clientsOf(own.accountId, { offset: 0, limit: 1 }))
      expect(await sorted('last_update_at', 'desc')).toMatch(/^c b /)
      expect(await sorted('last_update_at', 'asc')).toMatch(/ b c$/)
    })

    /** The rows of all pages; `between` runs after each page, with its last row. */
    const walked = async <T>(
      page: (page: Page) => Promise<ListedPage<T>>,
      limit: number,
      between?: (n: number, last: T | undefined) => Promise<void>,
    ): Promise<readonly T[]> => {
      const rows: T[] = []
      let [next, pages]: [Position | undefined, number] = [undefined, 0]
      do {
        const found: ListedPage<T> = await page({ offset: 0, limit, ...(next && { after: next }) })
        rows.push(...found.items)
        next = found.next
        await between?.(pages++, rows.at(-1))
      } while (next !== undefined && pages < 99)
      return rows
    }

    it('walks through names by cursors, whatever comes and goes meanwhile', async () => {
      for (let n = 0; n < 12; n++)
        await save(nameWith(`n${n}`, n % 3 === 0 ? {} : { A: [[`192.0.2.${n % 5}`]] }))
      const orders: readonly (readonly Sort[])[] = [
        [],
        [{ key: 'name', direction: 'desc' }],
        [{ key: 'created_at', direction: 'desc' }],
        [
          { key: 'rdata', direction: 'desc' },
          { key: 'name_labels_reversed', direction: 'desc' },
        ],
        [
          { key: 'dns_type', direction: 'asc' },
          { key: 'updated_at', direction: 'asc' },
        ],
      ]
      for (const [n, sort] of orders.entries()) {
        const all = async (page: Page) => store.read(async (r) => r.summariesBy(query({ sort, page })))
        const before = (await all(whole)).items.map(({ name }) => name.name)
        let removed = ''
        const shown = await walked(all, 4, async (turn, last) => {
          if (turn === 0) await save(nameWith(`between${n}`, { A: [['192.0.2.1']] }))
          if (turn !== 1 || last === undefined) return
          removed = last.name.name
          const name = await store.read(async (r) => r.nameAt(own.zoneId, removed))
          if (name !== undefined) await store.write(async (w) => w.removeName(name, NOW))
        })
        const names = shown.map(({ name }) => name.name)
        expect([sort, names.filter((name) => !name.startsWith('between'))]).toEqual([
          sort,
          before.filter((name) => !name.startsWith('between')),
        ])
        expect(new Set(names).size).toBe(names.length)
        expect(await idOf(removed)).toBe(0)
        await save(nameWith(removed))
      }
    })

    it('walks through keys, API keys, zones and clients by cursors, and finds them by a text', async () => {
      const { accountId } = own
      await store.write(async (w) => {
        for (let n = 0; n < 5; n++) {
          const hash = new Uint8Array([n])
          const key = { accountId, username: `key000${n}`, hash, description: `Box ${n}` }
          const id = await w.addKey(key, after(NOW, seconds(n >> 1)))
          await w.addApiKey({ accountId, hash, description: `Job ${n}`, scopes: [] }, NOW)
          await w.addZone({ accountId, name: `z${n}.test`, isShared: false }, NOW)
          const usage = await w.usageOf({ kind: 'key', id, accountId })
          const last = { agent: 'x', peer: V4, reply: 'good', at: after(NOW, seconds(n >> 1)) }
          await w.putUsage({ kind: 'key', id, accountId }, usage, last)
        }
      })
      const keys = (direction: 'asc' | 'desc') => async (page: Page) =>
        store.read(async (r) => r.keysOf(accountId, { page, createdAt: direction }))
      const apiKeys = async (page: Page) => store.read(async (r) => r.apiKeysOf(accountId, page))
      const zones = async (page: Page) => store.read(async (r) => r.zonesOf(accountId, { page }))
      const clients = async (page: Page) => store.read(async (r) => r.clientsOf(accountId, page))
      const lists: readonly ((page: Page) => Promise<ListedPage<unknown>>)[] = [
        keys('asc'),
        keys('desc'),
        apiKeys,
        zones,
        clients,
      ]
      for (const list of lists) {
        const { items, total, next } = await list(whole)
        expect([items.length, next]).toEqual([total, undefined])
        expect(total).toBeGreaterThan(4)
        for (const limit of [1, 2, 5]) expect(await walked(list, limit)).toEqual(items)
        expect((await list({ offset: 0, limit: 0 })).next).toBeUndefined()
        expect((await list({ offset: total - 1, limit: 1 })).next).toBeUndefined()
      }

      const found = await store.read(async (r) => [
        (await r.keysOf(accountId, { page: whole, search: 'EY0003' })).total,
        (await r.keysOf(accountId, { page: whole, search: 'box' })).total,
        (await r.keysOf(accountId, { page: whole, search: 'box', description: '4' })).total,
        (await r.apiKeysOf(accountId, whole, 'JOB 1')).total,
        (await r.zonesOf(accountId, { page: whole, search: '2.te' })).items.map(({ name }) => name),
        (await r.clientsOf(accountId, whole, { usernames: ['key0001', 'key0004'] })).items.map(
          ({ username }) => username,
        ),
      ])
      expect(found).toEqual([1, 5, 1, 1, ['z2.test'], ['key0004', 'key0001']])
    })
  })
}
