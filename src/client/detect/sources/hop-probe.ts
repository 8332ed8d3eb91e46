import { after, type Duration, milliseconds } from '../../../shared/base/time.ts'
import type { Address } from '../../../shared/base/address.ts'
import type { Clock } from '../../../shared/ports/clock.ts'
import type { AskByDatagram, DatagramOutcome } from '../../../shared/ports/datagram.ts'

/** The first port of traceroute(8), which is closed on hosts. */
const CLOSED_PORT = 33_434
/** One or two routers between this host and the internet. */
export const HOPS = [1, 2] as const
export const MAX_PROBE_TIMEOUT: Duration = milliseconds(250)

interface PortProbe {
  readonly address: Address
  /** The limit of hops: the packet expires where the address is not so near. Default: that of the system. */
  readonly hops?: number
  readonly timeout: Duration
  /** The local address to send from, where it is not that of the route. */
  readonly from?: Address
}

/** A datagram of one byte to a closed port of an address. A router that has the address refuses it (ICMP). */
export const askClosedPort = async (
  datagram: AskByDatagram,
  { address: to, ...options }: PortProbe,
  signal: AbortSignal,
): Promise<DatagramOutcome> =>
  datagram(
    { to, port: CLOSED_PORT, bytes: Uint8Array.from([0]), again: [], isAnswer: () => false, ...options },
    signal,
  )

/**
 * The time until a router that has the address refuses such a datagram; undefined without an answer. Where the router does
 * not have it, nothing travels farther than `hops`.
 */
export async function probeAt(
  datagram: AskByDatagram,
  probe: PortProbe & { readonly hops: number },
  signal: AbortSignal,
): Promise<Duration | undefined> {
  const outcome = await askClosedPort(datagram, probe, signal)
  return outcome.kind === 'refused' ? outcome.took : undefined
}

interface RouterProbe {
  readonly datagram: AskByDatagram
  readonly clock: Clock
  readonly from: Address | undefined
  /** The distances to try. */
  readonly within?: readonly number[]
}

/** Linux answers the first datagrams of a peer at once, and then one in a second (icmp(7), icmp_ratelimit). */
const RETRY_DELAY: Duration = milliseconds(1300)

/** Whether one of the nearest routers, or the first one alone, has the address. Takes up to 2.3 s where none has. */
export async function isAtRouter(
  { datagram, clock, from, within = HOPS }: RouterProbe,
  address: Address,
  signal: AbortSignal,
): Promise<boolean> {
  const probe = { address, timeout: MAX_PROBE_TIMEOUT, ...(from !== undefined && { from }) }
  for (let attempt = 0; attempt < 2 * within.length && !signal.aborted; attempt++) {
    if (attempt === within.length) await clock.sleep(after(clock.now(), RETRY_DELAY), signal)
    const hops = within[attempt % within.length] ?? 1
    if ((await probeAt(datagram, { ...probe, hops }, signal)) !== undefined) return true
  }
  return false
}
