import { after, type Duration, milliseconds, minutes } from '../../base/time.ts'
import type { Address } from '../../net/address.ts'
import type { WatcherContext, WatcherState } from './watcher.ts'

/** Where traceroute(8) begins: nobody listens there. */
const CLOSED_PORT = 33_434
/** Linux sends one ICMP error a second to each peer, and a few at once (icmp(7), icmp_ratelimit); a little slower loses none. */
const EVERY: Duration = milliseconds(1300)
/** A silence is made sure of sooner, but not so soon that the same limit causes it. */
const AGAIN: Duration = milliseconds(200)
const PATIENCE = { least: milliseconds(40), most: milliseconds(250) } as const
/** One router between us and the world, or two. */
const HOPS = [1, 2] as const
const SILENCES = 2
/** A router that does not answer at first may only be held back by that limit; one that never does is left alone. */
const CALIBRATIONS = 6
const TRY_AGAIN: Duration = minutes(10)
/** A router that answers needs none of this; it may stop doing so. */
const UNNEEDED: Duration = milliseconds(15_000)

/**
 * For routers that answer nothing: a byte to our own public address that may go a hop or two. While the router owns the
 * address it answers that nobody listens there (ICMP); when it no longer does, the packet dies on the next hop, and there
 * is silence. Nothing leaves the first hops. Whether a router answers is tried out at each new address.
 */
export async function watchProbe(watching: WatcherContext, shared: WatcherState): Promise<void> {
  const { signal, note } = watching
  let hops: number | undefined
  while (!signal.aborted) {
    shared.isProbed = false
    const address = shared.doesRouterAnswer ? undefined : shared.published('v4')
    if (address === undefined || address.includes(':')) {
      await rest(watching, shared.doesRouterAnswer ? UNNEEDED : EVERY)
      continue
    }
    const isKnown = hops !== undefined
    hops ??= await calibrated(watching, shared, address)
    if (hops === undefined) {
      await whileSame(watching, shared, address, TRY_AGAIN)
      continue
    }
    if (!isKnown) note({ kind: 'probeAnswers', hops })
    if (!(await follow(watching, shared, address, hops))) hops = undefined
  }
}

const rest = async ({ clock, signal }: WatcherContext, span: Duration): Promise<void> =>
  clock.sleep(after(clock.now(), span), signal)

const isSame = ({ signal }: WatcherContext, shared: WatcherState, address: Address): boolean =>
  !signal.aborted && shared.published('v4') === address && !shared.doesRouterAnswer

/** How many hops it takes. */
async function calibrated(
  watching: WatcherContext,
  shared: WatcherState,
  address: Address,
): Promise<number | undefined> {
  for (let attempt = 0; attempt < CALIBRATIONS && isSame(watching, shared, address); attempt++)
    for (const hops of HOPS) {
      if ((await answers(watching, address, hops, PATIENCE.most)) !== undefined) return hops
      await rest(watching, EVERY)
    }
  return undefined
}

/** Until something else is published. Two silences in a row are a reason to look. False for one that stays silent. */
async function follow(
  watching: WatcherContext,
  shared: WatcherState,
  address: Address,
  hops: number,
): Promise<boolean> {
  let [slowest, silences] = [PATIENCE.least / 2, 0]
  shared.isProbed = true
  await rest(watching, EVERY)
  while (isSame(watching, shared, address)) {
    const patience = Math.min(PATIENCE.most, Math.max(PATIENCE.least, 4 * slowest))
    const took = await answers(watching, address, hops, milliseconds(patience))
    silences = took === undefined ? silences + 1 : 0
    slowest = Math.max(slowest * 0.95, took ?? 0)
    if (silences === SILENCES) watching.hint('probe-lost')
    if (silences > 2 * SILENCES) return false
    await rest(watching, silences === 1 ? AGAIN : EVERY)
  }
  return true
}

async function answers(
  { ports, signal }: WatcherContext,
  to: Address,
  hops: number,
  within: Duration,
): Promise<Duration | undefined> {
  const outcome = await ports.datagram(
    {
      to,
      port: CLOSED_PORT,
      bytes: Uint8Array.from([0]),
      again: [],
      timeout: within,
      hops,
      isAnswer: () => false,
    },
    signal,
  )
  return outcome.kind === 'refused' ? outcome.took : undefined
}

async function whileSame(
  watching: WatcherContext,
  shared: WatcherState,
  address: Address,
  longest: Duration,
): Promise<void> {
  const end = after(watching.clock.now(), longest)
  while (isSame(watching, shared, address) && watching.clock.now() < end) await rest(watching, EVERY)
}
