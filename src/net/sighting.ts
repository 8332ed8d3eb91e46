import type { Address, Family } from './address.ts'

/** One look at one family. "unknown" (we could not tell) must never be taken for "none" (there is none). */
export type Sighting =
  | {
      readonly kind: 'seen'
      readonly address: Address
      readonly by: string
      /** This host's further usable addresses, best first: only what the outside sees tells which of them it is. */
      readonly others?: readonly Address[]
      /** Those of all these that are of a tunnel's interface. */
      readonly tunnels?: readonly Address[]
      /** The interface that had the address lost it, and the kernel does not send from this one's. */
      readonly isSubstitute?: true
    }
  | {
      readonly kind: 'none'
      /** What the one that was asked has in place of a public address. */
      readonly instead?: Address
      /** The user named no address of this family, and leaves what is published as it is. */
      readonly isLeft?: true
    }
  | {
      readonly kind: 'unknown'
      readonly because: string
      /** It was asked too often, or does not want us. */
      readonly isRefusal?: true
      /** An address is known, and held back until it stays. */
      readonly isHeld?: true
    }

export type Sightings = Readonly<Partial<Record<Family, Sighting>>>
