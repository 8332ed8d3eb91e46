import {
  after,
  type Duration,
  type Instant,
  isBefore,
  milliseconds,
  minutes,
  seconds,
} from '../../../shared/base/time.ts'
import { WAIT_ENDED } from '../../../shared/base/concurrency.ts'
import type { Address } from '../../../shared/base/address.ts'
import type { Closable } from '../../../shared/ports/network.ts'
import type { WatcherContext } from './watcher.ts'

/** A lost address is noticed after one to two intervals; one reply takes a router some microseconds. */
const INTERVAL: Duration = milliseconds(60)
/** Whether the router replies at all: three requests. */
const TRIAL: { readonly count: number; readonly interval: Duration; readonly timeout: Duration } = {
  count: 3,
  interval: milliseconds(200),
  timeout: seconds(3),
}
/**
 * How many replies in a row must be missing: one at first, and one more after each loss that was no change. Where one reply
 * in ten is lost, four in a row are lost once in ten minutes, and a change is noticed after 0.3 s.
 */
const MAX_MISSING = 4

/** So long without a loss, one missing reply is enough again; so long ping(8), where it ended, is not tried again. */
const DISTRUST: Duration = minutes(10)
const POWER_INTERVAL: Duration = seconds(30)

/**
 * Pings the public address while the router answers there: the first reply that is missing is a hint, and wakes the probe
 * (decision 0047).
 * Off on battery, while another line is held, and where ping(8) may not be used.
 */
const NONE_MISSED: { readonly last: number; readonly count: number } = { last: -1, count: 0 }

export class RouterPing {
  readonly #context: WatcherContext
  #running: Closable | undefined
  #target: { readonly address: Address; readonly hops: number } | undefined
  /** The router does not reply to pings at this address. */
  #isRefused = false
  /** Until then ping(8) is not started again, because it ended by itself. */
  #endedUntil: Instant | undefined
  /** Ends the pause of the probe. */
  #missing = new AbortController()
  /** Too: nobody else looks at the address then. */
  #ended = new AbortController()
  #hasHinted = false
  #lastLoss: Instant | undefined
  /** Replies in a row that must be missing. */
  #needed = 1
  #missed = NONE_MISSED
  /** It replied at this address before: no trial is needed. */
  #replied: Address | undefined
  #power: { readonly isBattery: boolean; readonly until: Instant } | undefined
  #isReported = false

  constructor(context: WatcherContext) {
    this.#context = context
  }

  get isRunning(): boolean {
    return this.#running !== undefined
  }

  /** How many timeouts of the probe in a row are a hint; none where there was one already. */
  get timeoutsForHint(): number {
    if (this.#hasHinted) return Infinity
    return this.#missing.signal.aborted ? 1 : 2
  }

  /** Does nothing where the router does not reply. */
  async start(address: Address, hops: number): Promise<void> {
    this.stop()
    this.#target = { address, hops }
    if (await this.#isWanted()) await this.#run(address, hops)
  }

  stop(): void {
    this.#halt()
    this.#target = undefined
    this.#isRefused = false
  }

  /** Until a reply is missing, or ping(8) ends; what is missing already ends no pause. */
  async pause(span: Duration): Promise<void> {
    const { clock, signal } = this.#context
    const ends = [this.#missing.signal, this.#ended.signal].filter(({ aborted }) => !aborted)
    await clock.sleep(after(clock.now(), span), signal, ...ends)
  }

  /** The probe is answered: a reply that was missing was lost. */
  async answered(): Promise<void> {
    if (this.#missing.signal.aborted) this.#countLoss()
    this.#missing = new AbortController()
    this.#hasHinted = false
    const target = this.#target
    const isWanted = target !== undefined && (await this.#isWanted())
    if (!isWanted) this.#halt()
    else if (!this.isRunning) await this.#run(target.address, target.hops)
  }

  /** The network of this host has changed. */
  async recheck(): Promise<void> {
    if (this.isRunning && !(await this.#isWanted())) this.#halt()
  }

  async #run(address: Address, hops: number): Promise<void> {
    const { ports, report } = this.#context
    if (this.#replied !== address && !(await this.#doesReply(address, hops)))
      return void (this.#isRefused = true)
    this.#replied = address
    this.#missed = NONE_MISSED
    this.#ended = new AbortController()
    this.#running = ports.startPing(
      { to: address, hops, interval: INTERVAL },
      (sequence) => this.#miss(sequence),
      () => {
        this.#running = undefined
        this.#endedUntil = after(this.#context.clock.now(), DISTRUST)
        this.#ended.abort(WAIT_ENDED)
      },
    )
    if (!this.#isReported) report({ kind: 'pingAnswers', hops })
    this.#isReported = true
  }

  #halt(): void {
    this.#running?.close()
    this.#running = undefined
    this.#missing = new AbortController()
    this.#hasHinted = false
  }

  #miss(sequence: number): void {
    if (this.#missing.signal.aborted || !this.isRunning) return
    const { hint } = this.#context
    const isTrusted = !this.#isDistrusted()
    if (isTrusted) this.#needed = 1
    const { last, count } = this.#missed
    this.#missed = { last: sequence, count: sequence === last + 1 ? count + 1 : 1 }
    if (this.#missed.count < this.#needed) return
    this.#hasHinted = isTrusted
    // A router limits its ICMP errors (icmp_ratelimit): those for further pings would use up the answers to the probe.
    this.#running?.close()
    this.#running = undefined
    if (this.#hasHinted) hint('probe-lost')
    this.#missing.abort(WAIT_ENDED)
  }

  #isDistrusted(): boolean {
    const { clock } = this.#context
    return this.#lastLoss !== undefined && isBefore(clock.now(), after(this.#lastLoss, DISTRUST))
  }

  #countLoss(): void {
    this.#lastLoss = this.#context.clock.now()
    this.#needed = Math.min(this.#needed + 1, MAX_MISSING)
  }

  async #isWanted(): Promise<boolean> {
    const { mayPing, clock } = this.#context
    const isEnded = this.#endedUntil !== undefined && isBefore(clock.now(), this.#endedUntil)
    if (this.#isRefused || isEnded) return false
    return (await mayPing()) && !(await this.#isOnBattery())
  }

  async #isOnBattery(): Promise<boolean> {
    const { clock, ports } = this.#context
    if (this.#power === undefined || !isBefore(clock.now(), this.#power.until)) {
      const isBattery = await ports.isOnBattery()
      this.#power = { isBattery, until: after(clock.now(), POWER_INTERVAL) }
    }
    return this.#power.isBattery
  }

  async #doesReply(address: Address, hops: number): Promise<boolean> {
    const { ports, signal } = this.#context
    const { count, interval, timeout } = TRIAL
    const options = ['-c', count, '-i', interval / seconds(1), '-W', 1, '-t', hops].map(String)
    const outcome = await ports.program(['ping', '-n', '-q', ...options, address], timeout, signal)
    return outcome.kind === 'ended' && outcome.code === 0
  }
}
