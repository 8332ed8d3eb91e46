import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../ports/log.ts'
import type { Delivery } from './delivery.ts'

interface Job {
  readonly delivery: Delivery
  /** Deliveries with one key replace each other where too many wait. */
  readonly key: string
  readonly attempts: number
}

/** Each attempt, for metrics. */
export type OnDelivery = (target: string, result: 'delivered' | 'failed') => void

/** In milliseconds, before the second and further attempts. */
const RETRY_DELAYS = [5000, 60_000, 600_000]
const MAX_WAITING = 20

/** Deliveries one after the other, so that they never delay updates. A failure is logged once, until one succeeds. */
export class DeliveryQueue {
  readonly #log: Log
  readonly #onResult: OnDelivery
  readonly #end = new AbortController()
  readonly #failing = new Set<string>()
  #waiting: Job[] = []
  #work: Promise<void> | undefined
  #retries = 0

  constructor(log: Log, onResult: OnDelivery) {
    this.#log = log
    this.#onResult = onResult
  }

  put(delivery: Delivery, key: string): void {
    this.#add({ delivery, key: `${delivery.target} ${key}`, attempts: 0 })
  }

  /** Waits until all is delivered or given up, at most this many milliseconds, and ends what is left. */
  async finish(timeout: number): Promise<void> {
    const end = Date.now() + timeout
    while ((this.#work !== undefined || this.#retries > 0) && Date.now() < end)
      await Promise.race([this.#work ?? sleep(50), sleep(Math.max(1, Math.min(50, end - Date.now())))])
    this.#end.abort()
    await this.#work
  }

  #add(job: Job): void {
    if (this.#end.signal.aborted) return
    if (this.#waiting.length >= MAX_WAITING) {
      const same = this.#waiting.findIndex(({ key }) => key === job.key)
      this.#waiting.splice(Math.max(0, same), 1)
    }
    this.#waiting.push(job)
    this.#work ??= this.#run()
  }

  async #run(): Promise<void> {
    for (let job = this.#waiting.shift(); job !== undefined; job = this.#waiting.shift())
      await this.#deliver(job)
    this.#work = undefined
  }

  async #deliver({ delivery, key, attempts }: Job): Promise<void> {
    const { target } = delivery
    const result = await delivery.attempt(this.#end.signal)
    this.#onResult(target, result.ok ? 'delivered' : 'failed')
    if (result.ok) {
      this.#failing.delete(target)
      return
    }
    const { because, isTemporary } = result.error
    const line = `${target}: a notification was not delivered (${because})`
    const isKnown = this.#failing.has(target)
    this.#log(isKnown ? 'debug' : 'warn', 'a notification was not delivered', {
      fields: { target, because },
      line,
    })
    this.#failing.add(target)
    const delay = isTemporary ? RETRY_DELAYS[attempts] : undefined
    if (delay !== undefined && !this.#end.signal.aborted)
      void this.#retry({ delivery, key, attempts: attempts + 1 }, delay)
  }

  async #retry(job: Job, delay: number): Promise<void> {
    this.#retries += 1
    await sleep(delay, undefined, { signal: this.#end.signal, ref: false }).catch(() => undefined)
    this.#retries -= 1
    this.#add(job)
  }
}
