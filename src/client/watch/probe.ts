import { type Duration, after, milliseconds, minutes } from '../../base/time.ts'
import type { Address } from '../../net/address.ts'
import type { Shared, Watching } from './parts.ts'

/** Where traceroute(8) begins: nobody listens there. */
const CLOSED_PORT = 33_434
/** Linux sends one ICMP error a second to each peer (icmp(7), icmp_ratelimit); a little slower loses none. */
const EVERY: Duration = milliseconds(1300)
const PATIENCE = { least: milliseconds(40), most: milliseconds(250), first: milliseconds(250) } as const
/** One router between us and the world, or two. */
const HOPS = [1, 2] as const
const CALIBRATIONS = 3
const SILENCES = 2
const TRY_AGAIN: Duration = minutes(10)

/**
 * For routers that answer nothing: a byte to our own public address that may go a hop or two. While the router owns the
 * address it answers that nobody listens there (ICMP); when it no longer does, the packet dies on the next hop, and there
 * is silence. Nothing leaves the first hops. Whether a router answers is tried out at each new address.
 */
export async function watchProbe(watching: Watching, shared: Shared): Promise<void> {
  const { clock, signal, hint, note } = watching
  while (!signal.aborted) {
    shared.isProbed = false
    const address = shared.doesRouterAnswer ? undefined : shared.published()
    if (address === undefined || address.includes(':')) {
      await clock.sleep(after(clock.now(), EVERY), signal)
      continue
    }
    const hops = await calibrated(watching, address)
    if (hops === undefined) {
      await whileSame(watching, shared, address, TRY_AGAIN)
      continue
    }
    note({ kind: 'probeAnswers', hops })
    shared.isProbed = true
    await follow(watching, shared, address, hops)
    if (!signal.aborted && shared.published() === address)
      hint('the router no longer takes what is sent to our address')
    await whileSame(watching, shared, address, EVERY)
  }
}

async function calibrated(watching: Watching, address: Address): Promise<number | undefined> {
  for (let attempt = 0; attempt < CALIBRATIONS; attempt++)
    for (const hops of HOPS) {
      if ((await answers(watching, address, hops, PATIENCE.first)) !== undefined) return hops
      await watching.clock.sleep(after(watching.clock.now(), EVERY), watching.signal)
    }
  return undefined
}

/** Until it is silent twice in a row, or something else is published. */
async function follow(watching: Watching, shared: Shared, address: Address, hops: number): Promise<void> {
  const { clock, signal } = watching
  let slowest: number = PATIENCE.least / 4
  for (let silences = 0; silences < SILENCES; ) {
    const patience = Math.min(PATIENCE.most, Math.max(PATIENCE.least, 4 * slowest))
    const took = await answers(watching, address, hops, milliseconds(patience))
    silences = took === undefined ? silences + 1 : 0
    slowest = Math.max(slowest * 0.95, took ?? 0)
    const isOver = signal.aborted || shared.published() !== address || shared.doesRouterAnswer
    if (isOver || silences >= SILENCES) return
    if (silences === 0) await clock.sleep(after(clock.now(), EVERY), signal)
  }
}

async function answers(
  { ports, signal }: Watching,
  to: Address,
  hops: number,
  within: Duration,
): Promise<Duration | undefined> {
  const outcome = await ports.datagram(
    { to, port: CLOSED_PORT, bytes: Uint8Array.from([0]), again: [], within, hops, isAnswer: () => false },
    signal,
  )
  return outcome.kind === 'refused' ? outcome.took : undefined
}

async function whileSame(
  { clock, signal }: Watching,
  shared: Shared,
  address: Address,
  longest: Duration,
): Promise<void> {
  const end = after(clock.now(), longest)
  while (!signal.aborted && shared.published() === address && clock.now() < end)
    await clock.sleep(after(clock.now(), EVERY), signal)
}
