import {
  type Address,
  type Family,
  FAMILY_NAMES,
  familyOf,
  parseAddress,
} from '../../../shared/base/address.ts'
import type { SentPacket, Sighting } from '../../../shared/base/sighting.ts'
import type { SourcePorts } from './ports.ts'
import { unknown } from './validate.ts'

/** The first address of a host. An address literal needs no resolution. */
export async function addressOfHost(
  host: string,
  family: Family,
  resolve: SourcePorts['resolve'],
): Promise<Address | undefined> {
  const literal = parseAddress(host)
  if (literal !== undefined) return familyOf(literal) === family ? literal : undefined
  const [address] = await resolve(host, family)
  return address
}

export const noAddress = (family: Family): Sighting => unknown(`has no known ${FAMILY_NAMES[family]} address`)

/** The reason why a request by datagram has no answer. */
export function failureOf(
  outcome: Exclude<Awaited<ReturnType<SourcePorts['datagram']>>, { kind: 'answered' }>,
): string {
  if (outcome.kind === 'refused') return 'the port is closed'
  return outcome.kind === 'silent' ? 'did not answer' : `could not be reached (${outcome.because})`
}

/** The packet of a question that was answered. */
export const packetOf = (
  { local }: { readonly local?: Address },
  { to: remote, port }: { readonly to: Address; readonly port: number },
): SentPacket | undefined => (local === undefined ? undefined : { local, remote, protocol: 'udp', port })
