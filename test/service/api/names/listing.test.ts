import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { runs } from '../../../runs.ts'
import type { ListedPage, NameQuery, Position } from '../../../../src/service/model/query.ts'
import type { ListedName } from '../../../../src/service/store/records.ts'
import { MIGRATIONS } from '../../../../src/service/store/sqlite/migrations.ts'
import { namesBy } from '../../../../src/service/store/sql/listing.ts'
import { migrate, openMemory } from '../../../../src/service/store/sqlite/open.ts'
import { statements } from '../../../../src/service/store/sqlite/transaction.ts'
import { filterPair, grow, growStates, page, scope, sort } from './listing-queries.ts'

let database: DatabaseSync

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
  growStates(database)
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

const ids = async (query: NameQuery, many?: number) => {
  const { items, total } = await namesBy(statements(database), query, many)
  return { ids: items.map(({ name }) => name.id), total }
}
const WHOLE = { filter: {}, sort: [], page: { offset: 0, limit: 100_000 } } as const

describe('a page', () => {
  it('is the slice of the whole list, read from either end', async () => {
    let deep = 0
    await fc.assert(
      fc.asyncProperty(scope, sort, page, async (whose, order, part) => {
        const all = await ids({ ...WHOLE, ...whose, sort: order })
        const offset = Math.floor(part.share * all.total)
        const one = await ids({ ...WHOLE, ...whose, sort: order, page: { offset, limit: part.limit } })
        if (part.share > 0.5 && one.ids.length > 0) deep++
        expect(one).toEqual({ ids: all.ids.slice(offset, offset + part.limit), total: all.total })
        expect(all.ids.length).toBe(all.total)
      }),
      { numRuns: runs(30) },
    )
    expect(deep).toBeGreaterThan(runs(30) / 15)
  })

  it('without a sort key is in the order of ids', async () => {
    const rows = database.prepare('SELECT id FROM name WHERE account_id = 2 ORDER BY id').all()
    expect((await ids({ ...WHOLE, accountId: 2 })).ids).toEqual(rows.map((row) => row['id']))
    const owned = database.prepare('SELECT id FROM name WHERE zone_id = 3 ORDER BY id').all()
    expect((await ids({ ...WHOLE, accountId: 1, zoneId: 3 })).ids).toEqual(owned.map((row) => row['id']))
  })

  it('is the same with and without an index for the filter', async () => {
    let found = 0
    await fc.assert(
      fc.asyncProperty(scope, sort, page, filterPair, async (whose, order, part, wanted) => {
        const query = {
          ...WHOLE,
          ...whose,
          ...wanted,
          sort: order,
          page: { offset: Math.floor(part.share * 100), limit: part.limit },
        }
        const few = await ids(query, Number.MAX_SAFE_INTEGER)
        found += few.total
        expect(await ids(query, 0)).toEqual(few)
      }),
      { numRuns: runs(50) },
    )
    expect(found).toBeGreaterThan(runs(50) * 3)
  })

  it('after a cursor goes on where the page before it ended, for any order and filter', async () => {
    let [found, long] = [0, 0]
    await fc.assert(
      fc.asyncProperty(
        scope,
        sort,
        filterPair,
        fc.boolean(),
        fc.nat(7),
        async (whose, order, wanted, isAll, n) => {
          const query = { ...WHOLE, ...whose, ...(isAll ? {} : wanted), sort: order }
          const all = await ids(query)
          const limit = Math.max(1, Math.ceil(all.total / (2 + n)))
          const walked: unknown[] = []
          let pages = 0
          for (
            let next: Position | undefined = undefined, first = true;
            first || next !== undefined;
            first = false
          ) {
            const one: ListedPage<ListedName> = await namesBy(statements(database), {
              ...query,
              page: { offset: 0, limit, ...(next && { after: next }) },
            })
            expect(one.total).toBe(all.total)
            walked.push(...one.items.map(({ name }) => name.id))
            next = one.next
            pages++
          }
          expect(walked).toEqual(all.ids)
          found += all.total
          if (pages > 2) long++
        },
      ),
      { numRuns: runs(40) },
    )
    expect(found).toBeGreaterThan(runs(40) * 3)
    expect(long).toBeGreaterThan(runs(40) / 15)
  })
})
