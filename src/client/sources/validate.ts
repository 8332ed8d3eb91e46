import { type Address, type Family, familyOf } from '../../net/address.ts'
import type { Sighting } from '../../net/sighting.ts'
import { explainRange, isGlobal, type RangeClass } from '../../net/special.ts'

export const unknown = (because: string): Sighting => ({ kind: 'unknown', because })

/** What an outside service says our address is: of the family that was asked for, and public, or it is no answer. */
export function validated(
  address: Address | undefined,
  family: Family,
  by: string,
  allowed: readonly RangeClass[],
): Sighting {
  if (address === undefined) return unknown('did not answer with an address')
  if (familyOf(address) !== family) return unknown('answered in the other family')
  if (!isGlobal(address, allowed))
    return unknown(`answered with ${address}, which is no public address (${explainRange(address)})`)
  return { kind: 'seen', address, by }
}

/** What a router says its outside address is: one that is not public is no failure, it says that another router is behind it. */
export function validatedOfRouter(
  address: Address | undefined,
  by: string,
  allowed: readonly RangeClass[],
): Sighting {
  if (address === undefined) return { kind: 'none' }
  return isGlobal(address, allowed) ? { kind: 'seen', address, by } : { kind: 'none', instead: address }
}
