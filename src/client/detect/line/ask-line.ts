import { milliseconds, seconds } from '../../../shared/base/time.ts'
import { type Address, familyOf } from '../../../shared/base/address.ts'
import type { NetworkPorts } from '../../../shared/ports/system.ts'
import { probeAt } from '../sources/hop-probe.ts'
import type { HomeNow } from './line.ts'
import type { Line } from '../../decide/state.ts'

export interface AskingPorts extends Pick<NetworkPorts, 'datagram' | 'program'> {
  /** ping(8) may be used. */
  readonly mayPing: () => boolean
}

const PING_TIMEOUT = seconds(3)
const PORT_TIMEOUT = milliseconds(250)

/**
 * Whether the gateway answers two pings or a datagram to a closed port. Routers limit ICMP errors and may drop
 * pings, so only the silence of both counts.
 */
export async function doesAnswer(
  { datagram, program, mayPing }: AskingPorts,
  { interface: name, gateway }: Line,
  signal: AbortSignal,
): Promise<boolean> {
  if (gateway === undefined) return false
  const isV4 = familyOf(gateway) === 'v4'
  // Node cannot send to a link-local address of one interface and limit the hops.
  const atPort = isV4
    ? probeAt(datagram, { address: gateway, hops: 1, timeout: PORT_TIMEOUT }, signal)
    : undefined
  const options = ['-n', '-q', '-c', '2', '-i', '0.3', '-W', '1', '-I', name]
  const ping = mayPing() ? program(['ping', ...options, gateway], PING_TIMEOUT, signal) : undefined
  if ((await atPort) !== undefined) return true
  const outcome = await ping
  return outcome?.kind === 'ended' && outcome.code === 0
}

/** Asks outside hosts through the interface of the line: Node cannot bind a socket to a device, ping(8) can. */
export async function askBeyond(
  { program, mayPing }: AskingPorts,
  { interface: name }: Line,
  { hosts, signal }: { readonly hosts: readonly Address[]; readonly signal: AbortSignal },
): Promise<HomeNow['beyond']> {
  if (!mayPing() || hosts.length === 0) return undefined
  const outcomes = await Promise.all(
    hosts.map(async (to) =>
      program(['ping', '-n', '-q', '-c', '1', '-W', '1', '-I', name, to], PING_TIMEOUT, signal),
    ),
  )
  if (outcomes.some((one) => one.kind === 'ended' && one.code === 0)) return 'answers'
  // Exit code 2: ping could not send.
  return outcomes.every((one) => one.kind === 'ended' && one.code === 1) ? 'silent' : undefined
}
