import type { Instant } from '../../base/time.ts'
import { type Addresses, byFamily, FAMILIES, type Family } from '../../net/address.ts'
import type { Reply } from '../../protocol/reply-codec.ts'
import type { UpdateRequest } from '../../protocol/request.ts'
import type { HostState } from './state.ts'

interface Before {
  readonly host: HostState
  readonly now: Instant
  readonly random: number
}

/**
 * What is confirmed after a word of success. What we sent counts even where the service names another address: arguing would be
 * a loop. A family that it does not name while it names the other is not confirmed, and not sent again until it changes.
 */
export function confirmedBy(reply: Reply, sent: UpdateRequest, { host, now, random }: Before): HostState {
  const { addresses, offline } = sent
  const echoed = 'addresses' in reply ? byFamily(reply.addresses) : {}
  const silent = unechoedOf(addresses, reply)
  const named = Object.keys(addresses).length === 0 ? echoed : without(addresses, silent)
  const confirmed = without({ ...host.confirmed, ...named }, silent)
  const isSame = FAMILIES.every((family) => confirmed[family] === host.confirmed[family])
  return {
    confirmed,
    touched: now,
    since: isSame ? (host.since ?? now) : now,
    spread: random * 2 - 1,
    isOffline: offline === 'YES',
    ...(silent.length > 0 && { unechoed: only(addresses, silent) }),
  }
}

/** The families that were sent, and are not named in an answer that names the other. */
export function unechoedOf(sent: Addresses, reply: Reply): readonly Family[] {
  const echoed = 'addresses' in reply ? byFamily(reply.addresses) : {}
  const isAnyNamed = FAMILIES.some((family) => echoed[family] !== undefined)
  return FAMILIES.filter((family) => isAnyNamed && sent[family] !== undefined && echoed[family] === undefined)
}

const without = (addresses: Addresses, families: readonly Family[]): Addresses =>
  picked(addresses, (family) => !families.includes(family))
const only = (addresses: Addresses, families: readonly Family[]): Addresses =>
  picked(addresses, (family) => families.includes(family))
const picked = (addresses: Addresses, isWanted: (family: Family) => boolean): Addresses =>
  Object.fromEntries(
    FAMILIES.flatMap((family) =>
      addresses[family] !== undefined && isWanted(family) ? [[family, addresses[family]]] : [],
    ),
  )
