import { type Address, type Family, FAMILY_NAMES, familyOf } from '../../net/address.ts'
import type { Sighting } from '../../net/sighting.ts'
import type { Ends } from '../../ports/http.ts'
import { explainRange, isGlobal, type RangeClass } from '../../net/special.ts'

export const unknown = (because: string): Sighting => ({ kind: 'unknown', because })

interface Expected {
  readonly family: Family
  readonly by: string
  /** Ranges to accept although they are not public. */
  readonly allowed: readonly RangeClass[]
  readonly ends?: Partial<Ends>
}

/** The answer of an outside service: an address of the requested family in a public range, or a failure. */
export function validated(
  address: Address | undefined,
  { family, by, allowed, ends = {} }: Expected,
): Sighting {
  if (address === undefined) return unknown('did not answer with an address')
  if (familyOf(address) !== family) return unknown('answered in the other family')
  if (!isGlobal(address, allowed))
    return unknown(`answered with ${address}, which is not a public address (${explainRange(address)})`)
  return { kind: 'seen', address, by, ...wayOf(ends) }
}

/** A question to a host of this network, or to this host, takes no route to the internet. */
const wayOf = ({ local, remote }: Partial<Ends>): { readonly local?: Address } =>
  local !== undefined && remote !== undefined && isGlobal(remote, []) ? { local } : {}

/** Without an address of the bound interface nothing is asked: the kernel would send the question by another line. */
export const noSourceAddress = (family: Family): Sighting =>
  unknown(`the interface of this hostname has no ${FAMILY_NAMES[family]} address`)

/** The external address of a router. One that is not public is not a failure: another router is in front of this one. */
export function validatedOfRouter(
  address: Address | undefined,
  { by, allowed }: Omit<Expected, 'family' | 'ends'>,
): Sighting {
  if (address === undefined) return { kind: 'none' }
  return isGlobal(address, allowed) ? { kind: 'seen', address, by } : { kind: 'none', instead: address }
}
