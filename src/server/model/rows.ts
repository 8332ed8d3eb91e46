import type { Instant } from '../../base/time.ts'
import type { Address } from '../../net/address.ts'
import type { Plan } from './tree.ts'

/** Who a request is made for: a DDNS key, or (being phased out) the account itself. */
export interface Principal {
  readonly kind: 'key' | 'account'
  readonly id: number
  readonly accountId: number
}

/** What a login by name finds. */
export interface Login extends Principal {
  /** A keyed hash for keys, a scrypt hash for accounts. */
  readonly hash: Uint8Array
}

/** Something an update may change: a whole name, or one Rdata of it. */
export interface TargetRow {
  readonly nameId: number
  readonly zoneId: number
  /** Fully qualified, lower case, no trailing dot. */
  readonly fqdn: string
  readonly rdataId?: number
}

/** A name with all that is at it, and whose it is. */
export interface StoredName extends Omit<TargetRow, 'rdataId'> {
  readonly accountId: number
  /** The DDNS key that updates the whole name. */
  readonly keyId: number | null
  readonly isOffline: boolean
  readonly rdata: readonly StoredRdata[]
}

export interface StoredRdata {
  readonly id: number
  readonly dnsType: string
  readonly value: string
  /** The DDNS key that updates it alone. */
  readonly keyId: number | null
}

/** What a key or an account did lately. Moments in whole seconds since the epoch, newest last. */
export interface Usage {
  readonly requests: readonly number[]
  readonly refusals: readonly number[]
  readonly blockedUntil?: Instant
  readonly undescriptive: number
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
  readonly moments: readonly number[]
  readonly blockedUntil?: Instant
}

export type NewPlan = Omit<Plan, 'fixedTtl' | 'types'>

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
