import { steadyClock } from '../../../../src/shared/platform/clock/clock.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clockFault, databaseFailure } from '../../../../src/service/admin/store/open-postgres.ts'
import type { SharedPlace } from '../../../../src/service/admin/store/place.ts'
import { instant } from '../../../../src/shared/base/time.ts'
import { readiness } from '../../../../src/service/program/start.ts'
import { postgresStore } from '../../../../src/service/store/postgres/store.ts'
import type { Store } from '../../../../src/service/store/store.ts'
import { StoreAway, StoreBusy, StoreRefused } from '../../../../src/service/store/errors.ts'
import { fill } from '../../../contract/store.ts'
import { clockAhead } from '../../../../src/service/store/postgres/migrations.ts'
import { type Postgres, startPostgres, whyNoPostgres } from '../../../lab/postgres.ts'

it.each([
  [0, false],
  [30_000, false],
  [-30_000, false],
  [30_001, true],
  [-30_001, true],
])('a clock that is %i ms ahead of the database is refused: %s', (ahead, isRefused) => {
  expect(clockFault(ahead) !== undefined).toBe(isRefused)
})

// biome-ignore format: a table
it.each([
  [{ code: '55P03' }, 'waiting'], [{ code: '57014' }, 'waiting'], [{ code: '57P01' }, 'waiting'], [{ code: '25006' }, 'waiting'],
  [{ code: '53100' }, 'waiting'], [{ code: '53300' }, 'waiting'], [{ code: '40P01' }, 'waiting'], [{ code: 'ECONNRESET' }, 'waiting'],
  [new Error('Connection terminated unexpectedly'), 'waiting'], [new StoreBusy('x'), 'waiting'], [new StoreAway('x'), 'waiting'],
  [{ code: '28P01' }, 'waiting'], [{ code: '28000' }, 'waiting'], [{ code: '3D000' }, 'configuration'], [{ code: '42501' }, 'configuration'],
  [{ code: 'CERT_HAS_EXPIRED' }, 'configuration'], [{ code: 'ERR_TLS_CERT_ALTNAME_INVALID' }, 'configuration'],
  [{ code: 'EROFS', path: '/etc/holdfast/hash.key' }, 'configuration'], [new StoreRefused('x'), 'configuration'],
  [new Error('The server does not support SSL connections'), 'configuration'],
])('a start that ends with %o is told as %s', (error, exit) => {
  const place = { url: { hosts: [], user: 'u', database: 'd' } } as unknown as SharedPlace
  expect(databaseFailure(place, Object.assign(error, { message: 'message' in error ? error.message : 'x' })).exit).toBe(exit)
})

it.each([
  ['08P01', 'unsupported startup parameter: statement_timeout', 'ignore_startup_parameters'],
  ['42P05', 'prepared statement "h73e6" already exists', '?prepare=off'],
  ['26000', 'prepared statement "h73e6" does not exist', '?prepare=off'],
])('%s, %s: what to set at the pooler', (code, message, advice) => {
  const place = { url: { hosts: [], user: 'u', database: 'd' } } as unknown as SharedPlace
  expect(databaseFailure(place, Object.assign(new Error(message), { code })).messages.join()).toContain(
    advice,
  )
})

it('says by how many seconds, and what to do', () => {
  expect(clockFault(-90_400)).toContain('by 90 seconds')
  expect(clockFault(-90_400)).toContain('chrony')
})

const lacking = whyNoPostgres()
const NOW = instant(Date.UTC(2026, 0, 1))

describe.skipIf(lacking !== undefined)('the clock of this host', () => {
  let postgres: Postgres
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(async () => postgres?.stop(), 60_000)

  it.each([0, 45_000, -45_000])('%i ms ahead is found to be so', async (skew) => {
    const store = await postgres.store()
    const began = Date.now()
    const ahead = await clockAhead(store, () => Date.now() + skew)
    // One clock is read between two readings of the other.
    expect(Math.abs(ahead - skew)).toBeLessThanOrEqual(Date.now() - began + 1)
  })
})

describe.skipIf(lacking !== undefined)('a node', () => {
  let postgres: Postgres
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(async () => postgres?.stop(), 60_000)

  it.each([
    [0, true],
    [60_000, false],
    [-60_000, false],
  ])('is ready while its clock is %i ms behind that of the database: %s', async (behind, isReady) => {
    const store = { probe: async () => Promise.resolve(instant(Date.now() + behind)) } as unknown as Store
    expect(await readiness(store, new AbortController().signal)('writes')).toBe(isReady)
  })

  it.each(['INSERT', 'UPDATE', 'DELETE', 'SELECT'])(
    'is not ready once its role has lost the right of %s on one table, and ready again with it',
    async (right) => {
      const place = await postgres.store()
      const { database } = place
      const role = `node_${right.toLowerCase()}`
      await postgres.query(
        `CREATE ROLE ${role} LOGIN;
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role};
        GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO ${role}`,
        database,
      )
      const store = postgresStore({ ...place, user: role }, steadyClock)
      const at = await fill(store)
      const answers: boolean[] = []
      const ask = async (): Promise<void> => {
        // Each has an answer of its own: one is kept for a second.
        answers.push(await readiness(store, new AbortController().signal)('writes'))
      }
      await ask()
      await postgres.query(`REVOKE ${right} ON rdata FROM ${role}`, database)
      await ask()
      // It takes no writes, which is no bug of this program.
      if (right === 'INSERT')
        await expect(
          store.write(async (w) => w.setSingleValue(at.home, { dnsType: 'MX', value: '1 a.' }, NOW)),
        ).rejects.toThrow(StoreAway)
      await postgres.query(`GRANT ${right} ON rdata TO ${role}`, database)
      await ask()
      await store.close()
      expect(answers).toEqual([true, false, true])
    },
  )
})
