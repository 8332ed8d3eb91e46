import {
  after,
  between,
  type Duration,
  type Instant,
  milliseconds,
  minutes,
  seconds,
} from '../../../shared/base/time.ts'
import { WAIT_ENDED } from '../../../shared/base/concurrency.ts'
import type { Address } from '../../../shared/base/address.ts'
import type { Gateway } from '../../../shared/ports/network.ts'
import { igdSource } from '../sources/upnp.ts'
import { askPmp, isReset, type RouterAnswer } from '../sources/nat-pmp.ts'
import type { AddressSource } from '../sources/source.ts'
import { AnnouncementListener } from './announcements.ts'
import { GatewayCache } from './gateway-cache.ts'
import type { WatcherContext, WatcherState } from './watcher.ts'

/** NAT-PMP is one datagram each way; UPnP is an HTTP request, which costs a slow router more. */
const INTERVALS: { readonly natPmp: Duration; readonly upnp: Duration } = {
  natPmp: seconds(1),
  upnp: seconds(2),
}
/** For a router that announces changes, or sends events: finds lost ones. */
const ANNOUNCING_INTERVAL: Duration = seconds(30)
const MUTE_INTERVAL: Duration = minutes(5)
/** So often, for an announcement of one that does not answer: it may have come up. */
const MUTE_PAUSE: Duration = seconds(10)
/** After a router stops answering, for example because it restarts. */
const LOST: { readonly interval: Duration; readonly span: Duration } = {
  interval: milliseconds(250),
  span: minutes(10),
}
const BRIEF_SILENCE: Duration = minutes(1)
/** After an announcement, which may precede the change (RFC 6886 defines no order). */
const AFTER_ANNOUNCEMENT: readonly Duration[] = [60, 120, 250, 500, 1000].map(milliseconds)
/** An announcement belongs to a change that was found within this span after it. */
const MAX_ANNOUNCEMENT_AGE: Duration = milliseconds(1500)
/** So long one may come after its change. */
const LATE_ANNOUNCEMENT: Duration = seconds(1)
/** A change of the router is published in this time. */
const MAX_DIFFERENCE: Duration = seconds(10)
/** Limits the requests that announcements cause, real or forged. */
const MIN_INTERVAL: Duration = milliseconds(50)

/** Asks the router at intervals, and listens for its announcements. */
export async function watchRouter(context: WatcherContext, state: WatcherState): Promise<void> {
  const watcher = new RouterWatcher(context, state)
  const wake = (): void => watcher.networkChanged()
  state.kernelListeners.add(wake)
  state.askRouterNow = () => watcher.wake()
  try {
    while (!context.signal.aborted) await watcher.look()
  } finally {
    state.kernelListeners.delete(wake)
    await watcher.close()
  }
}

interface RouterReport {
  readonly by: 'natPmp' | 'upnp'
  readonly answer: RouterAnswer
  readonly at: Instant
}

class RouterWatcher {
  readonly #context: WatcherContext
  readonly #state: WatcherState
  readonly #announcements: AnnouncementListener
  readonly #gateways: GatewayCache
  readonly #upnp: AddressSource
  /** Ends the pause between two requests. */
  #wake = new AbortController()
  /** The last change came with an announcement. */
  #doesAnnounce = false
  #previous: RouterReport | undefined
  #isAnswering = false
  /** The protocol that was reported as announcing; undefined: none. */
  #reported: string | undefined
  /** The router that was reported, once, as not announcing. */
  #unannounced: Address | undefined
  #askedAt: Instant
  /** Since when the router answers with another address than the published one, or with none. */
  #differsSince: Instant | undefined

  constructor(context: WatcherContext, state: WatcherState) {
    this.#context = context
    this.#state = state
    this.#askedAt = context.clock.now()
    this.#gateways = new GatewayCache(context.ports)
    this.#upnp = igdSource(context.ports, { userAgent: context.userAgent, allowed: [], asksAge: false })
    this.#announcements = new AnnouncementListener(context, () => this.#announced())
  }

  /** Any host of the link can forge an announcement, so it only leads to a question to the router (decision 0014). */
  #announced(): void {
    const isPaused = !this.#isAnswering && between(this.#askedAt, this.#context.clock.now()) < MUTE_PAUSE
    if (!isPaused || this.#isLost()) this.wake()
  }

  wake(): void {
    this.#wake.abort(WAIT_ENDED)
  }

  networkChanged(): void {
    this.#gateways.invalidate()
    this.wake()
  }

  async close(): Promise<void> {
    await this.#announcements.listenTo(undefined)
    this.#gateways.invalidate()
  }

  /** Asks once, and pauses. */
  async look(): Promise<void> {
    const gateway = await this.#gateways.find()
    await this.#announcements.listenTo(gateway)
    this.#askedAt = this.#context.clock.now()
    const current = gateway === undefined ? undefined : await this.#ask(gateway)
    this.#isAnswering = current?.by === 'natPmp'
    this.#reportAnswering(current)
    if (gateway !== undefined && current !== undefined && isChanged(this.#previous, current))
      this.#changed(gateway, current)
    this.#previous = current ?? this.#previous
    await this.#pause(this.#intervalAfter(current))
  }

  async #ask(gateway: Gateway): Promise<RouterReport | undefined> {
    const { clock, signal } = this.#context
    const answer = await askPmp(gateway, { datagram: this.#gateways.channelTo(gateway).ask }, signal)
    const at = clock.now()
    if (typeof answer !== 'string') return { by: 'natPmp', answer, at }
    // A search for UPnP takes seconds, in which the router may be back.
    if (this.#previous?.by === 'natPmp' && this.#isLost()) return undefined
    const sighting = await this.#upnp.look('v4', signal)
    if (sighting.kind === 'unknown') return undefined
    const address = sighting.kind === 'seen' ? sighting.address : sighting.instead
    return { by: 'upnp', answer: { code: 0, epoch: 0, ...(address !== undefined && { address }) }, at }
  }

  /** It answered a while ago. */
  #isLost(span = LOST.span): boolean {
    return this.#previous !== undefined && between(this.#previous.at, this.#context.clock.now()) < span
  }

  #reportAnswering(current: RouterReport | undefined): void {
    const doesReport = this.#doesReport(current)
    this.#state.doesRouterReport = doesReport
    this.#state.isAnnounced = doesReport && this.#isAnnouncing
    const by = doesReport ? (current?.by ?? this.#reported) : undefined
    // While its address changes, a router is silent for a moment: that is no news.
    const isBrief = by === undefined && current === undefined && this.#isLost(BRIEF_SILENCE)
    if (isBrief || by === this.#reported) return
    this.#reported = by
    this.#context.report(by === undefined ? { kind: 'routerMute' } : { kind: 'routerAnswers', by })
  }

  /**
   * Behind a modem that is a router too, or carrier-grade NAT, a router reports an address that is not the public one, or
   * none: it does not see a change. A difference that lasts is no change. Before the first agreement nothing is known.
   */
  #doesReport(current: RouterReport | undefined): boolean {
    const published = this.#state.published('v4')
    if (current !== undefined && published === undefined) return this.#state.doesRouterReport
    const isPublic = published !== undefined && current?.answer.address === published
    const now = this.#context.clock.now()
    this.#differsSince = isPublic || current === undefined ? undefined : (this.#differsSince ?? now)
    if (this.#differsSince === undefined) return isPublic
    return this.#state.doesRouterReport && between(this.#differsSince, now) < MAX_DIFFERENCE
  }

  get #isAnnouncing(): boolean {
    return this.#doesAnnounce || this.#state.hasEvents
  }

  #changed({ address: gateway }: Gateway, { answer, by }: RouterReport): void {
    this.#context.hint('router-differs')
    this.#doesAnnounce = this.#isAnnounced(answer)
    // A router that knows UPnP alone sends events; one that has only restarted has nothing to announce.
    const isOther = this.#previous?.answer.address !== answer.address
    if (!this.#doesAnnounce && isOther && by === 'natPmp') void this.#awaitAnnouncement(gateway, answer)
  }

  /** One without the new address happened to arrive, or is forged: the next change may come without any. */
  #isAnnounced({ address }: RouterAnswer): boolean {
    const { latest } = this.#announcements
    const now = this.#context.clock.now()
    return (
      latest !== undefined && latest.address === address && between(latest.at, now) < MAX_ANNOUNCEMENT_AGE
    )
  }

  /** A router may announce its previous address first, and the new one a moment after this program has asked. */
  async #awaitAnnouncement(gateway: Address, answer: RouterAnswer): Promise<void> {
    const { clock, report, signal } = this.#context
    await clock.sleep(after(clock.now(), LATE_ANNOUNCEMENT), signal)
    if (signal.aborted) return
    if (this.#isAnnounced(answer)) this.#doesAnnounce = true
    else if (this.#unannounced !== gateway) report({ kind: 'notAnnounced', gateway })
    this.#unannounced = gateway
  }

  #intervalAfter(current: RouterReport | undefined): Duration {
    if (current === undefined) {
      return this.#isLost() ? LOST.interval : MUTE_INTERVAL
    }
    const { latest } = this.#announcements
    const age = latest === undefined ? undefined : between(latest.at, this.#context.clock.now())
    const next = age === undefined ? undefined : AFTER_ANNOUNCEMENT.find((span) => span > age)
    if (age !== undefined && next !== undefined) return milliseconds(next - age)
    return this.#isAnnouncing ? ANNOUNCING_INTERVAL : INTERVALS[current.by]
  }

  async #pause(span: Duration): Promise<void> {
    const { clock, signal } = this.#context
    const start = clock.now()
    await clock.sleep(after(start, span), signal, this.#wake.signal)
    await clock.sleep(after(start, MIN_INTERVAL), signal)
    if (this.#wake.signal.aborted) this.#wake = new AbortController()
  }
}

/** Another address, no address any more, or a lost mapping table, even with the same address. */
function isChanged(previous: RouterReport | undefined, current: RouterReport): boolean {
  if (previous === undefined) return false
  const [before, now] = [previous.answer, current.answer]
  const isOther = before.address !== now.address || before.code !== now.code
  const isPmp = current.by === 'natPmp' && previous.by === 'natPmp'
  return isOther || (isPmp && isReset(before, now, between(previous.at, current.at) / 1000))
}
