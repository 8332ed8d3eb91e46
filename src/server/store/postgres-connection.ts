import { setTimeout as sleep } from 'node:timers/promises'
import pg, { type Client } from 'pg'
import { StoreAway } from './store-errors.ts'

/** Where the database is, and how it is asked. */
export interface PostgresPlace {
  /** In the order in which they are tried; the first that takes writes is used. */
  readonly hosts: readonly { readonly host: string; readonly port: number }[]
  readonly database: string
  readonly user: string
  readonly password?: string
  /** TLS with a verified certificate; `authorities` in PEM, without them those of the system. */
  readonly tls?: { readonly authorities?: string }
  /** Statements are prepared once per connection. A pooler in transaction mode may not allow it. */
  readonly isPrepared: boolean
  readonly connections: number
  /** In milliseconds: for a connection, a statement and a lock. */
  readonly wait: number
}

/** PostgreSQL, appendix A: what goes away with the connection, or with the server that it leads to. */
const AWAY = /^(?:08|57P0[123]|25006|53300)/

export function codeOf(error: unknown): string {
  const { code } = error as { readonly code?: unknown }
  return typeof code === 'string' ? code : ''
}

export const isAway = (error: unknown): boolean =>
  error instanceof StoreAway ||
  AWAY.test(codeOf(error)) ||
  /^(?:ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOENT|ENOTFOUND|EAI_)/.test(codeOf(error)) ||
  /Connection terminated|not queryable|connection timeout|timeout expired|read timeout/i.test(
    (error as Error).message,
  )

/**
 * A newer node has added a column: what this connection has prepared is of the schema before (PostgreSQL, "cached plan must not change
 * result type"). A new connection prepares it again.
 */
export const isOutdated = (error: unknown): boolean =>
  codeOf(error) === '0A000' && /cached plan/.test((error as Error).message)

/** Texts of PostgreSQL as values: numbers that JavaScript holds exactly, and octets. */
function exactNumber(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is not a number that can be held exactly`)
  return value
}

const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  // int8, int4, int2, numeric (of sums), bytea
  20: exactNumber,
  23: Number,
  21: Number,
  1700: exactNumber,
  17: (text) => new Uint8Array(Buffer.from(text.slice(2), 'hex')),
}
const types = {
  getTypeParser: (id: number) => PARSERS[id] ?? ((text: string) => text),
}

/** One connection. `isBroken` is set when it can no longer be used. */
export interface Connection {
  readonly client: Client
  isBroken: boolean
}

/**
 * A connection to the first host that takes writes. Throws StoreAway with what each of them said, or what the only ones said that can
 * be reached: a standby may lack what its primary has just got. `patience`: milliseconds until a statement without an
 * answer ends the connection; a host that is gone, or frozen, says nothing.
 */
export async function connect(place: PostgresPlace, patience?: number): Promise<Connection> {
  const errors: unknown[] = []
  for (const at of place.hosts)
    try {
      return await connectTo(place, at, patience)
    } catch (error) {
      errors.push(error)
    }
  if (!errors.some(isAway)) throw errors[0]
  const reasons = errors.map((error, at) => {
    const { host, port } = place.hosts[at] ?? { host: '', port: 0 }
    return `${host}:${port}: ${(error as Error).message || codeOf(error)}`
  })
  throw new StoreAway(`the database cannot be reached: ${reasons.join('; ')}`)
}

async function connectTo(
  { database, user, password, tls, wait }: PostgresPlace,
  { host, port }: PostgresPlace['hosts'][number],
  patience: number | undefined,
): Promise<Connection> {
  const client = new pg.Client({
    host,
    port,
    database,
    user,
    // Never one of the environment or of ~/.pgpass: what is not set here is not there.
    password: password ?? '',
    ssl: tls === undefined ? false : { ...(tls.authorities !== undefined && { ca: tls.authorities }) },
    types,
    pipeline: true,
    keepAlive: true,
    application_name: 'holdfast',
    connectionTimeoutMillis: wait,
    statement_timeout: wait,
    lock_timeout: wait,
    idle_in_transaction_session_timeout: wait,
    ...(patience !== undefined && { query_timeout: patience }),
  })
  const connection: Connection = { client, isBroken: false }
  client.on('error', () => (connection.isBroken = true))
  client.on('end', () => (connection.isBroken = true))
  try {
    await client.connect()
    const { rows } = await client.query<{ transaction_read_only: string }>('SHOW transaction_read_only')
    if (rows[0]?.transaction_read_only !== 'off') throw new StoreAway('it takes no writes')
    return connection
  } catch (error) {
    void client.end().catch(() => undefined)
    throw error
  }
}

/** In milliseconds: the server itself ends a statement after `wait`. */
const MARGIN = 1000

/** A server that is frozen does not say goodbye. */
async function ended(client: Client): Promise<void> {
  const farewell = client.end().catch(() => undefined)
  await Promise.race([farewell, sleep(MARGIN, undefined, { ref: false })])
  client.connection.stream.destroy()
}

interface Waiting {
  readonly take: (connection: Connection) => void
  readonly fail: (error: unknown) => void
}

/** Connections that are used by one work at a time. They are opened when they are needed, and kept. */
export class ConnectionPool {
  readonly #place: PostgresPlace
  readonly #free: Connection[] = []
  readonly #waiting: Waiting[] = []
  #open = 0
  #isClosed = false

  constructor(place: PostgresPlace) {
    this.#place = place
  }

  get place(): PostgresPlace {
    return this.#place
  }

  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await this.#take()
    try {
      return await work(connection)
    } finally {
      this.#give(connection)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(this.#free.splice(0).map(async ({ client }) => ended(client)))
  }

  async #take(): Promise<Connection> {
    for (let free = this.#free.pop(); free !== undefined; free = this.#free.pop()) {
      if (!free.isBroken) return free
      this.#open -= 1
      void ended(free.client)
    }
    if (this.#open >= this.#place.connections)
      return new Promise((take, fail) => this.#waiting.push({ take, fail }))
    this.#open += 1
    try {
      return await connect(this.#place, this.#place.wait + MARGIN)
    } catch (error) {
      this.#open -= 1
      throw error
    }
  }

  #give(connection: Connection): void {
    const next = this.#waiting.shift()
    // After a failover, or a change of the schema, the others are lost, too.
    if (connection.isBroken) for (const free of this.#free) free.isBroken = true
    if (connection.isBroken || this.#isClosed) {
      this.#open -= 1
      void ended(connection.client)
      // Whoever waits opens another one.
      if (next !== undefined) void this.#take().then(next.take, next.fail)
    } else if (next === undefined) this.#free.push(connection)
    else next.take(connection)
  }
}
