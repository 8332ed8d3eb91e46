import { groupCommit } from './group-commit.ts'
import { openConnections, openMemory } from './sqlite-open.ts'
import { sqliteReading, statements } from './sqlite-reading.ts'
import { sqliteWriting } from './sqlite-writing.ts'
import type { Store } from './store.ts'

/** A store in a folder of its own. Throws StoreRefused where the data there is not for this program. */
export function sqliteStore(folder: string): Store {
  const { writer, reader } = openConnections(folder)
  const [reading, writing] = [sqliteReading(statements(reader)), sqliteWriting(statements(writer))]
  const commit = groupCommit(writer)
  return {
    read: async (work) => work(reading),
    write: async (work) => commit(async () => work(writing)),
    async close() {
      await commit(async () => undefined) // whatever was asked before is done before
      reader.close()
      writer.close()
    },
  }
}

/** The same in memory. Readers take their turn, because there is only one connection to see uncommitted changes on. */
export function memoryStore(): Store {
  const { writer } = openMemory()
  const writing = sqliteWriting(statements(writer))
  const commit = groupCommit(writer)
  return {
    read: async (work) => commit(async () => work(writing)),
    write: async (work) => commit(async () => work(writing)),
    async close() {
      await commit(async () => undefined)
      writer.close()
    },
  }
}
