import type { Clock } from '../../../shared/ports/clock.ts'
import type { Store } from '../store.ts'
import { checkPostgres } from './check.ts'
import type { PostgresPlace } from './connection.ts'
import { ConnectionPool } from './pool.ts'
import { postgresStoreOn } from './store.ts'

/** The store in this database, whose schema is of this version. Throws StoreRefused if the statements do not fit it. */
export async function openPostgresStore(place: PostgresPlace, clock: Clock): Promise<Store> {
  const pool = new ConnectionPool(place)
  try {
    await pool.use(async ({ client }) => checkPostgres(client))
    return postgresStoreOn(pool, clock)
  } catch (error) {
    await pool.close()
    throw error
  }
}
