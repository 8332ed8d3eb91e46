import type { Instant } from '../../shared/base/time.ts'
import type { Address } from '../../shared/base/address.ts'
import type { Plan } from './tree.ts'

/** The authenticated party of an update: a DDNS key, or (being phased out) the account itself. */
export interface Principal {
  readonly kind: 'key' | 'account'
  readonly id: number
  readonly accountId: number
}

/** A principal with the hash of its password. */
export interface Login extends Principal {
  /** A keyed hash for keys, a scrypt hash for accounts. */
  readonly hash: Uint8Array
  /** The operator has blocked the key, or suspended the account. */
  readonly isSuspended: boolean
  /** Of an account that has a second factor, or whose plan demands one: its password alone is no credential. */
  readonly needsFactor?: true
}

/** A new password for an account whose present one was given: the slow hashes of both. */
export interface PasswordChange {
  /** As it was stored when the present password was checked. */
  readonly from: Uint8Array
  readonly to: Uint8Array
}

/** What an update may change: a whole name, or one Rdata of it. */
export interface TargetRow {
  readonly nameId: number
  readonly zoneId: number
  /** Fully qualified, lower case, no trailing dot. */
  readonly fqdn: string
  readonly rdataId?: number
}

/** A name with its owner and all of its Rdata. */
export interface StoredName extends Omit<TargetRow, 'rdataId'> {
  readonly accountId: number
  /** The DDNS key that updates the whole name. */
  readonly keyId: number | null
  readonly isProhibited: boolean
  readonly isBlocked: boolean
  readonly isOffline: boolean
  readonly rdata: readonly StoredRdata[]
}

export interface StoredRdata {
  readonly id: number
  readonly dnsType: string
  readonly value: string
  /** The DDNS key that updates this Rdata alone. */
  readonly keyId: number | null
}

/** The events of a short span of time. */
export interface Bucket {
  /** In seconds since the epoch. */
  readonly start: number
  readonly count: number
}

/** Oldest first. A bucket without events is absent. */
export type Buckets = readonly Bucket[]

/** Recent activity of a key or an account. */
export interface Usage {
  readonly requests: Buckets
  readonly refusals: Buckets
  readonly blockedUntil?: Instant
  readonly nondescriptive: number
}

/** The last request, for the list of clients. */
export interface LastUse {
  readonly at: Instant
  readonly agent: string
  readonly peer: Address
  readonly reply: string
}

/** Failed logins of one peer network. */
export interface FailedLogins {
  readonly buckets: Buckets
  readonly blockedUntil?: Instant
}

/** What the store has a default for may be left out. */
export type NewPlan = Omit<Plan, 'fixedTtl' | 'types' | 'maxKeys'> & Partial<Pick<Plan, 'maxKeys'>>

export interface NewAccount {
  readonly name: string
  /** Of the password: see `slowHash`. */
  readonly hash: Uint8Array
  readonly planId: number
}

export interface NewZone {
  readonly accountId: number
  readonly name: string
  readonly isShared: boolean
}

export interface NewKey {
  readonly accountId: number
  readonly username: string
  readonly hash: Uint8Array
  readonly description: string
  readonly groupLabel?: string
}
