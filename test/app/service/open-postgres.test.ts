import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clockFault } from '../../../src/app/service/open-postgres.ts'
import { clockAhead } from '../../../src/server/store/postgres-migrations.ts'
import { type Postgres, startPostgres, whyNoPostgres } from '../../lab/postgres.ts'

it.each([
  [0, false],
  [30_000, false],
  [-30_000, false],
  [30_001, true],
  [-30_001, true],
])('a clock that is %i ms ahead of the database is refused: %s', (ahead, isRefused) => {
  expect(clockFault(ahead) !== undefined).toBe(isRefused)
})

it('says by how many seconds, and what to do', () => {
  expect(clockFault(-90_400)).toContain('by 90 seconds')
  expect(clockFault(-90_400)).toContain('chrony')
})

const lacking = whyNoPostgres()

describe.skipIf(lacking !== undefined)('the clock of this host', () => {
  let postgres: Postgres
  beforeAll(async () => {
    postgres = await startPostgres()
  }, 60_000)
  afterAll(async () => postgres?.stop(), 60_000)

  it.each([0, 45_000, -45_000])('%i ms ahead is found to be so', async (skew) => {
    const ahead = await clockAhead(await postgres.store(), () => Date.now() + skew)
    expect(Math.abs(ahead - skew)).toBeLessThan(2000)
  })
})
