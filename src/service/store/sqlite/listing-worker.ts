import { DatabaseSync } from 'node:sqlite'
import { isMainThread, type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { NameQuery } from '../../model/query.ts'
import { namesBy, summariesBy } from '../sql/listing.ts'
import type { ListingRequest, Answered } from './long-listings.ts'
import { READ_WAIT } from './open.ts'
import { statements } from './transaction.ts'

/** The thread of `long-listings.ts`: reads the database by a connection of its own. */
function serve(port: MessagePort, { path }: { readonly path: string }): void {
  const sql = statements(new DatabaseSync(path, { timeout: READ_WAIT, readOnly: true }))
  const listings = {
    namesBy: async (query: NameQuery) => namesBy(sql, query),
    summariesBy: async (query: NameQuery) => summariesBy(sql, query),
  } as const
  const answer = async ({ id, listing, query }: ListingRequest): Promise<Answered> => {
    try {
      return { id, value: await listings[listing](query) }
    } catch (error) {
      return { id, error }
    }
  }
  port.on(
    'message',
    (asked: ListingRequest) => void answer(asked).then((answered) => port.postMessage(answered, [])),
  )
}

if (parentPort !== null && !isMainThread) serve(parentPort, workerData as { readonly path: string })
