import type { Address } from '../../shared/base/address.ts'
import type { TsigKey } from '../../shared/dns/tsig.ts'

/** What the operator decides about published zones. Names are in lower case, without trailing dot. */
export interface PublishSettings {
  readonly nameservers: readonly string[]
  /**
   * The mailbox of the person who is responsible for the zones, as a domain name (RFC
   * 1035 §8). Undefined: hostmaster of each zone (RFC 2142).
   */
  readonly contact: string | undefined
  /** Where redirects and offline pages are answered. */
  readonly redirectAddresses: readonly Address[]
  readonly catalog: string
}

/** A name server that fetches the zones from this service. */
export interface Secondary {
  readonly name: string
  readonly address: Address
  readonly port: number
  readonly key: TsigKey
  /** It signs the zones (DNSSEC), with serials of its own. */
  readonly signs: boolean
}
