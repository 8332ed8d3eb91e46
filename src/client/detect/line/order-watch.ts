import {
  after,
  type Duration,
  earliest,
  type Instant,
  isBefore,
  milliseconds,
  seconds,
} from '../../../shared/base/time.ts'
import { WAIT_ENDED } from '../../../shared/base/concurrency.ts'
import { type Address, type Family } from '../../../shared/base/address.ts'
import type { Sighting } from '../../../shared/base/sighting.ts'
import type { Clock } from '../../../shared/ports/clock.ts'
import type { NetworkPorts } from '../../../shared/ports/system.ts'
import { usableOn } from '../binding.ts'
import type { Finding } from '../finding.ts'
import { askBeyond, type AskingPorts, doesAnswer } from './ask-line.ts'
import { LASTS, type Sign } from './decide-line.ts'
import { decideOrder, newOrder, type OrderState } from './decide-order.ts'
import { formatLineSpec, type LineSpec } from './line-spec.ts'

interface OrderWatchOptions {
  readonly family: Family
  /** First the one that is published while it is up. */
  readonly order: readonly LineSpec[]
  readonly ports: Pick<NetworkPorts, 'interfaces' | 'packetRoute'> & AskingPorts
  readonly clock: Clock
  /** Outside hosts that may be asked by ping. */
  readonly beyond: () => readonly Address[]
  /** The address of a line, by questions that are bound to it. */
  readonly look: (nth: number, signal: AbortSignal) => Promise<Sighting>
  /** Another line is published now. */
  readonly requestLook: () => void
  readonly report: (finding: Finding) => void
  readonly signal: AbortSignal
}

/** An order of lines, of which the first that is up is published. */
export interface OrderWatch {
  /** The line that is published, by its place. */
  active(): Promise<number>
  /** Whether lines are watched; without that, an order is decided by the addresses of this host alone. */
  readonly isStarted: boolean
  start(): void
  /** The network of this host has changed. */
  notify(): void
}

/** How often the published line is pinged: rarely while it answers, often after a silence. */
const ASKED: { readonly well: Duration; readonly silent: Duration } = {
  well: seconds(5),
  silent: milliseconds(1500),
}
/** How often a waiting line is checked; more often while it is down, because it may come back. */
const LOOKED: { readonly waiting: Duration; readonly down: Duration } = {
  waiting: seconds(60),
  down: seconds(5),
}
const LOOK_TIMEOUT: Duration = seconds(6)

type Silence = 'gateway' | 'beyond'

interface Health {
  local: Address | undefined
  gateway: Address | undefined
  /** A silence is a sign only where an answer was heard. */
  readonly heard: Set<Silence>
  readonly silentSince: Map<Silence, Instant>
  /** Proven dead, and not seen by outside services since. */
  isDown: boolean
  lookedAt: Instant | undefined
}

export function orderWatch(options: OrderWatchOptions): OrderWatch {
  return new Order(options)
}

class Order implements OrderWatch {
  readonly #options: OrderWatchOptions
  readonly #lines: readonly Health[]
  #state: OrderState
  #isStarted = false
  #changed = new AbortController()
  #tail: Promise<unknown> = Promise.resolve()

  constructor(options: OrderWatchOptions) {
    this.#options = options
    this.#state = newOrder(options.order.length)
    this.#lines = options.order.map(() => ({
      local: undefined,
      gateway: undefined,
      heard: new Set(),
      silentSince: new Map(),
      isDown: false,
      lookedAt: undefined,
    }))
  }

  get isStarted(): boolean {
    return this.#isStarted
  }

  async active(): Promise<number> {
    if (this.#state.active === undefined) await this.#read()
    return this.#state.active ?? 0
  }

  start(): void {
    if (this.#isStarted) return
    this.#isStarted = true
    void this.#watch()
  }

  notify(): void {
    this.#changed.abort(WAIT_ENDED)
    // Pings may take seconds, but a missing address counts at once.
    if (this.#isStarted) void this.#read()
  }

  /** The tables, and what follows from them: one after another. */
  async #read(): Promise<Instant | undefined> {
    const next = this.#tail.then(async () => this.#decide())
    this.#tail = next.catch(() => undefined)
    return next
  }

  async #decide(): Promise<Instant | undefined> {
    const { ports, order, family, clock } = this.#options
    const all = await ports.interfaces().catch(() => [])
    for (const [nth, { interface: name, gateway }] of order.entries()) {
      const line = this.#lines[nth]
      const own = usableOn(all, name, family)
      if (line === undefined) continue
      if (own !== line.local) {
        line.local = own
        line.gateway = gateway ?? (own && (await ports.packetRoute({ local: own }))?.gateway)
      }
      if (own === undefined) Object.assign(line, { isDown: true, lookedAt: undefined })
    }
    const before = this.#state.active
    const up = this.#lines.map(({ local, isDown }) => local !== undefined && !isDown)
    const { state, until } = decideOrder(this.#state, { at: clock.now(), up })
    this.#state = state
    if (state.active !== before && before !== undefined) this.#tell(before)
    return until
  }

  #tell(before: number): void {
    const { order, report, requestLook } = this.#options
    const [from, to] = [order[before], order[this.#state.active ?? 0]]
    if (from === undefined || to === undefined) return
    const sign = this.#signOf(before)
    report({ kind: 'orderMoved', from: formatLineSpec(from), to: formatLineSpec(to), ...(sign && { sign }) })
    requestLook()
  }

  #signOf(nth: number): Sign | undefined {
    const line = this.#lines[nth]
    if (line === undefined || !line.isDown) return undefined
    if (line.local === undefined) return 'address'
    return line.silentSince.has('gateway') ? 'gateway' : 'beyond'
  }

  async #watch(): Promise<void> {
    const { clock, signal } = this.#options
    while (!signal.aborted) {
      const until = await this.#read()
      const now = clock.now()
      await Promise.all(this.#lines.map(async (_, nth) => this.#check(nth, now)))
      await this.#read()
      const isSilent = this.#lines.some(({ silentSince, isDown }) => silentSince.size > 0 && !isDown)
      const next = after(now, isSilent ? ASKED.silent : ASKED.well)
      this.#changed = new AbortController()
      await clock.sleep(until === undefined ? next : earliest(next, until), signal, this.#changed.signal)
    }
  }

  async #check(nth: number, now: Instant): Promise<void> {
    const line = this.#lines[nth]
    if (line?.local === undefined) return
    if (nth === this.#state.active && !line.isDown) return this.#ask(nth, line, now)
    const span = line.isDown ? LOOKED.down : LOOKED.waiting
    if (line.lookedAt !== undefined && isBefore(now, after(line.lookedAt, span))) return
    line.lookedAt = now
    const { look, signal, clock } = this.#options
    const sighting = await look(nth, AbortSignal.any([signal, clock.deadline(LOOK_TIMEOUT)]))
    if (sighting.kind === 'seen') line.silentSince.clear()
    line.isDown = sighting.kind !== 'seen'
  }

  async #ask(nth: number, line: Health, now: Instant): Promise<void> {
    const { ports, order, beyond, signal } = this.#options
    const { interface: name = '' } = order[nth] ?? {}
    const asked = { interface: name, ...(line.gateway && { gateway: line.gateway }) }
    const [isThere, outside] = await Promise.all([
      doesAnswer(ports, asked, signal),
      askBeyond(ports, asked, { hosts: beyond(), signal }),
    ])
    const heard = {
      gateway: line.gateway === undefined ? undefined : isThere,
      beyond: outside && outside === 'answers',
    }
    for (const what of ['gateway', 'beyond'] as const) {
      const answers = heard[what]
      if (answers === true) line.heard.add(what)
      if (answers === true || !line.heard.has(what)) line.silentSince.delete(what)
      else if (answers === false && !line.silentSince.has(what)) line.silentSince.set(what, now)
    }
    const isDead = [...line.silentSince].some(([what, since]) => !isBefore(now, after(since, LASTS[what])))
    if (isDead) Object.assign(line, { isDown: true, lookedAt: undefined })
  }
}
