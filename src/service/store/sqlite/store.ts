import { statSync } from 'node:fs'
import { join } from 'node:path'
import { after, type Duration, type Instant, seconds } from '../../../shared/base/time.ts'
import { WAIT_ENDED } from '../../../shared/base/concurrency.ts'
import type { Clock } from '../../../shared/ports/clock.ts'
import { GroupCommit } from './group-commit.ts'
import { type ReadCache, readCache } from './read-cache.ts'
import { CachedCounters, withUnstoredUses } from '../cached-counters.ts'
import { type Connections, DATABASE_FILE, openConnections, openMemory, type OpenMode } from './open.ts'
import type { NameQuery } from '../../model/query.ts'
import { isLong } from '../sql/listing.ts'
import { LongListings } from './long-listings.ts'
import { withConsequences } from '../events.ts'
import { sqlReading } from '../sql/reading.ts'
import { SQLITE_COUNTERS, sqliteCounters, storedCounters } from './counters.ts'
import { checkSchema, SCHEMA } from './schema-check.ts'
import { PRAGMAS } from './pragmas.ts'
import { type SqliteSql, statements } from './transaction.ts'
import { sqlWriting } from '../sql/writing.ts'
import type { About, RequestWindow, SnapshotReads, Store, StoreReads, StoreWrites } from '../store.ts'
import { compareColumns, type NamedSelect, namedSelects, refusedBy } from '../select-check.ts'
import type { Selects } from '../select.ts'
import { SHARED_SELECTS } from '../sql/shared-selects.ts'
import { SQLITE_COPY } from './copy-rows.ts'
import { FILES } from './files.ts'
import { SWEEP } from './sweep.ts'
import type { PublishedZone } from '../published.ts'

/** Counts requests in this process. */
function requestWindows(): Store['countRequest'] {
  const windows = new Map<number, RequestWindow>()
  return async (accountId, now, span) => {
    const window = windows.get(accountId)
    const current = window === undefined || now - window.since >= span ? { count: 0, since: now } : window
    const counted = { ...current, count: current.count + 1 }
    windows.set(accountId, counted)
    return counted
  }
}

/** Names that are kept, also those that are no zone. */
const MAX_KEPT = 10_000

type Load = (apex: string) => Promise<PublishedZone | undefined>

/** The published zones by their names, until the next commit: each question asks for those above its name. */
export class PublishedZones {
  readonly #load: Load
  readonly #kept = new Map<string, PublishedZone | undefined>()
  #commits = 0

  constructor(load: Load) {
    this.#load = load
  }

  async get(apex: string): Promise<PublishedZone | undefined> {
    if (this.#kept.has(apex)) return this.#kept.get(apex)
    const commits = this.#commits
    const zone = await this.#load(apex)
    // What was read before a commit may be old.
    if (commits !== this.#commits) return zone
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear()
    this.#kept.set(apex, zone)
    return zone
  }

  /** Something was committed. */
  clear(): void {
    this.#commits++
    this.#kept.clear()
  }
}

export const SQLITE_SELECTS: Readonly<Record<string, Selects>> = {
  ...SHARED_SELECTS,
  SQLITE_COPY,
  SQLITE_COUNTERS,
  FILES,
  PRAGMAS,
  SCHEMA,
  SWEEP,
}

/** SQLite, "Result and Error Codes": the statement is wrong, and not the file or the disk. */
const SQLITE_ERROR = 1

/** Prepares each statement. Throws StoreRefused if one does not fit the database. */
export function checkSqlite(sql: SqliteSql, lists = SQLITE_SELECTS): void {
  for (const one of namedSelects(lists))
    compareColumns(
      one,
      columnsOf(sql, one).map(({ name, type }) => ({ name, type: type ?? undefined })),
    )
}

function columnsOf(sql: SqliteSql, one: NamedSelect) {
  try {
    return sql(one.select).columns()
  } catch (error) {
    if ((error as { readonly errcode?: number }).errcode !== SQLITE_ERROR) throw error
    throw refusedBy(one, (error as Error).message)
  }
}

/** A store in a folder of its own; the clock is monotonic. Throws StoreRefused if this program must not touch the data. */
export function sqliteStore(folder: string, clock: Clock, mode?: OpenMode): Store {
  const connections = openConnections(folder, mode)
  try {
    checkSchema(connections.reader, join(folder, DATABASE_FILE))
    checkSqlite(statements(connections.reader))
    return new SqliteStore(connections, clock)
  } catch (error) {
    connections.reader.close()
    connections.writer.close()
    throw error
  }
}

/** The same in memory, on one connection, which shows uncommitted changes: reads are queued like writes. */
export const memoryStore = (clock: Clock, connections: Connections = openMemory()): Store =>
  new SqliteStore(connections, clock)

/** Counters stored in one transaction; the requests in the same transaction wait for it. */
const FLUSH_BATCH = 1000

/** At the end: so long another program that writes is waited for. */
const MAX_FINISH: Duration = seconds(1)

class SqliteStore implements Store {
  readonly isShared = false
  readonly countRequest = requestWindows()
  readonly #connections: Connections
  readonly #clock: Clock
  readonly #sql: SqliteSql
  readonly #groupCommit: GroupCommit
  readonly #counters: CachedCounters
  readonly #listings: LongListings | undefined
  readonly #tables: ReadCache
  readonly #zones: PublishedZones
  readonly #reads: StoreReads
  readonly #writes: StoreWrites
  #dataVersion: number | undefined

  constructor(connections: Connections, clock: Clock) {
    const { writer, reader, path } = connections
    this.#connections = connections
    this.#clock = clock
    this.#listings = path === undefined ? undefined : new LongListings(path, clock)
    this.#sql = statements(writer)
    this.#dataVersion = this.#currentDataVersion()
    this.#groupCommit = new GroupCommit(writer, clock, {
      onBegin: () => this.#checkDataVersion(),
      onCommit: () => this.#zones.clear(),
      onRollback: () => this.#invalidateCaches(),
    })
    this.#counters = new CachedCounters(sqliteCounters(this.#sql), (undo) =>
      this.#groupCommit.recordUndo(undo),
    )
    const readerSql = statements(reader)
    const records = sqlReading(readerSql)
    this.#zones = new PublishedZones(records.publishedZone)
    const reading = {
      ...records,
      publishedZone: async (apex: string) => this.#zones.get(apex),
      ...listingsOf(readerSql, records, this.#listings),
      ...storedCounters(readerSql),
    }
    this.#tables = readCache(sqlWriting(this.#sql), Object.keys(reading))
    this.#reads = readsWithCounters(reading, this.#counters, async () => this.#flushForRead())
    this.#writes = {
      ...writesWithCounters(this.#tables, this.#counters),
      databaseIdentity: async () => fileIdentity(path),
    }
  }

  /** A call that says what it will read is an update, which is short. */
  async write<T>(work: (writing: StoreWrites) => Promise<T>, about?: () => About): Promise<T> {
    const queue = about === undefined ? 'late' : 'first'
    const value = await this.#groupCommit.commit(async () => work(this.#writes), queue)
    if (this.#counters.dirtyCount > 0) this.#groupCommit.schedule(async () => this.#flushCounters())
    return value
  }

  async read<T>(work: (reading: StoreReads) => Promise<T>): Promise<T> {
    const { writer, reader } = this.#connections
    if (reader === writer) return this.#groupCommit.commit(async () => work(this.#writes))
    this.#checkDataVersion()
    return work(this.#reads)
  }

  async snapshot<T>(work: (reading: SnapshotReads) => Promise<T>): Promise<T> {
    const { openReader } = this.#connections
    if (openReader === undefined) return this.read(work)
    const connection = openReader()
    try {
      // The first read of the transaction determines what all of its reads see.
      connection.exec('BEGIN')
      return await work(sqlReading(statements(connection)))
    } finally {
      connection.close()
    }
  }

  async probe(now: Instant): Promise<Instant> {
    // A value that is there already would not be written.
    await this.write(async (w) => w.setFact('ready', String(now)))
    return now
  }

  async close(): Promise<void> {
    const { writer, reader } = this.#connections
    // Waits for all earlier work. A full disk, or another program that writes, must not prevent the end; the requests that
    // wrote have the error already.
    const ended = this.#finish()
    const over = new AbortController()
    await Promise.race([ended, this.#clock.sleep(after(this.#clock.now(), MAX_FINISH), over.signal)])
    over.abort(WAIT_ENDED)
    this.#groupCommit.stop()
    await ended
    await this.#listings?.close()
    if (reader !== writer) reader.close()
    writer.close()
  }

  async #finish(): Promise<void> {
    await Promise.allSettled([
      this.#groupCommit.commit(async () => undefined),
      this.#groupCommit.commit(async () => undefined, 'late'),
    ])
    await this.#flushCounters().catch(() => undefined)
  }

  /** Stores what is dirty now; counters that change meanwhile wait for the next flush. */
  async #flushCounters(): Promise<void> {
    const isDone = this.#counters.beginFlush()
    while (!isDone()) await this.#groupCommit.commit(async () => this.#counters.flush(FLUSH_BATCH))
  }

  /** While another program writes, a read shows the counters as they are stored. */
  async #flushForRead(): Promise<void> {
    const flushed = this.#flushCounters()
    await Promise.race([
      flushed,
      this.#groupCommit.untilLocked().then(() => void flushed.catch(() => undefined)),
    ])
  }

  checkpoint(): void {
    try {
      this.#connections.writer.exec('PRAGMA wal_checkpoint(PASSIVE)')
    } catch {
      // A full disk, or a transaction under way: the next time is soon enough.
    }
  }

  #currentDataVersion(): number | undefined {
    return this.#sql(PRAGMAS.dataVersion).get()?.data_version
  }

  #checkDataVersion(): void {
    const current = this.#currentDataVersion()
    if (current === this.#dataVersion) return
    this.#dataVersion = current
    this.#invalidateCaches()
  }

  #invalidateCaches(): void {
    this.#counters.invalidate()
    this.#tables.invalidateAll()
    this.#zones.clear()
  }
}

/** A copy that is put in the place of the database is another file. */
function fileIdentity(path: string | undefined): string | undefined {
  if (path === undefined) return undefined
  const { dev, ino } = statSync(path)
  return `file ${dev} ${ino}`
}

/** Those that may take long are read in another thread, where there is a file. */
const listingsOf = (
  sql: SqliteSql,
  here: Pick<StoreReads, 'namesBy' | 'summariesBy'>,
  long: LongListings | undefined,
): Pick<StoreReads, 'namesBy' | 'summariesBy'> => {
  const placeOf = async (query: NameQuery) => (long !== undefined && (await isLong(sql, query)) ? long : here)
  return {
    namesBy: async (query) => (await placeOf(query)).namesBy(query),
    summariesBy: async (query) => (await placeOf(query)).summariesBy(query),
  }
}

/** Counters come from the cache; a read in the order of one flushes the cache first. */
const readsWithCounters = (
  tables: StoreReads,
  counters: CachedCounters,
  flush: () => Promise<void>,
): StoreReads => ({
  ...tables,
  ...counters.reads(),
  ...withUnstoredUses(tables, counters),
  async clientsOf(accountId, page, filter) {
    await flush()
    return tables.clientsOf(accountId, page, filter)
  },
})

/** The same inside a transaction; what deletes stored counters deletes the cached ones too. */
function writesWithCounters(
  tables: ReadCache,
  counters: CachedCounters,
): Omit<StoreWrites, 'databaseIdentity'> {
  const flush = (): void => {
    counters.beginFlush()
    counters.flush(Infinity)
  }
  const writes: Omit<StoreWrites, 'passBlock' | 'databaseIdentity'> = {
    ...tables,
    ...counters.writes(),
    ...withUnstoredUses(tables, counters),
    async clientsOf(accountId, page, filter) {
      flush()
      return tables.clientsOf(accountId, page, filter)
    },
    async unblock(principal) {
      counters.forget(principal)
      return tables.unblock(principal)
    },
    async removeKey(keyId, now) {
      counters.forget({ kind: 'key', id: keyId })
      return tables.removeKey(keyId, now)
    },
  }
  return withConsequences(writes)
}
