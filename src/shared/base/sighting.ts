import type { Address, Family } from './address.ts'
import type { Nat } from './nat.ts'

/** A packet of a question that was sent. */
export interface SentPacket {
  readonly local: Address
  readonly remote: Address
  readonly protocol: 'udp' | 'tcp'
  /** Of the remote host. */
  readonly port: number
}

/**
 * The result of one lookup of the address of one family. `unknown` (the lookup failed) must never be handled as `none` (the
 * host has no such address).
 */
export type Sighting =
  | {
      readonly kind: 'seen'
      readonly address: Address
      readonly by: string
      /** How the question was sent. */
      readonly sent?: SentPacket
      /** Further usable addresses of this host, best first: only an outside source can show which one is in use. */
      readonly others?: readonly Address[]
      /** The interface of the previous address lost it, and the kernel does not send from this address. */
      readonly isSubstitute?: true
      /** What is between this network and the internet over IPv4. */
      readonly nat?: Nat
      /** Traffic leaves by this line, and the address is of another one. */
      readonly lineHeld?: string
      /** A source answered with a page or a redirect, as a captive portal does. */
      readonly isPage?: true
      /** The router started within the last minute, and may report its previous address. */
      readonly isEarly?: true
    }
  | {
      readonly kind: 'none'
      /** The non-public address that the source has instead. */
      readonly instead?: Address
      /** The router started within the last minute, and may not have its address yet. */
      readonly isEarly?: true
      /** The settings name no address of this family: the published one stays unchanged. */
      readonly isLeft?: true
    }
  | {
      readonly kind: 'unknown'
      readonly because: string
      /** What each source answered, where that is too long for `because`. */
      readonly answers?: string
      /** The same cause is reported once, whatever each source answered; without it, `because` tells. */
      readonly cause?: string
      /** The others agreed before the source answered. */
      readonly isUnneeded?: true
      /** The hostname is bound to an interface without an address, or one whose traffic leaves by another. */
      readonly lacksInterface?: true
      /** The question left by this tunnel, although the route of this host is another one. */
      readonly through?: string
      /** The source refused the request: rate limit or blocked client. */
      readonly isRefusal?: true
      readonly isPage?: true
      /** An address is known, and held back until it is stable. */
      readonly isHeld?: true
      /** Traffic leaves by this line, which is not the one whose address is published. */
      readonly lineHeld?: string
    }

export type Sightings = Readonly<Partial<Record<Family, Sighting>>>
