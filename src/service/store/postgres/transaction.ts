import { setTimeout as sleep } from 'node:timers/promises'
import { codeOf, type Connection, isAway, isOutdated } from './connection.ts'
import type { ConnectionPool } from './pool.ts'
import { type PostgresSql, postgresStatements } from './statements.ts'
import { StoreAway, StoreBusy } from '../errors.ts'

/** Appendix A: could not be serialized, deadlock. Another attempt succeeds. */
const AGAIN = new Set(['40001', '40P01'])
/** Another process has created the same row, or removed one that this one refers to: another attempt finds it. */
const OTHERS = new Set(['23505', '23503'])
/** A lock or the statement took too long. */
const SLOW = new Set(['55P03', '57014'])
/**
 * PostgreSQL, appendix A: the disk or the memory of the server is full, the role has lost a right, or a login is refused
 * (pg_hba, NOLOGIN, another password, a database that was renamed): no writes until its operator acts.
 */
const UNUSABLE = /^(?:53100|53200|42501|28|3D000)/
const MAX_TRIES = 8
/** Connections that are lost in one request. */
const MAX_LOST = 3
/** In milliseconds. */
const MAX_PAUSE = 100
/** In milliseconds: statements of what began earlier may take as long as any. */
const BEGUN_LATE = 200

/** Another connection may work. If no connection could be made, another attempt fails too. */
const isLost = (error: unknown): boolean =>
  !(error instanceof StoreAway) && (isAway(error) || isOutdated(error))

/**
 * What nobody waits for, such as BEGIN: the statement after it fails too. If the server does not answer it, the driver ends
 * the connection, and what was sent later fails by that.
 */
const unheard = (connection: Connection, promise: Promise<unknown>): void =>
  void promise.catch((error: Error) => {
    connection.isSilent ||= /read timeout/i.test(error.message)
  })

/** What is sent in this turn of the event loop leaves in one packet: each write of a socket costs as much as a statement. */
function gather({ client }: Connection): void {
  const { stream } = client.connection
  stream.cork()
  process.nextTick(() => stream.uncork())
}

/** Begins a transaction, together with the first statement. There is no second attempt if the server does not answer. */
function begin(connection: Connection, text: string): void {
  gather(connection)
  unheard(connection, connection.client.query(text))
}

/** Whatever the default of the database is: at SERIALIZABLE, locks would need hundreds of repeats (decision 0042). */
const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED'

/** The error of the work, and whether the connection can be used again. */
function failed(connection: Connection, error: unknown): unknown {
  if (isLost(error)) connection.isBroken = true
  return connection.isSilent ? new StoreAway('the database says nothing') : error
}

/** `sentAtOnce`: the work sends all its statements before it waits for the first, so that its COMMIT goes with them. */
type ReadTrips = 'sentAtOnce' | 'several'

/** One snapshot for all reads of the work, which runs once. */
export async function inOneSnapshot<T>(
  pool: ConnectionPool,
  work: (sql: PostgresSql) => Promise<T>,
  trips: ReadTrips = 'several',
): Promise<T> {
  return pool.use(async (connection) => {
    const { client } = connection
    const end = (): void => unheard(connection, client.query('COMMIT'))
    begin(connection, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    try {
      const working = work(postgresStatements(client, pool.place))
      if (trips === 'sentAtOnce') end()
      return await working
    } catch (error) {
      throw failed(connection, error)
    } finally {
      if (trips === 'several') end()
    }
  })
}

/** The same; the work runs again if the connection is lost. */
export async function inSnapshot<T>(
  pool: ConnectionPool,
  work: (sql: PostgresSql) => Promise<T>,
  trips: ReadTrips = 'several',
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const tried = await inOneSnapshot(pool, work, trips).then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    )
    if ('value' in tried) return tried.value
    if (!isLost(tried.error) || !isWorthAnotherTry(tried.error, attempt)) throw toStoreError(tried.error)
  }
}

/** The connection was lost during COMMIT: the changes may be durable, or not. */
class Unknown extends StoreAway {}

/** A transaction whose statements and COMMIT are sent at once: one round trip. */
export async function inOneTrip<T>(pool: ConnectionPool, work: (sql: PostgresSql) => Promise<T>): Promise<T> {
  return pool.use(async (connection) => {
    const { client } = connection
    try {
      begin(connection, BEGIN)
      const working = work(postgresStatements(client, pool.place))
      unheard(connection, working)
      // After an error, COMMIT reverts the transaction.
      await client.query('COMMIT')
      return await working
    } catch (error) {
      const reason = failed(connection, error)
      throw isAway(reason) ? new Unknown((reason as Error).message) : reason
    }
  })
}

async function once<T>(
  connection: Connection,
  pool: ConnectionPool,
  { work, limits }: { readonly work: (sql: PostgresSql) => Promise<T>; readonly limits: string },
): Promise<T> {
  const { client } = connection
  begin(connection, `${BEGIN}${limits}`)
  let isCommitting = false
  try {
    const value = await work(postgresStatements(client, pool.place))
    isCommitting = true
    const { command } = await client.query('COMMIT')
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back')
    return value
  } catch (error) {
    const reason = failed(connection, error)
    if (isCommitting && isAway(reason)) throw new Unknown((reason as Error).message)
    if (!connection.isBroken) await client.query('ROLLBACK').catch(() => (connection.isBroken = true))
    throw reason
  }
}

interface TransactionOptions {
  /** Reverts what the work changed elsewhere. */
  readonly onFailure?: () => void
  /** In milliseconds: for each lock. */
  readonly lockWait?: number
  /** Milliseconds that are left: after them no attempt is made, and no statement goes on. */
  readonly left?: () => number
}

/**
 * Runs the work in a transaction, again after a conflict with another process, and after a lost connection if nothing
 * can have been stored.
 */
export async function inTransaction<T>(
  pool: ConnectionPool,
  work: (sql: PostgresSql) => Promise<T>,
  { onFailure = () => undefined, lockWait, left = () => Infinity }: TransactionOptions = {},
): Promise<T> {
  const attempted = async (connection: Connection): Promise<{ readonly value: T }> => {
    if (left() < 1) throw new StoreBusy('the time of the request is over')
    const isShort = left() < pool.place.wait - BEGUN_LATE
    const limits = [
      ...(lockWait === undefined ? [] : [`SET LOCAL lock_timeout = ${lockWait}`]),
      ...(isShort ? [`SET LOCAL statement_timeout = ${Math.floor(left())}`] : []),
    ]
    return { value: await once(connection, pool, { work, limits: limits.map((one) => `; ${one}`).join('') }) }
  }
  for (let attempt = 1; ; attempt++) {
    const tried = await pool.use(attempted).catch((error: unknown) => ({ error }))
    if ('value' in tried) return tried.value
    onFailure()
    if (left() < 1 || !isWorthAnotherTry(tried.error, attempt)) throw toStoreError(tried.error)
    await sleep(Math.min(MAX_PAUSE, 2 ** attempt))
  }
}

export function isWorthAnotherTry(error: unknown, attempt: number): boolean {
  if (isLost(error)) return attempt < MAX_LOST
  return attempt < MAX_TRIES && (AGAIN.has(codeOf(error)) || OTHERS.has(codeOf(error)))
}

export function toStoreError(error: unknown): unknown {
  if (error instanceof StoreAway) return error
  if (isAway(error) || UNUSABLE.test(codeOf(error))) return new StoreAway((error as Error).message)
  return AGAIN.has(codeOf(error)) || SLOW.has(codeOf(error)) ? new StoreBusy((error as Error).message) : error
}
