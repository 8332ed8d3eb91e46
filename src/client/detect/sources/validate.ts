import { type Address, type Family, FAMILY_NAMES, familyOf } from '../../../shared/base/address.ts'
import type { SentPacket, Sighting } from '../../../shared/base/sighting.ts'
import { explainRange, isGlobal, type RangeClass } from '../../../shared/base/special.ts'

export const unknown = (because: string): Sighting => ({ kind: 'unknown', because })

interface Expected {
  readonly family: Family
  readonly by: string
  /** Ranges to accept although they are not public. */
  readonly allowed: readonly RangeClass[]
  readonly sent?: SentPacket | undefined
}

/** The answer of an outside service: an address of the requested family in a public range, or a failure. */
export function validated(address: Address | undefined, { family, by, allowed, sent }: Expected): Sighting {
  if (address === undefined) return unknown('did not answer with an address')
  if (familyOf(address) !== family) return unknown('answered with an address of the other family')
  if (!isGlobal(address, allowed))
    return unknown(`answered with ${address}, which is not a public address (${explainRange(address)})`)
  return { kind: 'seen', address, by, ...(sent !== undefined && { sent }) }
}

/** Without an address of the bound interface nothing is asked: the kernel would send the question by another line. */
export const noSourceAddress = (family: Family): Sighting => ({
  kind: 'unknown',
  because: `the interface of this hostname has no ${FAMILY_NAMES[family]} address`,
  lacksInterface: true,
})

/** The external address of a router. One that is not public is not a failure: another router is in front of this one. */
export function validatedOfRouter(
  address: Address | undefined,
  { by, allowed }: Omit<Expected, 'family' | 'sent'>,
): Sighting {
  if (address === undefined) return { kind: 'none' }
  return isGlobal(address, allowed) ? { kind: 'seen', address, by } : { kind: 'none', instead: address }
}
