import { hours, type Instant } from '../../shared/base/time.ts'
import type { FailingTarget, PendingDelivery } from './memory.ts'
import { type Clock, pause } from '../../shared/ports/clock.ts'
import type { Log } from '../../shared/ports/log.ts'
import type { Delivery } from './receivers/receiver.ts'

/** Each attempt, for metrics. */
export type OnDelivery = (target: string, result: 'delivered' | 'failed') => void

/** What the queue tells of one delivery, so that what is not delivered is remembered. */
interface DeliveryEvents {
  /** A program is started, or an attempt has failed: `isOver` where there is no other one. */
  readonly onAttempt: (pending: PendingDelivery, isOver: boolean) => void
  readonly onResult: OnDelivery
  /** What an earlier process knew. */
  readonly failing: readonly FailingTarget[]
  /** By the wall clock. */
  readonly now: () => Instant
}

interface Job {
  readonly pending: PendingDelivery
  readonly delivery: Delivery
}

/** In milliseconds, before the second and further attempts; the last one is repeated while the notification is news. */
const RETRY_DELAYS = [5000, 60_000, 600_000]
export const MAX_DELIVERY_AGE = hours(24)
/** Starts at which a stop is told again to a receiver that refuses it: it may be corrected, and the stop lasts. */
const MAX_REFUSALS = 3

/** One after the other for each target, so that a slow one delays no other, and none delays updates. */
export class DeliveryQueue {
  readonly #log: Log
  readonly #clock: Clock
  readonly #events: DeliveryEvents
  readonly #end = new AbortController()
  /** By receiver. */
  readonly #failing: Map<string, FailingTarget>
  /** Refused for good; the next process tries again, if nothing later is delivered there before. */
  readonly #refused = new Map<string, PendingDelivery[]>()
  readonly #waiting = new Map<string, Job[]>()
  readonly #work = new Map<string, Promise<void>>()
  readonly #paused = new Set<string>()

  constructor(log: Log, clock: Clock, events: DeliveryEvents) {
    this.#log = log
    this.#clock = clock
    this.#events = events
    this.#failing = new Map(events.failing.map((one) => [one.receiver, one]))
  }

  /** Those whose last delivery has failed. */
  get failing(): readonly FailingTarget[] {
    return [...this.#failing.values()]
  }

  /** A test was delivered there. */
  recovered(receiver: string): void {
    this.#failing.delete(receiver)
  }

  put(pending: PendingDelivery, delivery: Delivery): void {
    if (this.#end.signal.aborted) return
    const { queue } = delivery
    const waiting = this.#waiting.get(queue) ?? []
    this.#waiting.set(queue, waiting)
    if (pending.target === 'ping') this.#dropOlderPings(waiting, pending)
    waiting.push({ pending, delivery })
    this.#start(queue)
  }

  /** A target that failed for a while is asked again later, and the order of its deliveries stays. */
  #start(queue: string): void {
    const waiting = this.#waiting.get(queue)
    if (waiting === undefined || this.#work.has(queue) || this.#paused.has(queue)) return
    this.#work.set(queue, this.#run(queue, waiting))
  }

  /** Waits until each delivery had an attempt, at most this many milliseconds or until the signal, and ends what is left. */
  async finish(timeout: number, signal?: AbortSignal): Promise<void> {
    const late = new AbortController()
    const stopped = new Promise<void>((resolve) =>
      signal?.addEventListener('abort', () => resolve(), { once: true }),
    )
    const expired = pause(this.#clock, timeout, late.signal)
    if (signal?.aborted !== true) await Promise.race([this.#idle(), expired, stopped])
    late.abort()
    this.#end.abort()
    await this.#idle()
  }

  async #idle(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work.values())
  }

  /** A check knows the last ping only. */
  #dropOlderPings(waiting: Job[], { notification }: PendingDelivery): void {
    for (const job of waiting.filter(
      ({ pending }) => pending.notification.account === notification.account,
    )) {
      waiting.splice(waiting.indexOf(job), 1)
      this.#events.onAttempt(job.pending, true)
    }
  }

  async #run(queue: string, waiting: Job[]): Promise<void> {
    for (let [job] = waiting; job !== undefined && !this.#end.signal.aborted; [job] = waiting) {
      const next = await this.#deliver(job)
      const at = waiting.indexOf(job)
      if (at >= 0) waiting.splice(at, 1, ...(next === undefined ? [] : [next.job]))
      if (next === undefined) continue
      void this.#pause(queue, next.delay)
      break
    }
    this.#work.delete(queue)
  }

  /** The same delivery, and when to try it again; undefined where it is over. */
  async #deliver({
    pending,
    delivery,
  }: Job): Promise<{ readonly job: Job; readonly delay: number } | undefined> {
    const { target, queue } = delivery
    // A program that was started may have done its work.
    if (pending.target === 'hook') this.#events.onAttempt(pending, true)
    const result = await delivery.attempt(this.#end.signal)
    this.#events.onResult(target, result.ok ? 'delivered' : 'failed')
    if (result.ok) {
      this.#failing.delete(queue)
      for (const older of this.#refused.get(queue) ?? []) this.#events.onAttempt(older, true)
      this.#refused.delete(queue)
      this.#events.onAttempt(pending, true)
      return undefined
    }
    const { because, isTemporary, retryAfter = 0 } = result.error
    const isEnding = this.#end.signal.aborted && pending.target !== 'hook'
    this.#report(
      delivery,
      isEnding ? 'Holdfast ends; the next start tries again' : because,
      pending.isReported,
    )
    // Its receiver has not failed.
    if (!isEnding) this.#markFailing(delivery, because)
    const isNews = this.#events.now() - pending.at <= MAX_DELIVERY_AGE
    const least = isTemporary && isNews ? (RETRY_DELAYS[pending.attempts] ?? RETRY_DELAYS.at(-1)) : undefined
    const delay = least === undefined ? undefined : Math.max(least, retryAfter)
    const next = { ...pending, attempts: pending.attempts + (isEnding ? 0 : 1), isReported: true as const }
    const isStop = pending.notification.event === 'stopped' && pending.target !== 'hook'
    const isKept = isStop && isNews && next.attempts < MAX_REFUSALS
    if (delay === undefined && isKept) this.#refused.set(queue, [...(this.#refused.get(queue) ?? []), next])
    this.#events.onAttempt(next, delay === undefined && !isEnding && !isKept)
    return delay === undefined || isEnding ? undefined : { job: { pending: next, delivery }, delay }
  }

  /** Once, until one succeeds; of one notification, once over all processes. */
  #report({ target, queue }: Delivery, because: string, isReported = false): void {
    const line = `${target}: a notification was not delivered (${because})`
    this.#log(isReported || this.#failing.has(queue) ? 'debug' : 'warn', 'a notification was not delivered', {
      fields: { target, because },
      line,
    })
  }

  #markFailing({ target, queue: receiver }: Delivery, because: string): void {
    const since = this.#failing.get(receiver)?.since ?? this.#events.now()
    this.#failing.set(receiver, { target, receiver, because, since })
  }

  async #pause(queue: string, delay: number): Promise<void> {
    this.#paused.add(queue)
    await pause(this.#clock, delay, this.#end.signal)
    this.#paused.delete(queue)
    if (!this.#end.signal.aborted) this.#start(queue)
  }
}
