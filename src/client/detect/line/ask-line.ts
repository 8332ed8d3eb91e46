import { milliseconds, seconds } from '../../../shared/base/time.ts'
import { type Address, familyOf } from '../../../shared/base/address.ts'
import type { NetworkPorts } from '../../../shared/ports/system.ts'
import type { RunOutcome } from '../../../shared/ports/network.ts'
import { askClosedPort } from '../sources/hop-probe.ts'
import type { HomeNow } from './line.ts'
import type { Line } from '../../decide/state.ts'

export interface AskingPorts extends Pick<NetworkPorts, 'datagram' | 'program'> {
  /** ping(8) may be used. */
  readonly mayPing: () => boolean
}

/** Longer than the two pings wait. */
const GATEWAY_TIMEOUT = seconds(2)
const PING_TIMEOUT = seconds(3)
const PORT_TIMEOUT = milliseconds(250)

/**
 * Whether the gateway answers a datagram to a closed port, or two pings. Routers limit ICMP errors and may drop pings, so
 * only the silence of both counts. undefined where a firewall of this host blocks the question, such as that of a VPN.
 */
export async function doesAnswer(
  { datagram, program, mayPing }: AskingPorts,
  { interface: name, gateway }: Line,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  if (gateway === undefined) return false
  const isV4 = familyOf(gateway) === 'v4'
  // A link-local address does not leave the link.
  const probe = isV4 ? { address: gateway, hops: 1 } : { address: `${gateway}%${name}` as Address }
  const atPort = await askClosedPort(datagram, { ...probe, timeout: PORT_TIMEOUT }, signal)
  if (atPort.kind === 'refused') return true
  if (atPort.kind === 'failed' && atPort.because === 'EPERM') return undefined
  if (!mayPing()) return false
  const options = ['-n', '-q', '-c', '2', '-i', '0.3', '-W', '1', '-I', name]
  const outcome = await program(['ping', ...options, gateway], GATEWAY_TIMEOUT, signal)
  return outcome.kind === 'ended' && outcome.code === 0
}

/**
 * Asks outside hosts through the interface of the line, the others if the first one is silent: Node cannot bind a socket
 * to a device, ping(8) can.
 */
export async function askBeyond(
  { program, mayPing }: AskingPorts,
  { interface: name }: Line,
  { hosts, signal }: { readonly hosts: readonly Address[]; readonly signal: AbortSignal },
): Promise<HomeNow['beyond']> {
  const [first, ...others] = hosts
  if (!mayPing() || first === undefined) return undefined
  const ask = async (to: Address): Promise<RunOutcome> =>
    program(['ping', '-n', '-q', '-c', '1', '-W', '1', '-I', name, to], PING_TIMEOUT, signal)
  const did = (outcome: RunOutcome): boolean => outcome.kind === 'ended' && outcome.code === 0
  const one = await ask(first)
  if (did(one)) return 'answers'
  const outcomes = [one, ...(await Promise.all(others.map(ask)))]
  if (outcomes.some(did)) return 'answers'
  // Exit code 2: ping could not send.
  return outcomes.every((each) => each.kind === 'ended' && each.code === 1) ? 'silent' : undefined
}
