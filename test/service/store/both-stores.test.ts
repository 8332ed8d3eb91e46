import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runs } from '../../runs.ts'
import { steadyClock } from '../../../src/shared/platform/clock/clock.ts'
import { instant } from '../../../src/shared/base/time.ts'
import type { ListedPage, NameQuery } from '../../../src/service/model/query.ts'
import { replacedPostgresRows } from '../../../src/service/store/postgres/copy-rows.ts'
import { OVERVIEWS } from '../../../src/service/store/overview.ts'
import { postgresStore } from '../../../src/service/store/postgres/store.ts'
import { claimDatabase, makeDatabase } from '../../../src/service/store/sqlite/open.ts'
import { sqliteRows, tableColumns } from '../../../src/service/store/sqlite/copy-rows.ts'
import { sqliteStore } from '../../../src/service/store/sqlite/store.ts'
import { copyRows } from '../../../src/service/store/copy-rows.ts'
import type { Store, StoreReads } from '../../../src/service/store/store.ts'
import { type Postgres, startPostgres, whyNoPostgres } from '../../lab/postgres.ts'
import { filterPair, grow, growStates, page, scope, sort } from '../api/names/listing-queries.ts'

const lacking = whyNoPostgres()

describe.skipIf(lacking !== undefined)('both stores', () => {
  let postgres: Postgres
  let folder = ''
  let stores: readonly [Store, Store]
  beforeAll(async () => {
    postgres = await startPostgres()
    folder = mkdtempSync(join(tmpdir(), 'holdfast-both-'))
    claimDatabase(folder)
    makeDatabase(folder)
    const database = new DatabaseSync(join(folder, 'holdfast.db'))
    grow(database)
    growStates(database)
    database.exec('DELETE FROM name WHERE id BETWEEN 1000 AND 3500 AND id % 9 > 0')
    database.close()
    const place = await postgres.store()
    const [source, sink] = [sqliteRows(folder), await replacedPostgresRows(place)]
    await copyRows(source, sink, tableColumns())
    await sink.close()
    await source.close()
    stores = [sqliteStore(folder, steadyClock), postgresStore(place, steadyClock)]
  })
  afterAll(async () => {
    for (const store of stores ?? []) await store.close()
    await postgres?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const same = async (ask: (r: StoreReads) => Promise<unknown>): Promise<unknown> => {
    const [one, other] = [await stores[0].read(ask), await stores[1].read(ask)]
    expect(other).toEqual(one)
    return one
  }

  it('list the same names, whole and in the same order, for any query', async () => {
    let found = 0
    await fc.assert(
      fc.asyncProperty(scope, sort, page, filterPair, async (whose, order, part, wanted) => {
        const query: NameQuery = {
          ...whose,
          ...wanted,
          sort: order,
          page: { offset: Math.floor(part.share * 300), limit: part.limit },
        }
        const first = (await same(async (r) => r.namesBy(query))) as ListedPage<unknown>
        found += first.total
        if (first.next === undefined) return
        const after = { ...query, page: { ...query.page, after: first.next } }
        await same(async (r) => r.namesBy(after))
      }),
      { numRuns: runs(30) },
    )
    expect(found).toBeGreaterThan(runs(30) * 3)
  })

  it('list the same pages without a filter', async () => {
    await fc.assert(
      fc.asyncProperty(scope, sort, page, async (whose, order, part) => {
        const at = { offset: Math.floor(part.share * 2500), limit: part.limit }
        await same(async (r) => r.namesBy({ ...whose, filter: {}, sort: order, page: at }))
      }),
      { numRuns: runs(20) },
    )
  })

  it('find the same names, keys, zones and neighbours', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(9973), fc.integer({ min: 1, max: 5 }), async (n, zoneId) => {
        const zone = { id: zoneId, name: `z${zoneId}.test` }
        const name = { name: `n${n}`, accountId: 1 }
        await same(async (r) => r.nameAt(zoneId, `n${n}`))
        await same(async (r) => r.neighboursOf(zone, name))
        await same(async (r) => r.zoneContaining(`n${n}.z${zoneId}.test`))
        await same(async (r) => r.pointersTo(zoneId, `n${n}.z${zoneId}.test`))
        await same(async (r) => r.hiddenBeneath(zone, `n${n}`))
        await same(async (r) => r.namesAfter({ zoneId }, n, 7))
      }),
      { numRuns: runs(10) },
    )
    for (const accountId of [1, 2, 3]) {
      const whole = { limit: 100, offset: 0 }
      await same(async (r) => r.keysOf(accountId, { page: whole }))
      await same(async (r) => r.zonesOf(accountId, { page: whole }))
      await same(async (r) => r.holdingsOf(accountId))
      await same(async (r) => r.account(accountId))
    }
    await same(async (r) => r.totals(instant(0)))
    for (const of of OVERVIEWS)
      await same(async (r) => r.overview(of, { limit: 500, filter: {}, now: instant(0) }))
  })
})
