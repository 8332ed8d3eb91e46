import type { Duration } from '../../shared/base/time.ts'
import type { Address } from '../../shared/base/address.ts'
import type { Nat } from '../../shared/base/nat.ts'
import type { RowName, Sign } from './line/decide-line.ts'

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
  /** Traffic leaves by another line while the home line may still be alive, so the other line is not published. */
  | {
      readonly kind: 'lineHeld'
      readonly because: RowName
      /** The line in use, as shown to people. */
      readonly through: string
      /** What the service has for this host. */
      readonly addresses: readonly Address[]
      /** The kernel calls it a tunnel, or a policy of IPsec. */
      readonly isVpn?: true
      /** The home line. */
      readonly home?: string
    }
  /** The same, for a day. */
  | { readonly kind: 'lineHeldLong'; readonly through: string; readonly addresses: readonly Address[] }
  /** Another line is the home line now. */
  | {
      readonly kind: 'lineChanged'
      readonly because: RowName
      readonly from: string
      readonly to: string
      /** Why the previous line counts as dead. */
      readonly sign?: Sign
    }
  /**
   * Outside services see another line than the published one, and no route of this host shows it; or some questions leave
   * through the interface `through`.
   */
  | {
      readonly kind: 'elsewhere'
      readonly published?: Address
      readonly outside?: Address
      readonly through?: string
      /** It was told in full a short while ago. */
      readonly isAgain?: true
    }
  /** Another line of the order is published now; `sign` says why the previous one is down. */
  | { readonly kind: 'orderMoved'; readonly from: string; readonly to: string; readonly sign?: Sign }
  /** Packets from a bound interface leave through another one. */
  | { readonly kind: 'leavesElsewhere'; readonly interface: string; readonly through: string }
  /** Outside services see an address that neither the router nor this host has. */
  | { readonly kind: 'behindAnother'; readonly nat: Nat; readonly outside: Address }
