import type { Instant } from '../../shared/base/time.ts'
import { type Addresses, byFamily, FAMILIES, type Family, picked } from '../../shared/base/address.ts'
import type { UpdateRequest } from '../../shared/protocol/request.ts'
import type { HostState, Moments } from './state.ts'
import type { Reply } from '../../shared/protocol/reply-codec.ts'

interface Confirmed {
  readonly host: HostState
  readonly isApart: boolean
  readonly now: Instant
  readonly random: number
}

/**
 * The state of a hostname after a successful reply. The address that was sent counts, even where the reply contains
 * another one: sending it again would loop. A family that is missing in the reply while the other is present is not
 * confirmed, and not sent again until it changes.
 */
export function confirmedBy(
  reply: Reply,
  sent: UpdateRequest,
  { host, isApart, now, random }: Confirmed,
): HostState {
  const { addresses, offline } = sent
  const echoed = 'addresses' in reply ? byFamily(reply.addresses) : {}
  const unechoed = unechoedOf(addresses, reply)
  const named = Object.keys(addresses).length === 0 ? echoed : without(addresses, unechoed)
  const confirmed = without({ ...host.confirmed, ...named }, unechoed)
  const other = otherIn(echoed, addresses)
  const isSame = FAMILIES.every((family) => confirmed[family] === host.confirmed[family])
  return {
    confirmed,
    touched: now,
    since: isSame ? (host.since ?? now) : now,
    spread: random * 2 - 1,
    isOffline: offline === 'YES',
    ...stillUnanswered(host, named),
    ...(isApart && { touchedBy: touchedBy(sent, host, now) }),
    ...('isProxied' in reply && { isProxied: true }),
    ...(Object.keys(other).length > 0 && { answered: other }),
    ...(unechoed.length > 0 && { unechoed: only(addresses, unechoed) }),
  }
}

/** The state of a hostname when a request is sent: until its answer, the service has the old or the new address. */
export function sentTo(host: HostState, { addresses, offline }: UpdateRequest): HostState {
  const differing = picked(addresses, (family) => addresses[family] !== host.confirmed[family])
  const { unanswered } = host
  const isOffline = unanswered?.isOffline === true || (offline === 'YES' && !host.isOffline)
  const isOnline = unanswered?.isOnline === true || (offline !== 'YES' && host.isOffline)
  if (Object.keys(differing).length === 0 && !isOffline && !isOnline) return host
  return {
    ...host,
    ...(offline === 'YES' && host.touchedBy && { touchedBy: {} }),
    unanswered: { addresses: { ...unanswered?.addresses, ...differing }, isOffline, isOnline },
  }
}

/** The state of a hostname after the service refused the offline option: its addresses may still be unconfirmed. */
export function notOffline(host: HostState): HostState {
  const { unanswered: _, ...rest } = host
  return { ...rest, ...stillUnanswered(host, {}) }
}

/** The unanswered addresses that a confirmation of these leaves. */
function stillUnanswered({ unanswered }: HostState, confirmed: Addresses): Pick<HostState, 'unanswered'> {
  const addresses = picked(unanswered?.addresses ?? {}, (family) => confirmed[family] === undefined)
  return Object.keys(addresses).length === 0
    ? {}
    : { unanswered: { addresses, isOffline: false, isOnline: false } }
}

/** An offline request leaves no moment: after it, each family is sent again. */
function touchedBy({ addresses, offline }: UpdateRequest, host: HostState, now: Instant): Moments {
  if (offline === 'YES') return {}
  const sent = FAMILIES.filter((family) => addresses[family] !== undefined)
  return { ...momentsOf(host), ...Object.fromEntries(sent.map((family) => [family, now])) }
}

/** When each family was confirmed last. A host whose families were sent together has one moment for both. */
export const momentsOf = ({ touched, touchedBy }: HostState): Moments =>
  touchedBy ?? (touched === undefined ? {} : { v4: touched, v6: touched })

/** The addresses of an answer that differ from those that were sent. */
const otherIn = (echoed: Addresses, sent: Addresses): Addresses =>
  only(
    echoed,
    FAMILIES.filter((family) => sent[family] !== undefined && echoed[family] !== sent[family]),
  )

/** The families that were sent and are missing in a reply that contains the other one. */
export function unechoedOf(sent: Addresses, reply: Reply): readonly Family[] {
  const echoed = 'addresses' in reply ? byFamily(reply.addresses) : {}
  const isAnyEchoed = FAMILIES.some((family) => echoed[family] !== undefined)
  return FAMILIES.filter(
    (family) => isAnyEchoed && sent[family] !== undefined && echoed[family] === undefined,
  )
}

const without = (addresses: Addresses, families: readonly Family[]): Addresses =>
  picked(addresses, (family) => !families.includes(family))
const only = (addresses: Addresses, families: readonly Family[]): Addresses =>
  picked(addresses, (family) => families.includes(family))
