import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { after, minutes } from '../../../shared/base/time.ts'
import type { Clock } from '../../../shared/ports/clock.ts'
import type { NameQuery } from '../../model/query.ts'
import type { RecordReads } from '../records.ts'

type Listings = Pick<RecordReads, 'namesBy' | 'summariesBy'>

export interface ListingRequest {
  readonly id: number
  readonly listing: keyof Listings
  readonly query: NameQuery
}

export type Answered =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: unknown }

interface Waiting {
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}

/** The thread ends when it was not asked for so long: it takes some memory. */
const IDLE_TIME = minutes(1)
/** In MiB: the values of a page are few. */
const YOUNG_GENERATION = 4

/**
 * Listings that sort or filter many names, in a thread of their own: a statement of SQLite does not pause, and the event
 * loop would wait for it. The thread sees every change that was committed before it is asked.
 */
export class LongListings implements Listings {
  readonly #path: string
  readonly #clock: Clock
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | undefined
  #last = 0

  constructor(path: string, clock: Clock) {
    this.#path = path
    this.#clock = clock
  }

  namesBy: Listings['namesBy'] = async (query) => this.#ask('namesBy', query)
  summariesBy: Listings['summariesBy'] = async (query) => this.#ask('summariesBy', query)

  async close(): Promise<void> {
    await this.#worker?.terminate()
  }

  async #ask<T>(listing: keyof Listings, query: NameQuery): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const asked: ListingRequest = { id: ++this.#last, listing, query }
      this.#waiting.set(asked.id, { resolve, reject })
      this.#worker ??= this.#start()
      this.#worker.ref()
      this.#worker.postMessage(asked, [])
    })
  }

  #start(): Worker {
    const extension = import.meta.filename.endsWith('.ts') ? 'ts' : 'cjs'
    const worker = new Worker(join(import.meta.dirname, `listing-worker.${extension}`), {
      workerData: { path: this.#path },
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION },
    })
    const ended = (error: unknown): void => {
      if (this.#worker === worker) this.#worker = undefined
      for (const { reject } of this.#waiting.values()) reject(error)
      this.#waiting.clear()
    }
    worker.on('message', (answered: Answered) => this.#settle(answered, worker))
    worker.on('error', ended)
    worker.on('exit', () => ended(new Error('the thread for long listings has ended')))
    return worker
  }

  #settle(answered: Answered, worker: Worker): void {
    const waiting = this.#waiting.get(answered.id)
    this.#waiting.delete(answered.id)
    if ('error' in answered) waiting?.reject(answered.error)
    else waiting?.resolve(answered.value as never)
    if (this.#waiting.size > 0) return
    worker.unref()
    void this.#endIfIdle(worker, answered.id)
  }

  async #endIfIdle(worker: Worker, last: number): Promise<void> {
    await this.#clock.sleep(after(this.#clock.now(), IDLE_TIME))
    if (this.#last !== last || this.#worker !== worker) return
    this.#worker = undefined
    await worker.terminate()
  }
}
