import type { Address, Family } from './address.ts'

/** One look at one family. "unknown" (we could not tell) must never be taken for "none" (there is none). */
export type Sighting =
  | { readonly kind: 'seen'; readonly address: Address; readonly by: string }
  | {
      readonly kind: 'none'
      /** What the one that was asked has in place of a public address. */
      readonly instead?: Address
    }
  | {
      readonly kind: 'unknown'
      readonly because: string
      /** It was asked too often, or does not want us. */
      readonly isRefusal?: true
    }

export type Sightings = Readonly<Partial<Record<Family, Sighting>>>
