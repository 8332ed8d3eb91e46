import type { Duration } from '../../shared/base/time.ts'
import type { Address } from '../../shared/base/address.ts'
import type { Nat } from '../../shared/base/nat.ts'

/** What detection reports besides the address. */
export type Finding =
  /** An outside source disagrees with an agreement. */
  | {
      readonly kind: 'outlier'
      readonly source: string
      readonly reported: Address
      readonly agreed: Address
    }
  | {
      readonly kind: 'quarantined'
      readonly source: string
      readonly duration: Duration
      readonly because: string
    }
  | { readonly kind: 'flipping'; readonly address: Address; readonly heldFor: Duration }
  /**
   * Outside services see another uplink than the published one, such as a VPN. `through` is its interface, where the kernel
   * reports it.
   */
  | {
      readonly kind: 'elsewhere'
      readonly published?: Address
      readonly outside?: Address
      readonly through?: string
      /** Only some questions leave through it. */
      readonly isPartly?: true
      /** It was told in full a short while ago. */
      readonly isAgain?: true
    }
  /** Packets from a bound interface leave through another one. */
  | { readonly kind: 'leavesElsewhere'; readonly interface: string; readonly through: string }
  /** Outside services see an address that neither the router nor this host has. */
  | { readonly kind: 'behindAnother'; readonly nat: Nat; readonly outside: Address }
