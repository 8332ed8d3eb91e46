import type { Instant } from '../../../base/time.ts'
import type { Buckets, Principal } from '../../model/rows.ts'

/**
 * What is left of a DDNS key that was deleted, or what a blocked one has passed to its hostnames: counts, a block, and what
 * the operator has said of it. It concerns its account alone.
 */
export interface Sanction {
  /** A hostname; or empty: the DDNS keys that the account makes later. */
  readonly subject: string
  /** The username of the key that it was said of. */
  readonly source: string
  /** Later keys have greater ids. */
  readonly lastKeyId: number
  readonly requests: Buckets
  readonly refusals: Buckets
  readonly nochgs: Buckets
  readonly blockedUntil?: Instant
  /** By the operator, who lifts it. */
  readonly isBlocked: boolean
  /** By the operator: later keys get no targets. */
  readonly isLocked: boolean
  /** Without it, it stays until the operator lifts it. */
  readonly endsAt?: Instant
}

/** A DDNS key with what the operator has said of it. */
export interface KeyRestrictions {
  readonly accountId: number
  readonly username: string
  readonly isBlocked: boolean
  readonly isLocked: boolean
  /** The greatest id of a key that there is. */
  readonly lastKeyId: number
}

export interface SanctionReads {
  sanctionsOf(accountId: number): Promise<readonly Sanction[]>
  keyRestrictions(keyId: number): Promise<KeyRestrictions | undefined>
  /** Of the key with this username; its lock may be that of a key before it. */
  groupNamed(username: string): Promise<Pick<KeyRestrictions, 'accountId' | 'isLocked'> | undefined>
}

/** Which sanctions end: those of a key with those of keys that are gone, those of a hostname, or all of an account. */
export type LiftedSanctions =
  | { readonly accountId: number; readonly source?: string }
  | { readonly hostname: string }

export interface SanctionWrites extends SanctionReads {
  /** Instead of one with the same account, subject and source. Those that are over are forgotten. */
  putSanction(accountId: number, sanction: Sanction, now: Instant): Promise<void>
  liftSanctions(which: LiftedSanctions): Promise<void>
  /** The lock of a key that is gone no longer concerns the keys after it. */
  unlockSanctions(accountId: number): Promise<void>
  /** The block of a key, by the operator or for abuse, is also said of the hostnames that it has now. */
  passBlock(principal: Pick<Principal, 'id'>, blockedUntil: Instant | undefined, now: Instant): Promise<void>
}
