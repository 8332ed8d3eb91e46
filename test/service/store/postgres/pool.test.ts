import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PostgresPlace } from '../../../../src/service/store/postgres/connection.ts'
import { ConnectionPool } from '../../../../src/service/store/postgres/pool.ts'
import { inSnapshot } from '../../../../src/service/store/postgres/transaction.ts'
import { READING } from '../../../../src/service/store/sql/reading.ts'
import { StoreAway } from '../../../../src/service/store/errors.ts'
import { eventually } from '../../../eventually.ts'
import { endsBefore } from '../../../lab/ends-before.ts'
import { type Postgres, startPostgres, whyNoPostgres } from '../../../lab/postgres.ts'

const lacking = whyNoPostgres()
const WAIT = 1000

describe.skipIf(lacking !== undefined)('a pool of connections', () => {
  let postgres: Postgres
  let place: PostgresPlace
  beforeAll(async () => {
    postgres = await startPostgres()
    place = { ...(await postgres.store()), wait: WAIT, connections: 8 }
    await postgres.query('CREATE ROLE limited LOGIN CONNECTION LIMIT 2')
  })
  afterAll(async () => postgres?.stop(), 60_000)

  const ask = async (pool: ConnectionPool, text = 'SELECT 1'): Promise<unknown> =>
    pool.use(async (connection) =>
      connection.client.query(text).catch((error: unknown) => {
        connection.isBroken = true
        throw error
      }),
    )

  it('makes do with fewer than it wants, where the database gives no more', async () => {
    const pool = new ConnectionPool({ ...place, user: 'limited' })
    await ask(pool)
    const asked = Array.from({ length: 24 }, async () => ask(pool, 'SELECT pg_sleep(0.02)'))
    const ended = await Promise.allSettled(asked)
    expect(ended.filter(({ status }) => status === 'rejected')).toEqual([])
    await pool.close()
  })

  it('lets nobody wait longer than it says, while the database says nothing', async () => {
    const pool = new ConnectionPool(place)
    await Promise.all(Array.from({ length: 8 }, async () => ask(pool, 'SELECT pg_sleep(0.1)')))
    postgres.freeze()
    const asked: Promise<[end: string, isInTime: boolean]>[] = []
    for (let n = 0; n < 60; n++) {
      const answer = ask(pool)
      const end = answer.then(
        () => 'answered',
        () => 'refused',
      )
      // A second more than the wait, in which the server may say so itself.
      asked.push(Promise.all([end, endsBefore([WAIT + 1500], answer)]))
      await sleep(100)
    }
    expect(await Promise.all(asked)).toEqual(asked.map(() => ['refused', true]))
    postgres.thaw()
    await eventually(
      async () =>
        ask(pool).then(
          () => 'ready',
          () => 'away',
        ),
      20,
    ).toBe('ready')
    await pool.close()
  })

  it('waits once for a database that says nothing, also where it was sent a COMMIT before', async () => {
    const pool = new ConnectionPool(place)
    await inSnapshot(pool, async (sql) => {
      await sql(READING.anyAccount).all()
      postgres.freeze()
    })
    // Its COMMIT has no answer, so that the driver ends the connection before it gives the next statement up.
    await sleep(100)
    const asked = inSnapshot(pool, async (sql) => sql(READING.anyAccount).all())
    const isInTime = endsBefore([WAIT, 600], asked)
    await expect(asked).rejects.toThrow('the database says nothing')
    postgres.thaw()
    expect(await isInTime).toBe(true)
    await pool.close()
  })

  it.each(['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'])(
    'has the database itself end what takes longer: %s',
    async (name) => {
      const pool = new ConnectionPool(place)
      expect(await ask(pool, `SHOW ${name}`)).toMatchObject({ rows: [{ [name]: '1s' }] })
      await pool.close()
    },
  )

  it('cuts what is in use when it is closed', async () => {
    const pool = new ConnectionPool(place)
    const asked = ask(pool, 'SELECT pg_sleep(30)').catch((error: Error) => error)
    await sleep(300)
    await pool.close()
    expect(await asked).toBeInstanceOf(Error)
    await expect(ask(pool)).rejects.toThrow(StoreAway)
  })
})
