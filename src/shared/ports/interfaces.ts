import type { Address } from '../base/address.ts'

export interface InterfaceAddress {
  readonly interface: string
  readonly address: Address
  /** RFC 8981. Known on Linux only, false elsewhere. */
  readonly isTemporary: boolean
  /** RFC 4862: deprecated, tentative, or a duplicate. Known on Linux only, false elsewhere. */
  readonly isUnusable: boolean
  /** Not usable yet, duplicate address detection is running (RFC 4862 §5.4). */
  readonly isTentative?: true
  /** Configured manually, with unlimited lifetime. Known on Linux only, false elsewhere. */
  readonly isPermanent: boolean
  /** In bits; DHCPv6 assigns 128. */
  readonly prefixLength: number
}

/** The addresses of the interfaces of this host; rejects when the system call fails. */
export type Interfaces = () => Promise<readonly InterfaceAddress[]>
