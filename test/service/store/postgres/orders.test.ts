import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { NameQuery, SortKey } from '../../../../src/service/model/query.ts'
import type { PostgresPlace } from '../../../../src/service/store/postgres/connection.ts'
import { namesBy } from '../../../../src/service/store/sql/listing.ts'
import { toPostgres } from '../../../../src/service/store/sql/postgres-dialect.ts'
import type { Sql } from '../../../../src/service/store/sql/statement.ts'
import { PATIENCE } from '../../../eventually.ts'
import { type Postgres, startPostgres, whyNoPostgres } from '../../../lab/postgres.ts'

/** More names than are sorted as they are found. */
const MANY = 1_000_000

/** The statement that selects a page of this order. */
async function pageOf(query: NameQuery): Promise<string> {
  const texts: string[] = []
  const sql = Object.assign(
    ({ text }: { readonly text: string }) => ({
      get: async () => ({ n: MANY }),
      all: async () => {
        texts.push(text)
        return []
      },
    }),
    { atOneMoment: async <T>(work: () => Promise<T>): Promise<T> => work() },
  ) as unknown as Sql
  await namesBy(sql, query)
  const values = [1, 50, 0]
  return toPostgres(texts[0] ?? '').replaceAll(/\$(\d+)/g, (_, n: string) => String(values[Number(n) - 1]))
}

describe.skipIf(whyNoPostgres() !== undefined)('in PostgreSQL, a page of names', () => {
  let postgres: Postgres
  let place: PostgresPlace
  beforeAll(async () => {
    postgres = await startPostgres(['enable_sort=off', 'enable_seqscan=off', 'enable_bitmapscan=off'])
    place = await postgres.store()
  }, PATIENCE)
  afterAll(async () => postgres?.stop(), PATIENCE)

  it('by age needs no sort, however many names have the same', async () => {
    for (const direction of ['asc', 'desc'] as const) {
      const sort = [{ key: 'created_at', direction }] as const
      const page = await pageOf({ accountId: 1, page: { offset: 0, limit: 50 }, sort, filter: {} })
      const plan = await postgres.query(`EXPLAIN ${page}`, place.database)
      expect(JSON.stringify(plan)).not.toContain('Sort')
    }
  })

  // biome-ignore format: a table
  it.each<[SortKey, boolean]>([
    ['created_at',           true],
    ['name',                 true],
    ['name_labels_reversed', true],
    ['rdata',                false],
  ])('by %s is read in the order of an index: %s', async (key, isIndexed) => {
    for (const direction of ['asc', 'desc'] as const) {
      const page = await pageOf({ accountId: 1, page: { offset: 0, limit: 50 }, sort: [{ key, direction }], filter: {} })
      const plan = (await postgres.query(`EXPLAIN ${page}`, place.database)).map((row) => String(row['QUERY PLAN']))
      expect([direction, plan.some((line) => /(?<!Incremental )\bSort\b(?! Key)/.test(line))], plan.join('\n')).toEqual([direction, !isIndexed])
    }
  })
})
