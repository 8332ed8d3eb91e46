import { steadyClock } from '../../../../src/shared/platform/clock/clock.ts'
import { afterAll, beforeAll, describe } from 'vitest'
import { postgresStore } from '../../../../src/service/store/postgres/store.ts'
import { bulkContract } from '../../../contract/bulk.ts'
import { listsContract } from '../../../contract/lists.ts'
import { recordsContract } from '../../../contract/records.ts'
import { storeContract } from '../../../contract/store.ts'
import { type Postgres, startPostgres, whyNoPostgres } from '../../../lab/postgres.ts'

const lacking = whyNoPostgres()
if (lacking !== undefined)
  console.error(`\n!!! ${lacking}: the tests of the store in PostgreSQL are SKIPPED\n`)

describe.skipIf(lacking !== undefined)('PostgreSQL', () => {
  let postgres: Postgres
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(async () => postgres?.stop(), 60_000)

  storeContract('the store in PostgreSQL', async () => postgresStore(await postgres.store(), steadyClock))
  bulkContract('the store in PostgreSQL', async () => postgresStore(await postgres.store(), steadyClock))
  listsContract('the store in PostgreSQL', async () => postgresStore(await postgres.store(), steadyClock))
  recordsContract('the store in PostgreSQL', async () => postgresStore(await postgres.store(), steadyClock))
})
