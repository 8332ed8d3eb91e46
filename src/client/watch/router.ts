import {
  after,
  between,
  type Duration,
  type Instant,
  milliseconds,
  minutes,
  seconds,
} from '../../base/time.ts'
import type { Address } from '../../net/address.ts'
import type { Channel } from '../../ports/datagram.ts'
import type { Closable, Gateway } from '../../ports/network.ts'
import { igdSource } from '../sources/igd.ts'
import { ANNOUNCEMENT_PORT, isReset, ROUTER_PORT, type RouterAnswer } from '../sources/pmp-codec.ts'
import { askPmp } from '../sources/pmp.ts'
import type { WatcherContext, WatcherState } from './watcher.ts'

/** RFC 6886 §3.2.1: to all hosts of the link. */
const ALL_HOSTS = '224.0.0.1' as Address

/** A datagram each way, a hop away; UPnP is an HTTP request, and a slow router's burden. */
const EVERY: { readonly natPmp: Duration; readonly upnp: Duration } = { natPmp: seconds(1), upnp: seconds(2) }
/** One that announces needs no asking, but for what was lost on the way. */
const EVERY_ANNOUNCING: Duration = seconds(30)
const EVERY_MUTE: Duration = minutes(5)
/** An announcement may come before the router itself knows (RFC 6886 says nothing of the order). */
const AFTER_HINT: readonly Duration[] = [60, 120, 250, 500, 1000].map(milliseconds)
/** An announcement so shortly before or after belongs to the change that was found by asking. */
const TOGETHER: Duration = milliseconds(1500)

/** Asks the router where it answers, and listens where it announces. */
export async function watchRouter(watching: WatcherContext, shared: WatcherState): Promise<void> {
  const { ports, clock, signal } = watching
  const state: RouterState = { announcedAt: undefined, doesAnnounce: false, ...newBell(signal) }
  const wire = listener(watching, state)
  const way = outboundRoute(watching)
  const moved = (): void => {
    way.forget()
    ring(state)
  }
  shared.kernelListeners.add(moved)
  shared.askRouterNow = () => ring(state)
  const upnp = igdSource(ports, { userAgent: watching.userAgent, allowed: [] })
  let last: Known | undefined
  try {
    while (!signal.aborted) {
      const gateway = await way.find()
      await wire.move(gateway)
      const known = gateway === undefined ? undefined : await ask(gateway, upnp, watching, way)
      note(watching, shared, known)
      if (known !== undefined && last !== undefined && isChanged(last, known)) found(watching, state, gateway)
      last = known ?? last
      await pause(watching, state, pauseOf(known, state, clock.now()))
    }
  } finally {
    shared.kernelListeners.delete(moved)
    await wire.move(undefined)
    way.forget()
  }
}

interface RouterState {
  announcedAt: Instant | undefined
  doesAnnounce: boolean
  bell: AbortController
  /** The bell, or the end. */
  woken: AbortSignal
}

const newBell = (signal: AbortSignal): Pick<RouterState, 'bell' | 'woken'> => {
  const bell = new AbortController()
  return { bell, woken: AbortSignal.any([signal, bell.signal]) }
}

const ring = (state: RouterState): void => state.bell.abort()

interface Known {
  readonly by: 'natPmp' | 'upnp'
  readonly answer: RouterAnswer
  readonly at: Instant
}

/** Each second it matters what a question costs: the way out is read again only now and then, and keeps its socket. */
function outboundRoute({ ports }: WatcherContext) {
  let [age, gateway, channel]: [number, Gateway | undefined, Channel | undefined] = [0, undefined, undefined]
  const forget = (): void => {
    channel?.close()
    ;[age, gateway, channel] = [0, undefined, undefined]
  }
  return {
    forget,
    find: async (): Promise<Gateway | undefined> => {
      if (age++ % READ_AGAIN === 0) {
        const now = await ports.gateway()
        if (JSON.stringify(now) !== JSON.stringify(gateway)) forget()
        ;[age, gateway] = [1, now]
      }
      return gateway
    },
    channelTo: ({ address }: Gateway): Channel => (channel ??= ports.openChannel(address, ROUTER_PORT)),
  }
}

const READ_AGAIN = 30

async function ask(
  gateway: Gateway,
  upnp: ReturnType<typeof igdSource>,
  { clock, signal }: WatcherContext,
  way: ReturnType<typeof outboundRoute>,
): Promise<Known | undefined> {
  const answer = await askPmp(gateway, { datagram: way.channelTo(gateway).ask }, signal)
  const at = clock.now()
  if (typeof answer !== 'string') return { by: 'natPmp', answer, at }
  const seen = await upnp.look('v4', signal)
  if (seen.kind === 'unknown') return undefined
  const address = seen.kind === 'seen' ? seen.address : seen.instead
  return { by: 'upnp', answer: { code: 0, epoch: 0, ...(address !== undefined && { address }) }, at }
}

/** Another address, none any more, or a table that was made anew, even where the address looks the same. */
function isChanged(before: Known, now: Known): boolean {
  const isOther = before.answer.address !== now.answer.address || before.answer.code !== now.answer.code
  const passed = between(before.at, now.at) / 1000
  return (
    isOther || (now.by === 'natPmp' && before.by === 'natPmp' && isReset(before.answer, now.answer, passed))
  )
}

function note({ note: say }: WatcherContext, shared: WatcherState, known: Known | undefined): void {
  const isNews = shared.doesRouterAnswer !== (known !== undefined)
  shared.doesRouterAnswer = known !== undefined
  if (isNews) say(known === undefined ? { kind: 'routerMute' } : { kind: 'routerAnswers', by: known.by })
}

function found(
  { hint, clock, note: say }: WatcherContext,
  state: RouterState,
  gateway: Gateway | undefined,
): void {
  hint('router-differs')
  const wasAnnounced = state.announcedAt !== undefined && between(state.announcedAt, clock.now()) < TOGETHER
  if (!wasAnnounced && gateway !== undefined) say({ kind: 'notAnnounced', gateway: gateway.address })
  state.doesAnnounce = wasAnnounced
}

/** Some quick looks after a hint, then as often as this router needs. */
function pauseOf(known: Known | undefined, state: RouterState, now: Instant): Duration {
  if (known === undefined) return EVERY_MUTE
  const { announcedAt } = state
  const since = announcedAt === undefined ? undefined : between(announcedAt, now)
  const next = since === undefined ? undefined : AFTER_HINT.find((at) => at > since)
  if (since !== undefined && next !== undefined) return milliseconds(next - since)
  return state.doesAnnounce ? EVERY_ANNOUNCING : EVERY[known.by]
}

/** However many announcements come, real or forged, the router is asked no more often than this because of them. */
const LEAST_PAUSE: Duration = milliseconds(50)

async function pause({ clock, signal }: WatcherContext, state: RouterState, span: Duration): Promise<void> {
  await clock.sleep(after(clock.now(), LEAST_PAUSE), signal)
  await clock.sleep(after(clock.now(), milliseconds(span - LEAST_PAUSE)), state.woken)
  if (state.bell.signal.aborted) Object.assign(state, newBell(signal))
}

const ANNOUNCEMENT_PAUSE: Duration = milliseconds(100)

/** Listens on the link of the gateway, and moves with it. From the router itself only, whatever it says. */
function listener({ ports, clock, hint, signal }: WatcherContext, state: RouterState) {
  let at = ''
  let open: readonly Closable[] = []
  let isWaiting = false
  /** At once, and then no more often than in a tenth of a second: any host of the link can forge announcements. */
  const announced = (): void => {
    if (isWaiting) return
    isWaiting = true
    hint('announcement')
    ring(state)
    void pauseAfter(state.announcedAt)
  }
  const pauseAfter = async (first: Instant | undefined): Promise<void> => {
    await clock.sleep(after(clock.now(), ANNOUNCEMENT_PAUSE), signal)
    isWaiting = false
    if (!signal.aborted && state.announcedAt !== first) announced()
  }
  const listen = async (gateway: Gateway): Promise<readonly Closable[]> => {
    const heard = (_: Uint8Array, from: Address, port: number): void => {
      if (from !== gateway.address || port !== ROUTER_PORT) return
      state.announcedAt = clock.now()
      announced()
    }
    // On both ports, because some routers use one and some the other.
    const opened = await Promise.all(
      [ANNOUNCEMENT_PORT, ROUTER_PORT].map(async (port) =>
        ports.listenToGroup({ group: ALL_HOSTS, port, local: gateway.local }, heard),
      ),
    )
    return opened.flatMap((one) => one ?? [])
  }
  return {
    move: async (gateway: Gateway | undefined): Promise<void> => {
      const to = JSON.stringify(gateway ?? '')
      if (to === at) return
      at = to
      for (const one of open) one.close()
      open = gateway === undefined ? [] : await listen(gateway)
    },
  }
}
