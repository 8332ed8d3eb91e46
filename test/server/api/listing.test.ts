import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Expression, type NameQuery, SORT_KEYS, type Sort } from '../../../src/server/model/query.ts'
import { MIGRATIONS } from '../../../src/server/store/migrations.ts'
import { namesBy } from '../../../src/server/store/sqlite-listing.ts'
import { migrate, openMemory } from '../../../src/server/store/sqlite-open.ts'
import { statements } from '../../../src/server/store/sqlite-reading.ts'

const SEED = 20_261_121
const [ACCOUNTS, ZONES, NAMES] = [3, 5, 7000]

let database: DatabaseSync

/** Names of several accounts and zones; some blocks of ids are full, some sparse, some empty. */
function grow(into: DatabaseSync): void {
  // Without column names, which differ between schemas.
  const columns = Number(into.prepare("SELECT count(*) AS n FROM pragma_table_info('plan')").get()?.['n'])
  const plan = ["1, 'p', 9, 9, 9, 9, 1, NULL, NULL, 1, 1", ...Array.from({ length: columns - 11 }, () => '9')]
  into.exec(`
    INSERT INTO plan VALUES (${plan.join(', ')});
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ACCOUNTS})
      INSERT INTO account (id, name, password_hash, plan_id, created_at) SELECT i, 'a' || i, x'00', 1, 0 FROM n;
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ZONES})
      INSERT INTO zone (id, name, account_id, is_shared, created_at, updated_at)
      SELECT i, 'z' || i || '.test', 1 + i % ${ACCOUNTS}, i % 2, 0, 0 FROM n;
    INSERT INTO zone_metadata SELECT id, 'k', 'v' || (id % 2) FROM zone;
    INSERT INTO ddns_key (id, account_id, username, password_hash, description, created_at)
      VALUES (1, 1, 'kkkkkk1', x'00', '', 0), (2, 2, 'kkkkkk2', x'00', '', 0);
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${NAMES})
      INSERT INTO name (id, zone_id, account_id, name, fqdn, labels_reversed, key_id, created_at, updated_at)
      SELECT i, 1 + i * 7 % ${ZONES}, 1 + i / 1900 % ${ACCOUNTS}, 'n' || (i * 7919 % 9973), '', 'test.z.n' || (i * 7919 % 9973),
        CASE i % 50 WHEN 0 THEN 1 + i / 50 % 2 END, i / 3, 0 FROM n;
    INSERT INTO name_metadata SELECT id, 'k', 'v' || (id % 40) FROM name WHERE id % 3 = 0;
    INSERT INTO rrset (name_id, dns_type, ttl, created_at, updated_at) SELECT id, 'A', 60, 0, 0 FROM name WHERE id % 5 > 0;
    INSERT INTO rrset (name_id, dns_type, ttl, created_at, updated_at) SELECT id, 'TXT', 60, 0, 0 FROM name WHERE id % 4 = 0;
    INSERT INTO rrset_metadata SELECT id, 'k', 'v' || (id % 30) FROM rrset WHERE id % 2 = 0;
    INSERT INTO rdata (rrset_id, label, value, key_id, created_at, updated_at)
      SELECT id, '_1', 'x' || (id % 60), CASE id % 70 WHEN 0 THEN 2 END, 0, 0 FROM rrset;
    INSERT INTO rdata (rrset_id, label, value, created_at, updated_at) SELECT id, 'b', 'y' || (id % 60), 0, 0 FROM rrset WHERE id % 3 = 0`)
}

/** The totals, counted from the tables. */
const COUNTED = `
  SELECT account_id, id / 1024 AS block, zone_id, count(*) AS names,
    sum((SELECT count(*) FROM rrset JOIN rdata ON rrset_id = rrset.id WHERE name_id = name.id)) AS rdata
  FROM name GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`
const holding = (of: DatabaseSync): unknown =>
  of.prepare('SELECT * FROM holding ORDER BY account_id, block, zone_id').all()

beforeAll(() => {
  database = openMemory().writer
  grow(database)
  database.exec(
    `DELETE FROM name WHERE id BETWEEN 1000 AND 3500 AND id % 9 > 0; DELETE FROM name WHERE id BETWEEN 5000 AND 6100`,
  )
})

describe('the totals of an account', () => {
  // biome-ignore format: a table
  it.each([
    ['names',                          'DELETE FROM name WHERE id % 3 = 0'],
    ['RRSets',                         "DELETE FROM rrset WHERE dns_type = 'TXT'"],
    ['Rdata',                          "DELETE FROM rdata WHERE label = 'b'"],
    ['a zone with everything in it',   'DELETE FROM zone WHERE id = 2'],
    ['a key, which deletes no name', 'DELETE FROM ddns_key WHERE id = 1'],
    ['all names of an account',        'DELETE FROM name WHERE account_id = 2'],
  ])('is what can be counted after the loss of %s', (_, loss) => {
    const { writer } = openMemory()
    grow(writer)
    expect(holding(writer)).toEqual(writer.prepare(COUNTED).all())
    writer.exec(loss)

    expect(holding(writer)).toEqual(writer.prepare(COUNTED).all())
    writer.close()
  })

  it('are counted by the upgrade of a store without totals', () => {
    const old = new DatabaseSync(':memory:')
    migrate(old, 'old', MIGRATIONS.slice(0, 2))
    grow(old)
    migrate(old, 'old')

    expect(holding(old)).toEqual(old.prepare(COUNTED).all())
    expect(holding(old)).not.toEqual([])
    old.close()
  })

  it('count a value once when it is changed or upserted', () => {
    const { writer } = openMemory()
    grow(writer)
    writer.exec(`UPDATE rdata SET value = 'new' WHERE id < 50;
      INSERT INTO rdata (rrset_id, label, value, created_at, updated_at) VALUES (1, '_1', 'z', 0, 0)
        ON CONFLICT (rrset_id, label) DO UPDATE SET value = excluded.value;
      UPDATE name SET updated_at = 1, key_id = 2`)

    expect(holding(writer)).toEqual(writer.prepare(COUNTED).all())
    writer.close()
  })
})

const ids = (query: NameQuery, many?: number) => {
  const { items, total } = namesBy(statements(database), query, many)
  return { ids: items.map(({ name }) => name.id), total }
}
const WHOLE = { filter: {}, sort: [], page: { offset: 0, limit: 100_000 } } as const

const scope = fc.record(
  {
    accountId: fc.integer({ min: 1, max: ACCOUNTS }),
    zoneId: fc.integer({ min: 1, max: ZONES }),
    scope: fc.record(
      {
        zones: fc.subarray(['z1.test', 'z2.test', 'none.test'], { minLength: 1 }),
        names: fc.subarray(['z.test', 'n7.z.test', 'none.test'], { minLength: 1 }),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ['accountId'] },
)
/** Where it begins, as a share of the whole and a little more. */
const page = fc.record({ share: fc.nat(110).map((percent) => percent / 100), limit: fc.nat(120) })
const sort: fc.Arbitrary<readonly Sort[]> = fc.array(
  fc.record({
    key: fc.constantFrom(...SORT_KEYS),
    direction: fc.constantFrom('asc' as const, 'desc' as const),
  }),
  { maxLength: 2 },
)
const condition = fc.record({
  op: fc.constantFrom('exact' as const, 'contains' as const),
  key: fc.constantFrom('k', 'other'),
  value: fc.constantFrom('v1', 'v', '7', ''),
})
const expression: fc.Arbitrary<Expression> = fc.oneof(
  condition,
  fc.record({ and: fc.array(condition, { maxLength: 2 }) }),
  fc.record({ or: fc.array(condition, { maxLength: 2 }) }),
)
/** Single filters; each test combines two of them. */
const filters: readonly fc.Arbitrary<Pick<NameQuery, 'filter'> & Partial<NameQuery>>[] = [
  ...[
    { rdata: ['x3', 'y7'] },
    { updateGroups: ['kkkkkk1'] },
    { updateGroups: ['kkkkkk1', 'kkkkkk2'] },
    { dnsTypes: ['TXT'] },
    { labels: ['B'] },
    { isDynupdate: true },
    { isDynupdate: false },
    { isZoneShared: true },
    { zoneNames: ['z1.test', 'z2.test'] },
    { names: ['n7919', 'n5865', 'n100'] },
  ].map((filter) => fc.constant({ filter })),
  expression.map((metadata) => ({ filter: {}, metadata })),
  expression.map((zoneMetadata) => ({ filter: {}, zoneMetadata })),
  expression.map((rrsetMetadata) => ({ filter: {}, rrsetMetadata })),
]
const filterPair = fc
  .tuple(fc.oneof(...filters), fc.oneof(...filters))
  .map(([one, other]) => ({ ...one, ...other, filter: { ...one.filter, ...other.filter } }))

describe('a page', () => {
  it('is the slice of the whole list, read from either end', () => {
    let deep = 0
    fc.assert(
      fc.property(scope, sort, page, (whose, order, part) => {
        const all = ids({ ...WHOLE, ...whose, sort: order })
        const offset = Math.floor(part.share * all.total)
        const one = ids({ ...WHOLE, ...whose, sort: order, page: { offset, limit: part.limit } })
        if (part.share > 0.5 && one.ids.length > 0) deep++
        expect(one).toEqual({ ids: all.ids.slice(offset, offset + part.limit), total: all.total })
        expect(all.ids.length).toBe(all.total)
      }),
      { numRuns: 150, seed: SEED },
    )
    expect(deep).toBeGreaterThan(10)
  })

  it('without a sort key is in the order of ids', () => {
    const rows = database.prepare('SELECT id FROM name WHERE account_id = 2 ORDER BY id').all()
    expect(ids({ ...WHOLE, accountId: 2 }).ids).toEqual(rows.map((row) => row['id']))
    const owned = database.prepare('SELECT id FROM name WHERE zone_id = 3 ORDER BY id').all()
    expect(ids({ ...WHOLE, accountId: 1, zoneId: 3 }).ids).toEqual(owned.map((row) => row['id']))
  })

  it('is the same with and without an index for the filter', () => {
    let found = 0
    fc.assert(
      fc.property(scope, sort, page, filterPair, (whose, order, part, wanted) => {
        const query = {
          ...WHOLE,
          ...whose,
          ...wanted,
          sort: order,
          page: { offset: Math.floor(part.share * 100), limit: part.limit },
        }
        const few = ids(query, Number.MAX_SAFE_INTEGER)
        found += few.total
        expect(ids(query, 0)).toEqual(few)
      }),
      { numRuns: 300, seed: SEED },
    )
    expect(found).toBeGreaterThan(1000)
  })
})
