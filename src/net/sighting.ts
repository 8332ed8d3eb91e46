import type { Address, Family } from './address.ts'

/** One look at one family. "unknown" (we could not tell) must never be taken for "none" (there is none). */
export type Sighting =
  | { readonly kind: 'seen'; readonly address: Address; readonly by: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'unknown'; readonly because: string }

export type Sightings = Readonly<Partial<Record<Family, Sighting>>>
