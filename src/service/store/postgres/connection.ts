import pg, { type Client } from 'pg'
import { StoreAway } from '../errors.ts'

/** May change while the store is open: each new connection uses those of its moment. */
export interface DatabaseCredentials {
  readonly password?: string
  /** TLS with a verified certificate; `authorities` in PEM, without them those of the system. */
  readonly tls?: { readonly authorities?: string }
}

/** Where the database is, and how it is asked. */
export interface PostgresPlace {
  /** Of several that take writes, the one with the highest timeline is used. */
  readonly hosts: readonly { readonly host: string; readonly port: number }[]
  readonly database: string
  readonly user: string
  readonly credentials: () => DatabaseCredentials
  /** Statements are prepared once per connection. A pooler in transaction mode may not allow it. */
  readonly isPrepared: boolean
  readonly connections: number
  /** In milliseconds: for a connection, a statement and a lock. */
  readonly wait: number
  /** Resolves after so many milliseconds, and keeps no process alive. */
  readonly pause: (duration: number) => Promise<void>
  /** Called with a host that takes writes although another one has taken over from it. */
  readonly onOldPrimary?: (host: string) => void
}

/** PostgreSQL, appendix A: errors of the connection, or of the server behind it; another connection may work. */
const AWAY = /^(?:08|57P0[123]|25006|53300)/

/** In milliseconds: when one host takes writes, the others have so long to show that they do. */
const OTHERS_WAIT = 500
/** The name of a file of the log begins with the timeline (PostgreSQL, "Backup Control Functions"). */
const TIMELINE = `SELECT current_setting('transaction_read_only') AS transaction_read_only,
  CASE WHEN pg_is_in_recovery() THEN 0
    ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint END AS timeline`
const READ_ONLY = `SELECT current_setting('transaction_read_only') AS transaction_read_only, 0 AS timeline`

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
  /** A host with a lower one is not used. */
  readonly timeline?: number
}

/** One connection. `isBroken`: it can no longer be used. `isSilent`: the server does not answer. */
export interface Connection {
  readonly client: Client
  readonly host: Host
  /** It grows with each failover; 0 where there is one host. */
  readonly timeline: number
  isBroken: boolean
  isSilent: boolean
}

/**
 * A connection to a host that accepts writes. All are asked: of several that do, the one with the highest timeline is the
 * primary, and the others were it before a failover. Throws StoreAway with the error of each host, or with the errors of
 * the hosts that can be reached: a standby may lack the latest changes of its primary.
 */
export async function connect(place: PostgresPlace, options: ConnectOptions = {}): Promise<Connection> {
  const { open, errors } = await connectToAll(place, options)
  const newest = Math.max(options.timeline ?? 0, ...open.map(({ timeline }) => timeline))
  const [best, ...others] = open.toSorted((one, other) => other.timeline - one.timeline)
  const unused = best?.timeline === newest ? others : open
  for (const { client, host, timeline } of unused) {
    void client.end().catch(() => undefined)
    if (timeline === newest) continue
    place.onOldPrimary?.(`${host.host}:${host.port}`)
    errors.set(host, new StoreAway(`it was the primary until a failover, timeline ${timeline} of ${newest}`))
  }
  if (best?.timeline === newest) return best
  const all = [...errors.values()]
  if (!all.some(isAway)) throw all[0]
  const reasons = place.hosts.map((at) => {
    const error = errors.get(at)
    return `${at.host}:${at.port}: ${(error as Error).message || codeOf(error)}`
  })
  const reason = `the database cannot be reached: ${reasons.join('; ')}`
  throw all.some((error) => codeOf(error) === TOO_MANY)
    ? new NoMoreConnections(reason)
    : new StoreAway(reason)
}

/** Those that accept writes, and why the others do not. */
async function connectToAll(place: PostgresPlace, options: ConnectOptions) {
  const errors = new Map<Host, unknown>()
  const open: Connection[] = []
  let isOver = false
  const attempts = place.hosts.map(async (at) => {
    const connection = await connectTo(place, at, options).catch((error: unknown) => {
      errors.set(at, error)
      throw error
    })
    if (isOver) void connection.client.end().catch(() => undefined)
    else open.push(connection)
    // The new primary may still answer.
    if (connection.timeline < (options.timeline ?? 0)) throw new StoreAway('it is an old primary')
  })
  const some = Promise.any(attempts).then(
    async () => place.pause(OTHERS_WAIT),
    () => undefined,
  )
  await Promise.race([some, Promise.allSettled(attempts)])
  isOver = true
  return { open, errors }
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
  { hosts, database, user, credentials, wait }: PostgresPlace,
  at: Host,
  { patience, ending }: ConnectOptions,
): Promise<Connection> {
  const { host, port } = at
  const { password, tls } = credentials()
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
    // A host without power never answers.
    connectionTimeoutMillis: wait,
    statement_timeout: wait,
    lock_timeout: wait,
    idle_in_transaction_session_timeout: wait,
    ...(patience !== undefined && { query_timeout: patience }),
  })
  const connection = { client, host: at, timeline: 0, isBroken: false, isSilent: false }
  for (const event of ['error', 'end'] as const) client.on(event, () => (connection.isBroken = true))
  const cut = (): void => void client.connection.stream.destroy()
  ending?.addEventListener('abort', cut, { once: true })
  try {
    await (password === undefined ? connectWithout(client) : client.connect())
    const { rows } = await client.query<{ transaction_read_only: string; timeline: number }>(
      hosts.length > 1 ? TIMELINE : READ_ONLY,
    )
    const [found] = rows
    if (found?.transaction_read_only !== 'off') throw new StoreAway('it takes no writes')
    connection.timeline = found.timeline
    return connection
  } catch (error) {
    void client.end().catch(() => undefined)
    throw error
  } finally {
    ending?.removeEventListener('abort', cut)
  }
}
