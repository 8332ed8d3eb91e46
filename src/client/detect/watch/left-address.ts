import { after, type Duration, isBefore, minutes, seconds } from '../../../shared/base/time.ts'
import type { Address } from '../../../shared/base/address.ts'
import { MAX_PROBE_TIMEOUT, probeAt } from '../sources/hop-probe.ts'
import type { WatcherContext, WatcherState } from './watcher.ts'

/** With the probe of the current address, less often than Linux sends ICMP errors to one peer (icmp(7), icmp_ratelimit). */
const INTERVALS: Readonly<Record<'pinged' | 'probed' | 'later', Duration>> = {
  pinged: seconds(2),
  probed: seconds(10),
  later: seconds(15),
}
/** A line that fails is mostly back within this span. */
const SOON: Duration = minutes(10)
/** A single missing answer is that of the rate limit. */
const MISSES = 2

interface LeftAddress {
  readonly address: Address
  readonly hops: number
  /** Pings watch the current address, so that its probe is rare. */
  readonly isPinged: () => boolean
}

/**
 * A router with two lines: while it still has the address that was left, or has it again, it may return to that line without
 * the loss of the current address. When the address comes back, outside sources are asked at once. Ends at the signal.
 */
export async function watchLeftAddress(
  { clock, ports, signal }: Pick<WatcherContext, 'clock' | 'ports' | 'signal'>,
  state: WatcherState,
  { address, hops, isPinged }: LeftAddress,
): Promise<void> {
  const late = after(clock.now(), SOON)
  let misses = 0
  while (!signal.aborted) {
    const isRecent = isBefore(clock.now(), late)
    const kind = isRecent ? (isPinged() ? 'pinged' : 'probed') : 'later'
    await clock.sleep(after(clock.now(), INTERVALS[kind]), signal)
    // A new address is calibrated first.
    if (signal.aborted || !state.isProbed) continue
    const took = await probeAt(ports.datagram, { address, hops, timeout: MAX_PROBE_TIMEOUT }, signal)
    if (signal.aborted) return
    misses = took === undefined ? misses + 1 : 0
    const isBack = misses === 0 && state.otherLine === 'no'
    const isThere = misses === 0 || (state.otherLine !== 'no' && misses < MISSES)
    state.otherLine = isThere ? (isRecent ? 'recent' : 'known') : 'no'
    if (isBack) state.recheckListeners.forEach((listener) => listener())
  }
}
