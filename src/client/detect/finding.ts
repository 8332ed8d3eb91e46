import type { Duration } from '../../base/time.ts'
import type { Address } from '../../net/address.ts'

/** What the detector has to say beside the address. */
export type Finding =
  /** One outside source stands against an agreement. */
  | { readonly kind: 'liar'; readonly source: string; readonly said: Address; readonly agreed: Address }
  | {
      readonly kind: 'quarantined'
      readonly source: string
      readonly leftAloneFor: Duration
      readonly because: string
    }
  | { readonly kind: 'flipping'; readonly address: Address; readonly heldFor: Duration }
  /**
   * Outside services see another line than the one whose address is published, such as a VPN; `through` is the interface, where
   * the kernel tells it.
   */
  | {
      readonly kind: 'elsewhere'
      readonly published?: Address
      readonly outside?: Address
      readonly through?: string
    }
  /** Questions from a bound interface leave this host through another one. */
  | { readonly kind: 'leavesElsewhere'; readonly interface: string; readonly through: string }
  /** The router's own outside address is not public: another router, or the provider's, is behind it. */
  | { readonly kind: 'behindAnother'; readonly router: Address | 'none'; readonly because: string }
