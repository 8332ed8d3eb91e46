import { after, type Duration, isBefore, milliseconds, minutes } from '../../../shared/base/time.ts'
import { WAIT_ENDED } from '../../../shared/base/concurrency.ts'
import type { Address } from '../../../shared/base/address.ts'
import { HOPS, MAX_PROBE_TIMEOUT, probeAt } from '../sources/hop-probe.ts'
import { watchLeftAddress } from './left-address.ts'
import { RouterPing } from './router-ping.ts'
import type { WatcherContext, WatcherState } from './watcher.ts'

/** Linux sends one ICMP error a second to each peer (icmp(7), icmp_ratelimit); a longer interval loses none. */
const PROBE_INTERVAL: Duration = milliseconds(1300)
/** After a timeout; long enough that the same limit does not cause the second one. */
const RETRY_DELAY: Duration = milliseconds(200)
const MIN_PROBE_TIMEOUT: Duration = milliseconds(40)
const MAX_TIMEOUTS = 4
/** While pings are answered, and how soon a new address is noticed that is none of their doing. */
const PINGED_INTERVAL: Duration = milliseconds(15_000)
const CURRENT_INTERVAL: Duration = milliseconds(2000)
/** The rate limit may suppress the first answers of a router. */
const MAX_CALIBRATIONS = 6
const RECALIBRATION_DELAY: Duration = minutes(10)
/** While the router announces its changes, no probe is needed. */
const UNNEEDED_INTERVAL: Duration = milliseconds(15_000)

/**
 * For routers that announce no change: a datagram of one byte to the public address of this host, with a limit of one
 * or two hops. While the router has the address, it answers that the port is closed (ICMP). After a change, the packet
 * expires at the next hop and no answer comes; nothing travels farther. Each new address is calibrated again.
 */
export async function watchProbe(context: WatcherContext, state: WatcherState): Promise<void> {
  const { signal, report } = context
  let hops: number | undefined
  let last: number | undefined
  const ping = new RouterPing(context)
  let change = new AbortController()
  const recheck = (): void => {
    change.abort(WAIT_ENDED)
    change = new AbortController()
    void ping.recheck()
  }
  state.kernelListeners.add(recheck)
  signal.addEventListener('abort', () => state.kernelListeners.delete(recheck), { once: true })
  const left = leftAddresses(context, state, ping)
  while (!signal.aborted) {
    state.isProbed = false
    const address = state.isAnnounced ? undefined : state.published('v4')
    if (address === undefined || address.includes(':')) {
      await pause(context, state.isAnnounced ? UNNEEDED_INTERVAL : PROBE_INTERVAL)
      continue
    }
    const target = { context, state, address, ping, change: () => change.signal }
    const isKnown = hops !== undefined
    hops ??= await calibrate(target, last)
    if (hops === undefined) {
      await waitForChange(target, RECALIBRATION_DELAY)
      continue
    }
    last = hops
    left.now(address, hops)
    if (!isKnown) report({ kind: 'probeAnswers', hops })
    const isAnswered = await probe(target, hops).finally(() => ping.stop())
    if (!isAnswered) hops = undefined
  }
}

/** The address of the probe before the current one is watched too. */
function leftAddresses(
  context: WatcherContext,
  state: WatcherState,
  ping: RouterPing,
): { readonly now: (address: Address, hops: number) => void } {
  let current: { readonly address: Address; readonly hops: number } | undefined
  let end = new AbortController()
  const now = (address: Address, hops: number): void => {
    const before = current
    current = { address, hops }
    if (before === undefined || before.address === address) return
    end.abort(WAIT_ENDED)
    end = new AbortController()
    state.otherLine = 'no'
    const signal = AbortSignal.any([context.signal, end.signal])
    void watchLeftAddress({ ...context, signal }, state, { ...before, isPinged: () => ping.isRunning })
  }
  return { now }
}

interface ProbeTarget {
  readonly ping: RouterPing
  readonly context: WatcherContext
  readonly state: WatcherState
  readonly address: Address
  /** Aborts when the network of this host changes next: a VPN that ends gives the way to the router back. */
  readonly change: () => AbortSignal
}

const pause = async ({ clock, signal }: WatcherContext, span: Duration): Promise<void> =>
  clock.sleep(after(clock.now(), span), signal)

/** The address is still published, and the probe is still needed. */
const isCurrent = ({ context: { signal }, state, address }: ProbeTarget): boolean =>
  !signal.aborted && state.published('v4') === address && !state.isAnnounced

/** The distance to the router, in hops, first the last one; undefined where it does not answer. */
async function calibrate(target: ProbeTarget, last: number | undefined): Promise<number | undefined> {
  const order = last === undefined ? HOPS : [last, last, ...HOPS.filter((hops) => hops !== last)]
  for (let attempt = 0; attempt < MAX_CALIBRATIONS * HOPS.length && isCurrent(target); attempt++) {
    const hops = order[attempt % order.length] ?? 1
    const change = target.change()
    if ((await roundTrip(target, hops, MAX_PROBE_TIMEOUT)) !== undefined) return hops
    // Silence at a known distance: the address may have changed during calibration.
    if (last !== undefined && attempt % 2 === 1) target.context.hint('probe-lost')
    await pauseOrChange(target, PROBE_INTERVAL, change)
    if (change.aborted) attempt = -1
  }
  return undefined
}

const pauseOrChange = async (
  { context: { clock, signal } }: ProbeTarget,
  span: Duration,
  change: AbortSignal,
): Promise<void> => clock.sleep(after(clock.now(), span), signal, change)

/**
 * Probes while the address is current. A second consecutive timeout is a hint; after a missing ping, the first. False where
 * the router stopped answering.
 */
async function probe(target: ProbeTarget, hops: number): Promise<boolean> {
  const { context, state, address, ping } = target
  let [slowest, timeouts] = [MIN_PROBE_TIMEOUT / 2, 0]
  state.isProbed = true
  await ping.start(address, hops)
  await ping.pause(PROBE_INTERVAL)
  while (isCurrent(target)) {
    const timeout = Math.min(MAX_PROBE_TIMEOUT, Math.max(MIN_PROBE_TIMEOUT, 4 * slowest))
    const took = await roundTrip(target, hops, milliseconds(timeout))
    timeouts = took === undefined ? timeouts + 1 : 0
    slowest = Math.max(slowest * 0.95, took ?? 0)
    if (timeouts === ping.timeoutsForHint) context.hint('probe-lost')
    if (timeouts > MAX_TIMEOUTS) return false
    if (took !== undefined) await ping.answered()
    if (timeouts === 1) await pause(context, RETRY_DELAY)
    else if (ping.isRunning && timeouts === 0) await pausePinged(target)
    else await ping.pause(PROBE_INTERVAL)
  }
  return true
}

/** A router with two lines may change them without the loss of a ping: only an outside source shows it. */
async function pausePinged(target: ProbeTarget): Promise<void> {
  const { clock } = target.context
  const end = after(clock.now(), PINGED_INTERVAL)
  while (target.ping.isRunning && isCurrent(target) && isBefore(clock.now(), end))
    await target.ping.pause(CURRENT_INTERVAL)
}

const roundTrip = async (
  { context: { ports, signal }, address }: ProbeTarget,
  hops: number,
  timeout: Duration,
): Promise<Duration | undefined> => probeAt(ports.datagram, { address, hops, timeout }, signal)

/** Returns after the span, when the address is no longer current, or when the network of this host has changed. */
async function waitForChange(target: ProbeTarget, span: Duration): Promise<void> {
  const { clock } = target.context
  const end = after(clock.now(), span)
  const change = target.change()
  while (isCurrent(target) && clock.now() < end && !change.aborted)
    await pauseOrChange(target, PROBE_INTERVAL, change)
}
