import type { Instant } from '../../../shared/base/time.ts'
import type { Buckets, Principal } from '../../model/rows.ts'

/**
 * What is left of a DDNS key that was deleted, or what a blocked one has passed to its hostnames: counts, a block, and the
 * operator's block or lock of it. It applies to its account alone.
 */
export interface Sanction {
  /** A hostname; or empty: the DDNS keys that the account makes later. */
  readonly subject: string
  /** The username of the key that caused it. */
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

/** A DDNS key with its block and its lock. */
interface KeyRestrictions {
  readonly accountId: number
  readonly username: string
  readonly isBlocked: boolean
  readonly isLocked: boolean
  /** The greatest id of a key that there is. */
  readonly lastKeyId: number
}

export interface SanctionReads {
  /** Of these subjects; or all. */
  sanctionsOf(accountId: number, subjects?: readonly string[]): Promise<readonly Sanction[]>
  keyRestrictions(keyId: number): Promise<KeyRestrictions | undefined>
  /** Of the key with this username; its lock may be that of a key before it. */
  groupNamed(username: string): Promise<Pick<KeyRestrictions, 'accountId' | 'isLocked'> | undefined>
}

/**
 * Which sanctions end: those of a key, those of a hostname, or all of an account. With those of a key end the counts of
 * keys that are gone, and with its id those that apply to it; the operator's blocks and locks of other keys stay.
 */
type LiftedSanctions =
  | { readonly accountId: number; readonly source?: string; readonly keyId?: number }
  | { readonly hostname: string }

/** A block of hostnames that replaces earlier blocks for other keys. */
interface CoveringBlock {
  readonly source: string
  readonly subjects: readonly string[]
  readonly until: Instant
}

export interface SanctionWrites extends SanctionReads {
  /** Instead of one with the same account, subject and source. */
  putSanction(accountId: number, sanction: Sanction): Promise<void>
  /** Removes abuse blocks of these hostnames that end no later than this one. */
  coverSanctions(accountId: number, by: CoveringBlock): Promise<void>
  /** Those that are over. */
  forgetSanctions(accountId: number, now: Instant): Promise<void>
  liftSanctions(which: LiftedSanctions): Promise<void>
  /** Ends the locks by a key that is gone; with the id of a key, those that concern it. */
  unlockSanctions(which: {
    readonly accountId: number
    readonly source: string
    readonly keyId?: number
  }): Promise<void>
  /** The account of a key that is gone, while the operator's word on it stands. */
  accountOfSanction(source: string): Promise<number | undefined>
  /** A block of a key, by the operator or for abuse, applies to the hostnames that the key has now, too. */
  passBlock(principal: Pick<Principal, 'id'>, blockedUntil: Instant | undefined, now: Instant): Promise<void>
}
