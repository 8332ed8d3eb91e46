import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { NameQuery } from '../../model/query.ts'
import { namesBy, summariesBy } from '../sql/listing.ts'
import type { Asked, Answered } from './long-listings.ts'
import { READ_WAIT } from './open.ts'
import { statements } from './statements.ts'

/** The thread of `long-listings.ts`: reads the database by a connection of its own. */
const { path } = workerData as { readonly path: string }
const sql = statements(new DatabaseSync(path, { timeout: READ_WAIT, readOnly: true }))

const LISTINGS = {
  namesBy: async (query: NameQuery) => namesBy(sql, query),
  summariesBy: async (query: NameQuery) => summariesBy(sql, query),
} as const

const answer = async ({ id, listing, query }: Asked): Promise<Answered> => {
  try {
    return { id, value: await LISTINGS[listing](query) }
  } catch (error) {
    return { id, error }
  }
}

parentPort?.on(
  'message',
  (asked: Asked) => void answer(asked).then((answered) => parentPort?.postMessage(answered, [])),
)
