import { groupCommit } from './group-commit.ts'
import { type ReadCache, readCache } from './read-cache.ts'
import { type CachedCounters, cachedCounters } from './sqlite-counts.ts'
import { type Connections, openConnections, openMemory } from './sqlite-open.ts'
import { sqliteReading, statements } from './sqlite-reading.ts'
import { sqliteWriting } from './sqlite-writing.ts'
import type { Store, StoreReads, StoreWrites } from './store.ts'

/** A store in a folder of its own. Throws StoreRefused where the data there is not for this program. */
export const sqliteStore = (folder: string): Store => storeOn(openConnections(folder))

/** The same in memory, on one connection: readers take their turn, for it shows them what is not committed yet. */
export const memoryStore = (): Store => storeOn(openMemory())

/** So many counts are written down in one transaction beside requests, which wait for it. */
const AT_ONCE = 1000

function storeOn({ writer, reader }: Connections): Store {
  const sql = statements(writer)
  const reading = sqliteReading(statements(reader))
  /** SQLite, PRAGMA data_version: another number when somebody else has committed. */
  const versionNow = (): unknown => sql('PRAGMA data_version').get()?.['data_version']
  let version = versionNow()
  const forgetWhatWasRead = (): void => {
    counts.invalidate()
    tables.invalidateAll()
  }
  const notice = (): void => {
    const now = versionNow()
    if (now === version) return
    version = now
    forgetWhatWasRead()
  }
  const { commit, soon, note, stop } = groupCommit(writer, {
    begun: notice,
    takenBack: () => forgetWhatWasRead(),
  })
  const counts = cachedCounters(sql, note)
  const tables = readCache(sqliteWriting(sql), Object.keys(reading))
  /** What was due when this began is written down when it is done; what is counted meanwhile has time. */
  const writtenDown = async (): Promise<void> => {
    const isOver = counts.beginFlush()
    while (!isOver()) await commit(async () => counts.flush(AT_ONCE))
  }
  const readingNow = readingBeside(reading, counts, writtenDown)
  const writing = writingBeside(tables, counts)
  const write: Store['write'] = async (work) => {
    const value = await commit(async () => work(writing))
    if (counts.due() > 0) soon(writtenDown)
    return value
  }
  return {
    write,
    async read(work) {
      if (reader === writer) return commit(async () => work(writing))
      notice()
      return work(readingNow)
    },
    async close() {
      await commit(async () => undefined) // whatever was asked before is done before
      // A disk that takes no counts must not keep us from ending; who wrote to it was told.
      await writtenDown().catch(() => undefined)
      stop()
      if (reader !== writer) reader.close()
      writer.close()
    },
  }
}

/** Counts are read at hand; who asks the tables themselves for them has them written there first. */
const readingBeside = (
  tables: StoreReads,
  counts: CachedCounters,
  writtenDown: () => Promise<void>,
): StoreReads => ({
  ...tables,
  usageOf: async (who) => counts.usageOf(who),
  nochgsOf: async (who, hostname) => counts.nochgsOf(who, hostname),
  failuresOf: async (peer) => counts.failuresOf(peer),
  async keyNamed(username) {
    await writtenDown()
    return tables.keyNamed(username)
  },
  async keysOf(accountId, query) {
    await writtenDown()
    return tables.keysOf(accountId, query)
  },
  async clientsOf(accountId, page) {
    await writtenDown()
    return tables.clientsOf(accountId, page)
  },
})

/** The same inside a transaction; who takes counts away, takes them from both. */
function writingBeside(tables: ReadCache, counts: CachedCounters): StoreWrites {
  const writeAllDown = (): void => {
    counts.beginFlush()
    counts.flush(Infinity)
  }
  return {
    ...tables,
    ...counts,
    async keyNamed(username) {
      writeAllDown()
      return tables.keyNamed(username)
    },
    async keysOf(accountId, query) {
      writeAllDown()
      return tables.keysOf(accountId, query)
    },
    async clientsOf(accountId, page) {
      writeAllDown()
      return tables.clientsOf(accountId, page)
    },
    async unblock(who) {
      counts.forget(who)
      return tables.unblock(who)
    },
    async removeKey(keyId) {
      counts.forget({ kind: 'key', id: keyId })
      return tables.removeKey(keyId)
    },
  }
}
