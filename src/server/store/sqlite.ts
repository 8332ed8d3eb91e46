import { groupCommit } from './group-commit.ts'
import { openConnections } from './sqlite-open.ts'
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
