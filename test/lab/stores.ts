import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import { steadyClock } from '../../src/shared/platform/clock/clock.ts'
import { postgresStore } from '../../src/service/store/postgres/store.ts'
import { DATABASE_FILE } from '../../src/service/store/sqlite/open.ts'
import { memoryStore, sqliteStore } from '../../src/service/store/sqlite/store.ts'
import type { Store, StoreWrites } from '../../src/service/store/store.ts'
import { memoryFolder } from './memory-folder.ts'
import { makeNew, newMemory } from './new-database.ts'
import { placeAt, TEMPLATE } from './postgres.ts'

/** The same suites run on both stores: on PostgreSQL in the project of that name. */
export const isShared = (): boolean => process.env['HOLDFAST_TEST_STORE'] === 'postgres'

/** A new store, or that of the folder. */
export function testStore(folder?: string): Store {
  if (isShared()) return shared(folder)
  return folder === undefined ? memoryStore(steadyClock, newMemory()) : fileStore(folder)
}

/** A new folder for a store. */
export const storeFolder = (): string => memoryFolder('holdfast-store-')

/** A SQLite store in this folder, with the data that is there. */
export function fileStore(folder: string): Store {
  if (!existsSync(join(folder, DATABASE_FILE))) makeNew(folder)
  return sqliteStore(folder, steadyClock)
}

/** Opens a store with the same data in each new folder. SQLite is filled once, and its file copied. */
export function filledStores<T>(
  fill: (w: StoreWrites) => Promise<T>,
): (folder: string) => Promise<readonly [store: Store, filled: T]> {
  let made: Promise<readonly [file: Uint8Array, filled: T]> | undefined
  return async (folder) => {
    if (isShared()) {
      const store = shared(folder)
      return [store, await store.write(fill)]
    }
    const [file, filled] = await (made ??= filledFile(fill))
    writeFileSync(join(folder, DATABASE_FILE), file, { flag: 'wx' })
    return [sqliteStore(folder, steadyClock), filled]
  }
}

async function filledFile<T>(fill: (w: StoreWrites) => Promise<T>): Promise<readonly [Uint8Array, T]> {
  const folder = storeFolder()
  try {
    const store = fileStore(folder)
    const filled = await store.write(fill)
    // The last connection moves everything from the log into the file.
    await store.close()
    return [readFileSync(join(folder, DATABASE_FILE)), filled]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const databases = new Map<string, Promise<string>>()

/** Its database is made with its first use. */
function shared(folder = ''): Store {
  const database = (folder === '' ? undefined : databases.get(folder)) ?? newDatabase()
  if (folder !== '') databases.set(folder, database)
  // What is tested here is no time limit, and the machine may be busy.
  const opened = database.then((name) =>
    postgresStore({ ...placeAt(inject('postgresPort'), name), wait: 60_000 }, steadyClock),
  )
  return {
    read: async (work) => (await opened).read(work),
    write: async (work, about) => (await opened).write(work, about),
    snapshot: async (work) => (await opened).snapshot(work),
    isShared: true,
    probe: async (now) => (await opened).probe(now),
    countRequest: async (...request) => (await opened).countRequest(...request),
    checkpoint: () => undefined,
    close: async () => (await opened).close(),
  }
}

async function newDatabase(): Promise<string> {
  const name = `store_${randomBytes(8).toString('hex')}`
  const { hosts, ...place } = placeAt(inject('postgresPort'), 'postgres')
  const client = new pg.Client({ ...hosts[0], database: place.database, user: place.user })
  await client.connect()
  try {
    // Two workers at once: the template may have only one reader.
    for (let tries = 0; ; tries++)
      try {
        await client.query(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`)
        return name
      } catch (error) {
        if (tries === 50 || (error as { code?: string }).code !== '55006') throw error
        await new Promise((done) => setTimeout(done, 50))
      }
  } finally {
    await client.end()
  }
}
