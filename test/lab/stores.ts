import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { postgresStore } from '../../src/server/store/postgres.ts'
import { memoryStore, sqliteStore } from '../../src/server/store/sqlite.ts'
import type { Store } from '../../src/server/store/store.ts'
import { placeAt, TEMPLATE } from './postgres.ts'

/** The same suites run on both stores: on PostgreSQL in the project of that name. */
export const isShared = (): boolean => process.env['HOLDFAST_TEST_STORE'] === 'postgres'

/** A new store, or that of the folder. */
export function testStore(folder?: string): Store {
  if (isShared()) return shared(folder)
  return folder === undefined ? memoryStore() : sqliteStore(folder)
}

const databases = new Map<string, Promise<string>>()

/** Its database is made with its first use. */
function shared(folder = ''): Store {
  const database = (folder === '' ? undefined : databases.get(folder)) ?? newDatabase()
  if (folder !== '') databases.set(folder, database)
  const opened = database.then((name) => postgresStore(placeAt(inject('postgresPort'), name)))
  return {
    read: async (work) => (await opened).read(work),
    write: async (work, about) => (await opened).write(work, about),
    snapshot: async (work) => (await opened).snapshot(work),
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
