import type { TsigKey } from '../../shared/dns/tsig.ts'
import type { Address } from '../../shared/base/address.ts'

/** A name server that fetches the zones from this service. */
export interface Secondary {
  readonly name: string
  readonly address: Address
  readonly port: number
  readonly key: TsigKey
  /** It signs the zones (DNSSEC), with serials of its own. */
  readonly signs: boolean
}
