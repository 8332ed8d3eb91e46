import type { Instant } from '../../../shared/base/time.ts'

/** What the DNS gives of a zone at one moment. Undefined: not known, because nothing answered in time. */
export interface Delegation {
  readonly checkedAt: Instant
  readonly parent: DelegationParent
  /** Those of the service, and those that the parent has. */
  readonly servers: readonly DelegatedServer[]
  readonly advice: readonly string[]
  /** TXT values for the proof of ownership; undefined if not queried. */
  readonly challenges?: readonly string[]
}

export interface DelegationParent {
  /** The zone above. */
  readonly zone: string | undefined
  /** The NS that it has for the zone; none is an empty list. */
  readonly nameservers: readonly string[] | undefined
  /** In presentation format. */
  readonly ds: readonly string[] | undefined
}

export interface DelegatedServer {
  readonly name: string
  /** In the settings of the service. */
  readonly isOwn: boolean
  readonly isAtParent: boolean | undefined
  /** Of its addresses, as the resolver of the service knows them. */
  readonly hasAddress: boolean | undefined
  readonly isAnswering: boolean
  /** It answers for the zone, with AA (RFC 1035 §4.1.1). */
  readonly isAuthoritative: boolean
  readonly serial: number | undefined
  /** How many keys of DNSSEC it gives. */
  readonly dnskeys: number | undefined
}
