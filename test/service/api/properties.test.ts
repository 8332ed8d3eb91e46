import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runs, SEED } from '../../runs.ts'
import { instant } from '../../../src/shared/base/time.ts'
import { apexOf } from '../../../src/service/model/apex.ts'
import { type Expression, SORT_KEYS, ZONE_SORT_KEYS } from '../../../src/service/model/query.ts'
import { type DnsType, RDATA_TYPES } from '../../../src/service/model/rdata/types.ts'
import type { Name, RRSet } from '../../../src/service/model/tree.ts'
import type { ListedName } from '../../../src/service/store/records.ts'
import { bodyIn, codesOf, type Inside, inside, type Listing, NOW, walk } from './inside.ts'
import { octets, type Pair, PAIRS, spelled } from './spellings.ts'
import { apiWorld, type World } from './world.ts'

const R = '/v1/dns/records'
const AS_A = { authorization: 'Bearer key-of-a', contentType: 'application/json' } as const
const ZONES = ['example.test', 'noadd.test', 'dyn.test'] as const
const KEYS = ['k', 'K', 'color', 'constructor', "o'x", 'ä%_'] as const
const TEXTS = ['a', 'ab', 'A', 'b', '%', '_', 'äb', "'", '"', 'a%', '0'] as const

let world: World
let api: Inside
let truth: readonly ListedName[]

const label = fc.constantFrom('a', 'b', 'a-b', 'ab', 'x1', '_acme', 'z', '0', '9', 'aa')
const metadata = fc.dictionary(fc.constantFrom(...KEYS), fc.constantFrom(...TEXTS), { maxKeys: 4 })
const value = {
  A: fc.nat(40).map((n) => `192.0.2.${n}`),
  AAAA: fc.nat(40).map((n) => `2001:db8::${(n + 1).toString(16)}`),
  TXT: fc.nat(40).map((n) => `"t${n}"`),
  MX: fc.nat(40).map((n) => `${n} mx.test.`),
} as const satisfies Partial<Record<DnsType, fc.Arbitrary<string>>>
const draft = fc.record({
  zone: fc.constantFrom(...ZONES),
  labels: fc.array(label, { minLength: 1, maxLength: 3 }),
  at: fc.nat(20),
  metadata,
  group: fc.option(fc.constantFrom('kkk1111', 'kkk2222'), { nil: undefined, freq: 3 }),
  rrsets: fc.uniqueArray(
    fc.constantFrom<keyof typeof value>('A', 'AAAA', 'TXT', 'MX').chain((type) =>
      fc.record({
        type: fc.constant(type),
        metadata,
        rdata: fc.uniqueArray(
          fc.record({
            value: value[type],
            label: fc.constantFrom('one', 'Two', 'three', '_1', 'B'),
            group: fc.option(fc.constantFrom('kkk1111', 'kkk2222'), { nil: undefined, freq: 1 }),
          }),
          { minLength: 1, maxLength: 3, selector: (one) => one.label, comparator: 'SameValue' },
        ),
      }),
    ),
    { maxLength: 3, selector: ({ type }) => type },
  ),
})

const rrsetOf = ({
  type,
  metadata: own,
  rdata,
}: ReturnType<typeof sample>[number]['rrsets'][number]): RRSet => {
  const isGroupable = type === 'A' || type === 'AAAA'
  const values = rdata.map((one) => one.value)
  return {
    dnsType: type,
    ttl: 60,
    isSystem: false,
    metadata: own,
    createdAt: NOW,
    updatedAt: NOW,
    rdata: rdata
      .filter((one, n) => values.indexOf(one.value) === n)
      .map((one) => ({
        label: one.label,
        value: one.value,
        isSystem: false,
        ...(isGroupable && one.group !== undefined && { updateGroup: one.group }),
      })),
  }
}
const sample = () => fc.sample(draft, { numRuns: 120, seed: SEED })

beforeAll(async () => {
  world = await apiWorld()
  const { store, ids } = world
  const a = ids['a'] ?? 0
  await store.write(async (w) => {
    await w.setZoneMetadata(ids['example.test'] ?? 0, { color: 'ab', k: 'a' })
    await w.setZoneMetadata(ids['dyn.test'] ?? 0, { color: 'b', K: "'" })
    for (const [n, one] of sample().entries()) {
      const zoneId = ids[one.zone] ?? 0
      const name: Name = {
        zoneId,
        accountId: a,
        name: [`n${n}`, ...one.labels]
          .toReversed()
          .slice(0, (n % 3) + 2)
          .toReversed()
          .join('.'),
        isProhibited: false,
        isBlocked: false,
        isOffline: false,
        metadata: one.metadata,
        rrsets: one.rrsets.map(rrsetOf),
        createdAt: instant(NOW + one.at * 1000),
        updatedAt: NOW,
        ...(one.group !== undefined && { updateGroup: one.group }),
      }
      if ((await w.nameAt(zoneId, name.name)) === undefined) await w.saveName(name, NOW)
    }
    for (let n = 0; n < 57; n++) {
      const key = { accountId: a, hash: new Uint8Array(32), description: TEXTS[n % TEXTS.length] ?? '' }
      await w.addKey({ ...key, username: `u${String(n).padStart(6, '0')}` }, instant(NOW + (n % 7)))
      const zone = await w.addZone({ accountId: a, name: `zone${n}.test`, isShared: false }, NOW)
      await w.saveName(apexOf({ zoneId: zone, accountId: a }, ['ns.operator.test'], NOW), NOW)
    }
  })
  api = inside(store)
  const everything = { accountId: a, filter: {}, sort: [], page: { offset: 0, limit: 100_000 } }
  truth = (await store.read(async (r) => r.namesBy(everything))).items
  expect(truth.length).toBeGreaterThan(150)
})
afterAll(async () => world.close())

const get = async (path: string, query: string): Promise<Listing> => {
  const answer = await api.send({ method: 'GET', path, query, ...AS_A })
  if (answer.status !== 200) throw new Error(`${path}?${query}: ${answer.status} ${answer.text}`)
  return bodyIn(answer) as Listing
}
const idOf = (row: unknown): string => {
  const { name, zone_name: zone } = row as { readonly name: string; readonly zone_name: string }
  return `${name} ${zone}`
}
const idIn = ({ name, zone }: ListedName): string => `${name.name} ${zone.name}`
const pagesOf = (path: string, query: string, limit: number) =>
  walk(async (offset) => get(path, `${query}&limit=${limit}&offset=${offset}`))

type Rank = string | number | readonly string[]
/** All values of a name under a sort key, by a naive implementation of the specification. */
const RANKS: Readonly<Record<(typeof SORT_KEYS)[number], (one: ListedName) => readonly Rank[]>> = {
  zone_name: ({ zone }) => [zone.name],
  name: ({ name }) => [name.name],
  name_labels_reversed: ({ name, zone }) => [
    (name.name === '@' ? zone.name : `${name.name}.${zone.name}`).split('.').toReversed(),
  ],
  dns_type: ({ name }) => name.rrsets.map(({ dnsType }) => dnsType),
  rdata: ({ name }) => name.rrsets.flatMap(({ rdata }) => rdata.map((one) => one.value)),
  label: ({ name }) => name.rrsets.flatMap(({ rdata }) => rdata.map((one) => one.label.toLowerCase())),
  zone_is_shared: ({ zone }) => [zone.isShared ? 1 : 0],
  created_at: ({ name }) => [name.createdAt],
  updated_at: ({ name }) => [name.updatedAt],
  published_at: ({ name }) => [name.publishedAt ?? ''],
  // No key of this store was ever used.
  last_update_at: () => [''],
}
const compared = (a: Rank, b: Rank): number => {
  if (typeof a !== 'object' || typeof b !== 'object') return a < b ? -1 : a > b ? 1 : 0
  const at = a.findIndex((part, n) => part !== b[n])
  if (at < 0) return a.length - b.length
  const [x = '', y = ''] = [a[at], b[at]]
  return x < y ? -1 : 1
}
const inOrder = (ids: readonly string[], key: (typeof SORT_KEYS)[number], sign: number): void => {
  const byId = new Map(truth.map((one) => [idIn(one), one]))
  const ranks = ids.flatMap((id) => {
    const one = byId.get(id)
    const all = one === undefined ? [] : RANKS[key](one).toSorted((x, y) => sign * compared(x, y))
    return all.slice(0, 1)
  })
  for (let n = 1; n < ranks.length; n++) {
    const [x = '', y = ''] = [ranks[n - 1], ranks[n]]
    if (sign * compared(x, y) > 0) throw new Error(`${key}: ${String(x)} comes before ${String(y)}`)
  }
}

describe('pages', () => {
  const directions = [
    ['asc', 1],
    ['desc', -1],
  ] as const
  const table = SORT_KEYS.flatMap((key) => directions.map(([name, sign]) => [key, name, sign] as const))

  it.each(table)('of all names by %s %s contain each once, in order', async (key, direction, sign) => {
    const all = truth.map(idIn).toSorted()
    const orders: string[] = []
    for (const limit of [1, 7, 50, 499, 500]) {
      const { rows, total } = await pagesOf(R, `view=name_only&sort[${key}]=${direction}`, limit)
      const ids = rows.map(idOf)
      expect([total, ids.toSorted()]).toEqual([all.length, all])
      inOrder(ids, key, sign)
      orders.push(ids.join('\n'))
    }
    expect(new Set(orders).size).toBe(1)
  })

  it('by two keys, the first counts first', async () => {
    const { rows } = await pagesOf(R, 'view=name_only&sort[zone_name]=desc&sort[name]=asc', 13)
    const wanted = truth.toSorted((a, b) =>
      a.zone.name === b.zone.name ? compared(a.name.name, b.name.name) : compared(b.zone.name, a.zone.name),
    )
    expect(rows.map(idOf)).toEqual(wanted.map(idIn))
  })

  it.each(ZONE_SORT_KEYS.flatMap((key) => directions.map(([name, sign]) => [key, name, sign] as const)))(
    'of one zone by %s %s',
    async (key, direction, sign) => {
      for (const zone of ZONES) {
        const all = truth.filter((one) => one.zone.name === zone).map(idIn)
        for (const limit of [1, 9, 500]) {
          const { rows } = await pagesOf(`${R}/${zone}`, `sort[${key}]=${direction}`, limit)
          expect(rows.map(idOf).toSorted()).toEqual(all.toSorted())
          inOrder(rows.map(idOf), key, sign)
        }
      }
    },
  )

  it.each(directions)('of keys by created_at %s', async (direction, sign) => {
    for (const limit of [1, 10, 100]) {
      const path = '/v1/account/ddns-keys'
      const { rows, total } = await pagesOf(path, `sort[created_at]=${direction}`, limit)
      const keys = rows as readonly { readonly username: string; readonly created_at: string }[]
      expect([total, new Set(keys.map(({ username }) => username)).size]).toEqual([59, 59])
      const timestamps = keys.map((key) => key.created_at)
      expect(timestamps).toEqual(timestamps.toSorted((a, b) => sign * compared(a, b)))
    }
  })

  it.each([1, 7, 50])('of zones, %i at a time', async (limit) => {
    const { rows, total } = await pagesOf('/v1/dns/zones', '', limit)
    const names = (rows as readonly { readonly name: string }[]).map(({ name }) => name)
    expect([total, new Set(names).size, rows.length]).toEqual([61, 61, 61])
  })

  it.each(directions)('of the RRSets of a name %s', async (direction, sign) => {
    const { name, zone } = truth.toSorted((a, b) => b.name.rrsets.length - a.name.rrsets.length)[0] ?? {}
    for (const limit of [1, 2, 500]) {
      const path = `${R}/${zone?.name}/${name?.name}/rrsets`
      const { rows } = await pagesOf(path, `sort[dns_type]=${direction}`, limit)
      const types = (rows as readonly { readonly dns_type: string }[]).map((one) => one.dns_type)
      const wanted = (name?.rrsets ?? []).map(({ dnsType }) => dnsType)
      expect(types).toEqual(wanted.toSorted((a, b) => sign * compared(a, b)))
    }
  })

  it.each([
    [R, 50, 500],
    [`${R}/example.test`, 50, 500],
    ['/v1/dns/zones', 50, 50],
    ['/v1/account/ddns-keys', 50, 100],
    [`${R}/example.test/free/rrsets`, 50, 500],
  ])('%s: %i if nobody says, %i at most, none if asked for none', async (path, usual, most) => {
    const { page } = await get(path, '')
    expect([page.offset, page.limit]).toEqual([0, usual])
    for (const limit of [most, most + 1, 999_999_999_999]) {
      const clamped = await get(path, `limit=${limit}`)
      expect([clamped.page.limit, clamped.page.total]).toEqual([most, page.total])
      expect(clamped.data).toHaveLength(Math.min(most, page.total))
    }
    const none = await get(path, 'limit=0')
    expect([none.data, none.page]).toEqual([[], { offset: 0, limit: 0, total: page.total, next: null }])
    for (const offset of [page.total, page.total + 1, 999_999_999_999_999]) {
      const beyond = await get(path, `offset=${offset}`)
      expect([beyond.data, beyond.page]).toEqual([
        [],
        { offset, limit: usual, total: page.total, next: null },
      ])
    }
    expect((await get(path, `offset=${page.total - 1}`)).data).toHaveLength(1)
  })
})

const { expression } = fc.letrec<{ readonly expression: Expression }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.record({
      op: fc.constantFrom('contains' as const, 'exact' as const),
      key: fc.constantFrom(...KEYS, 'toString'),
      value: fc.constantFrom(...TEXTS, ''),
    }),
    fc.record({ and: fc.array(tie('expression'), { maxLength: 3 }) }),
    fc.record({ or: fc.array(tie('expression'), { maxLength: 3 }) }),
  ),
}))

/** A second implementation of filter expressions. */
function isTrue(one: Expression, map: Readonly<Record<string, string>>): boolean {
  if ('and' in one) return !one.and.some((part) => !isTrue(part, map))
  if ('or' in one) return one.or.filter((part) => isTrue(part, map)).length > 0
  const [, text] = Object.entries(map).find(([key]) => key === one.key) ?? []
  if (text === undefined) return false
  return one.op === 'exact' ? text === one.value : text.indexOf(one.value) >= 0
}

const listed = async (query: string, path = R): Promise<readonly string[]> =>
  (await get(path, `${path === R ? 'view=name_only&' : ''}limit=500&${query}`)).data.map(idOf).toSorted()
const wanted = (isIn: (one: ListedName) => boolean): readonly string[] =>
  truth.filter(isIn).map(idIn).toSorted()
const encoded = (one: Expression): string => encodeURIComponent(JSON.stringify(one))

describe('metadata filter expressions', () => {
  it('agree with a naive implementation: metadata of a name', async () => {
    await fc.assert(
      fc.asyncProperty(expression, async (one) => {
        expect(await listed(`metadata=${encoded(one)}`)).toEqual(
          wanted(({ name }) => isTrue(one, name.metadata)),
        )
      }),
      { numRuns: runs(30) },
    )
  })

  it('of one zone', async () => {
    await fc.assert(
      fc.asyncProperty(expression, fc.constantFrom(...ZONES), async (one, zone) => {
        expect(await listed(`metadata=${encoded(one)}`, `${R}/${zone}`)).toEqual(
          wanted(({ name, zone: own }) => own.name === zone && isTrue(one, name.metadata)),
        )
      }),
      { numRuns: runs(20) },
    )
  })

  it('of the zone', async () => {
    const { items } = await world.store.read(async (r) =>
      r.zonesOf(world.ids['a'] ?? 0, { page: { offset: 0, limit: 500 } }),
    )
    const shared = await world.store.read(async (r) => r.zoneNamed('dyn.test'))
    const maps = new Map([...items, shared].map((zone) => [zone?.id ?? 0, zone?.metadata ?? {}]))
    await fc.assert(
      fc.asyncProperty(expression, async (one) => {
        expect(await listed(`zone_metadata=${encoded(one)}`)).toEqual(
          wanted(({ zone }) => isTrue(one, maps.get(zone.id) ?? {})),
        )
      }),
      { numRuns: runs(20) },
    )
  })

  it('of RRSets: one RRSet must match the whole expression', async () => {
    await fc.assert(
      fc.asyncProperty(expression, async (one) => {
        expect(await listed(`rrset_metadata=${encoded(one)}`)).toEqual(
          wanted(({ name }) => name.rrsets.some((rrset) => isTrue(one, rrset.metadata))),
        )
      }),
      { numRuns: runs(30) },
    )
  })

  it('in the listing of RRSets', async () => {
    const names = truth.filter(({ name }) => name.rrsets.length > 1)
    await fc.assert(
      fc.asyncProperty(expression, fc.constantFrom(...names), async (one, { zone, name }) => {
        const path = `${R}/${zone.name}/${name.name}/rrsets`
        const { data, page } = await get(path, `metadata=${encoded(one)}`)
        const types = (data as readonly { readonly dns_type: string }[]).map((rrset) => rrset.dns_type)
        const found = name.rrsets.filter((rrset) => isTrue(one, rrset.metadata)).map((rrset) => rrset.dnsType)
        expect([types.toSorted(), page.total]).toEqual([found.toSorted(), found.length])
      }),
      { numRuns: runs(20) },
    )
  })
})

const someOf = (values: readonly string[]) => fc.subarray([...values], { minLength: 1, maxLength: 3 })
const FILTERS = {
  dns_name: someOf(['n0.a', '@', 'home', 'FREE', 'a', 'a.b', 'b.a', 'nobody', 'x']),
  zone_name: someOf(['example.test', 'DYN.test', 'noadd.test', 'zone3.test', 'none.test']),
  dns_type: someOf(['A', 'aaaa', 'TXT', 'MX', 'NS', 'FOO']),
  update_group: someOf(['kkk1111', 'kkk2222', 'kkk9999']),
  label: someOf(['one', 'Two', 'three', '_1', 'B', '_ns1']),
  rdata: someOf(['192.0.2.1', '192.0.2.7', '"t3"', '3 mx.test.', '2001:db8::7', "' OR 1=1 --"]),
  zone_is_shared: fc.boolean(),
  dynupdate: fc.boolean(),
} as const
type FilterCase = {
  readonly [K in keyof typeof FILTERS]?: (typeof FILTERS)[K] extends fc.Arbitrary<infer T> ? T : never
}

function passes({ zone, name }: ListedName, filter: FilterCase): boolean {
  const rdata = name.rrsets.flatMap((rrset) => rrset.rdata)
  const groups = [name.updateGroup, ...rdata.map((one) => one.updateGroup)].flatMap((group) => group ?? [])
  const isIn = (list: readonly string[] | undefined, values: readonly string[]): boolean =>
    list === undefined ||
    values.some((one) => list.some((other) => other.toLowerCase() === one.toLowerCase()))
  return (
    isIn(filter.dns_name, [name.name]) &&
    isIn(filter.zone_name, [zone.name]) &&
    isIn(
      filter.dns_type,
      name.rrsets.map((rrset) => rrset.dnsType),
    ) &&
    isIn(filter.update_group, groups) &&
    isIn(
      filter.label,
      rdata.map((one) => one.label),
    ) &&
    (filter.rdata === undefined || rdata.some((one) => filter.rdata?.includes(one.value) === true)) &&
    (filter.zone_is_shared ?? zone.isShared) === zone.isShared &&
    (filter.dynupdate ?? groups.length > 0) === groups.length > 0
  )
}
const queryOf = (filter: FilterCase): string =>
  Object.entries(filter)
    .flatMap(([key, value]) =>
      Array.isArray(value)
        ? (value as readonly string[]).map((one) => `filter[${key}][]=${encodeURIComponent(one)}`)
        : [`filter[${key}]=${String(value)}`],
    )
    .join('&')

describe('filters', () => {
  it.each(Object.keys(FILTERS) as readonly (keyof typeof FILTERS)[])(
    '%s agrees with a naive filter',
    async (key) => {
      const arbitrary: fc.Arbitrary<readonly string[] | boolean> = FILTERS[key]
      let found = 0
      await fc.assert(
        fc.asyncProperty(arbitrary, async (one) => {
          const filter = { [key]: one } as FilterCase
          const names = wanted((name) => passes(name, filter))
          found += names.length
          expect(await listed(queryOf(filter))).toEqual(names)
        }),
        { numRuns: runs(10) },
      )
      expect(found).toBeGreaterThan(0)
    },
  )

  it('can be combined', async () => {
    await fc.assert(
      fc.asyncProperty(fc.record(FILTERS, { requiredKeys: [] }), async (filter) => {
        expect(await listed(queryOf(filter))).toEqual(wanted((name) => passes(name, filter)))
      }),
      { numRuns: runs(30) },
    )
  })

  it('can be combined with metadata expressions, page by page', async () => {
    await fc.assert(
      fc.asyncProperty(fc.record(FILTERS, { requiredKeys: [] }), expression, async (filter, one) => {
        const query = `view=name_only&${queryOf(filter)}&metadata=${encoded(one)}`
        const { rows } = await pagesOf(R, query, 20)
        expect(rows.map(idOf).toSorted()).toEqual(
          wanted((name) => passes(name, filter) && isTrue(one, name.name.metadata)),
        )
      }),
      { numRuns: runs(15) },
    )
  })
})

const TYPES = Object.keys(PAIRS) as readonly DnsType[]
const parsed = (type: DnsType, text: string): string => {
  const read = RDATA_TYPES[type].parse(text)
  if (!read.ok) throw new Error(`${type} ${JSON.stringify(text)}: ${read.error.detail}`)
  return read.value
}

describe('values', () => {
  it.each(TYPES)('%s: the canonical form is a fixed point, and independent of the spelling', (type) => {
    fc.assert(
      fc.property(PAIRS[type], ({ one, other }) => {
        const value = parsed(type, one)
        expect(parsed(type, value)).toBe(value)
        expect(parsed(type, other)).toBe(value)
        expect(value).toMatch(/^[\x20-\x7e]+$/)
      }),
      { numRuns: runs(100) },
    )
  })

  it('TXT: no octet is lost', () => {
    fc.assert(
      fc.property(octets(255), fc.nat(2), (list, random) => {
        const value = parsed('TXT', spelled(list, random))
        const bytes = [...value.slice(1, -1).matchAll(/\\(\d{3})|\\?([^\\]|\\)/g)].map(([, code, char]) =>
          code === undefined ? (char ?? '').codePointAt(0) : Number(code),
        )
        expect(bytes).toEqual(list)
      }),
      { numRuns: runs(100) },
    )
  })

  it.each(TYPES)('%s: a duplicate in another spelling is refused', async (type) => {
    const path = `${R}/example.test/values-${type.toLowerCase().replace('_', '')}`
    const ask = async (method: string, at: string, body: unknown) =>
      api.send({ method, path: `${path}${at}`, body: JSON.stringify(body), ...AS_A })
    // An ALIAS must point into its zone.
    const within = ({ one, other }: Pair): Pair =>
      type === 'ALIAS'
        ? {
            one: `${one.replace(/\.$/, '')}.example.test`,
            other: `${other.replace(/\.$/, '')}.EXAMPLE.test.`,
          }
        : { one, other }
    await world.store.write(async (w) =>
      w.changePlan(world.ids['plan-a'] ?? 0, { maxNames: 9999, maxRdata: 9999 }),
    )
    await fc.assert(
      fc.asyncProperty(PAIRS[type].map(within), async ({ one, other }) => {
        // DS is only at a delegation.
        if (type === 'DS') await ask('POST', '/rrsets/NS/rdata', [{ value: 'ns.test.' }])
        const made = await ask('POST', `/rrsets/${type}/rdata`, [{ value: one, label: 'one' }])
        if (made.status !== 201) throw new Error(`${JSON.stringify(one)}: ${made.text}`)
        const again = await ask('POST', `/rrsets/${type}/rdata`, [{ value: other, label: 'two' }])
        const put = await ask('PUT', `/rrsets/${type}/rdata/two`, { value: other })
        const twice = await ask('PUT', `/rrsets/${type}/rdata`, [{ value: one }, { value: other }])
        const same = await ask('PUT', `/rrsets/${type}/rdata/one`, { value: other })
        const removed = await api.send({ method: 'DELETE', path, ...AS_A })
        expect(
          [again, put, twice].map((reply) => [reply.status, ...codesOf({ body: bodyIn(reply) })]),
        ).toEqual([
          [409, '2722'],
          [409, '2722'],
          [409, '2722'],
        ])
        expect([same.status, removed.status]).toEqual([200, 200])
      }),
      { numRuns: runs(4) },
    )
  })
})

describe('metadata', () => {
  it.each([['/metadata'], ['/rrsets/A/metadata']])('at %s is added, updated and removed', async (at) => {
    const changes = fc.array(fc.dictionary(fc.constantFrom(...KEYS), fc.constantFrom(...TEXTS, '')), {
      maxLength: 8,
    })
    const path = `${R}/example.test/free${at}`
    const read = async (): Promise<Readonly<Record<string, string>>> =>
      bodyIn(await api.send({ method: 'GET', path, ...AS_A })).data as Readonly<Record<string, string>>
    await fc.assert(
      fc.asyncProperty(changes, async (list) => {
        const known = new Map(Object.entries(await read()))
        for (const one of list) {
          const body = JSON.stringify({ metadata: one })
          expect((await api.send({ method: 'POST', path, body, ...AS_A })).status).toBe(202)
          for (const [key, text] of Object.entries(one)) known.set(key, text)
          for (const [key, text] of known) if (text === '') known.delete(key)
          expect(new Map(Object.entries(await read()))).toEqual(known)
        }
      }),
      { numRuns: runs(8) },
    )
  })
})
