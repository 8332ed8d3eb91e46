import pg, { type Client } from 'pg'
import { StoreAway } from '../errors.ts'

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

/** PostgreSQL, appendix A: errors of the connection, or of the server behind it; another connection may work. */
const AWAY = /^(?:08|57P0[123]|25006|53300)/

/** Appendix A: the server, or this role, has as many connections as it may. */
const TOO_MANY = '53300'
export class NoMoreConnections extends StoreAway {}

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
 * A newer node has added a column, and the statements that this connection has prepared are of the old schema
 * (PostgreSQL, "cached plan must not change result type"). A new connection prepares them again.
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

type Host = PostgresPlace['hosts'][number]

interface ConnectOptions {
  /**
   * In milliseconds: a statement without an answer for this long ends the connection: a lost or frozen host never
   * answers.
   */
  readonly patience?: number
  /** Ends the attempt. */
  readonly ending?: AbortSignal
}

/** One connection. `isBroken`: it can no longer be used. `isSilent`: the server does not answer. */
export interface Connection {
  readonly client: Client
  readonly host: Host
  isBroken: boolean
  isSilent: boolean
}

/**
 * A connection to the first host that accepts writes. Throws StoreAway with the error of each host, or with the errors
 * of the hosts that can be reached: a standby may lack the latest changes of its primary.
 */
export async function connect(place: PostgresPlace, options: ConnectOptions = {}): Promise<Connection> {
  const errors: unknown[] = []
  for (const at of place.hosts)
    try {
      return await connectTo(place, at, options)
    } catch (error) {
      errors.push(error)
    }
  if (!errors.some(isAway)) throw errors[0]
  const reasons = errors.map((error, at) => {
    const { host, port } = place.hosts[at] ?? { host: '', port: 0 }
    return `${host}:${port}: ${(error as Error).message || codeOf(error)}`
  })
  const reason = `the database cannot be reached: ${reasons.join('; ')}`
  throw errors.some((error) => codeOf(error) === TOO_MANY)
    ? new NoMoreConnections(reason)
    : new StoreAway(reason)
}

/** Without a password, a server that wants one gets no answer, and the attempt would only time out. */
async function connectWithout(client: Client): Promise<void> {
  const wanted = new Promise<never>((_, reject) => {
    for (const way of WAYS_OF_PASSWORDS)
      client.connection.once(way, () =>
        reject(
          Object.assign(new Error('the server wants a password: set store_password_file'), { code: '28P01' }),
        ),
      )
  })
  await Promise.race([client.connect(), wanted])
}

/** The events of the driver for the requests of a password (PostgreSQL, "Message Formats", Authentication…). */
const WAYS_OF_PASSWORDS = [
  'authenticationCleartextPassword',
  'authenticationMD5Password',
  'authenticationSASL',
] as const

async function connectTo(
  { hosts, database, user, password, tls, wait }: PostgresPlace,
  at: Host,
  { patience, ending }: ConnectOptions,
): Promise<Connection> {
  const { host, port } = at
  const client = new pg.Client({
    host,
    port,
    database,
    user,
    // A password from the environment or ~/.pgpass is never used.
    password: password ?? '',
    ssl: tls === undefined ? false : { ...(tls.authorities !== undefined && { ca: tls.authorities }) },
    types,
    pipeline: true,
    keepAlive: true,
    application_name: 'holdfast',
    // A host without power never answers; the next host is tried within the same time limit.
    connectionTimeoutMillis: Math.ceil(wait / hosts.length),
    statement_timeout: wait,
    lock_timeout: wait,
    idle_in_transaction_session_timeout: wait,
    ...(patience !== undefined && { query_timeout: patience }),
  })
  const connection: Connection = { client, host: at, isBroken: false, isSilent: false }
  client.on('error', () => (connection.isBroken = true))
  client.on('end', () => (connection.isBroken = true))
  const cut = (): void => void client.connection.stream.destroy()
  ending?.addEventListener('abort', cut, { once: true })
  try {
    await (password === undefined ? connectWithout(client) : client.connect())
    const { rows } = await client.query<{ transaction_read_only: string }>('SHOW transaction_read_only')
    if (rows[0]?.transaction_read_only !== 'off') throw new StoreAway('it takes no writes')
    return connection
  } catch (error) {
    void client.end().catch(() => undefined)
    throw error
  } finally {
    ending?.removeEventListener('abort', cut)
  }
}
