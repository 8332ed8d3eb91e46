import type { Address } from '../net/address.ts'

export interface InterfaceAddress {
  readonly interface: string
  readonly address: Address
  /** RFC 8981 temporary, RFC 4862 deprecated or tentative: known on Linux only, false elsewhere. */
  readonly isTemporary: boolean
  readonly isUnusable: boolean
}

/** The addresses of this host's own interfaces; throws when the system does not tell. */
export type Interfaces = () => Promise<readonly InterfaceAddress[]>
