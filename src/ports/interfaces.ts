import type { Address } from '../net/address.ts'

export interface InterfaceAddress {
  readonly interface: string
  readonly address: Address
  /** RFC 8981 temporary, RFC 4862 deprecated or tentative: known on Linux only, false elsewhere. */
  readonly isTemporary: boolean
  readonly isUnusable: boolean
  /** Set by hand or for ever, not leased by a router (Linux only). */
  readonly isPermanent: boolean
  /** In bits: 128 is what DHCPv6 gives. */
  readonly prefixLength: number
  /** An interface without a hardware address, such as tun, wg or ppp. */
  readonly isTunnel: boolean
}

/** The addresses of this host's own interfaces; throws when the system does not tell. */
export type Interfaces = () => Promise<readonly InterfaceAddress[]>
