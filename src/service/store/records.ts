import type { NameState, ZoneState } from '../model/publication.ts'
import type { Instant } from '../../shared/base/time.ts'
import type { Direction, ListedPage, NameQuery, Page, RecordScope } from '../model/query.ts'
import type { PasswordChange, Principal } from '../model/rows.ts'
import type { Pointer } from '../model/targets.ts'
import type { Account, AccountUsage, Metadata, Name, Plan, Zone, ZoneRules } from '../model/tree.ts'

/** A name in a listing, with the fields of its zone that a listing shows. */
export interface ListedName {
  readonly zone: Pick<Zone, 'id' | 'name' | 'isShared'>
  readonly name: Name
}

/** A name in a list, with the types of what it has, and without the values. */
export interface NameSummary {
  readonly zone: Pick<Zone, 'id' | 'name' | 'isShared'>
  readonly name: Omit<Name, 'rrsets' | 'metadata' | 'isProhibited' | 'isBlocked' | 'isImplicit'>
  readonly dnsTypes: readonly string[]
}

/** A name near another, with its owner. */
interface Neighbour {
  readonly name: string
  readonly accountId: number
}

/** Which names a paged read returns. `guestId`: those that this account has in zones of others. */
export type NamesOf =
  | { readonly zoneId: number }
  | { readonly accountId: number }
  | { readonly guestId: number }

interface KeyTarget {
  readonly zoneName: string
  readonly name: string
  readonly dnsType?: string
  readonly label?: string
}

/** The last request of a DDNS key, whatever its reply was. */
export interface KeyUse {
  readonly at: Instant
  readonly agent: string
  readonly address: string
  /** For the first hostname. */
  readonly reply: string
}

/** A DDNS key that may update a name, or one Rdata of it. */
export interface KeyOfName {
  readonly nameId: number
  readonly keyId: number
  readonly username: string
  readonly lastUse?: KeyUse
}

export interface DdnsKey {
  readonly id: number
  readonly accountId: number
  readonly username: string
  readonly description: string
  readonly isLocked: boolean
  /** By the operator: its requests are refused. */
  readonly isBlocked: boolean
  /** For abuse. */
  readonly blockedUntil?: Instant
  readonly createdAt: Instant
  readonly lastUse?: KeyUse
  readonly targets: readonly KeyTarget[]
}

export interface KeyQuery {
  readonly description?: string
  /** A part of the username or of the description, in capitals or not. */
  readonly search?: string
  readonly createdAt?: Direction
  readonly page: Page
}

interface ZoneQuery {
  readonly page: Page
  readonly scope?: RecordScope
  /** Shared zones of all accounts alone, or own zones that are not shared alone. Without it, own zones. */
  readonly isShared?: boolean
  /** A part of the name, in ASCII and lower case. */
  readonly search?: string
}

/** Which update clients are listed: of DDNS keys with a target in the scope. */
interface ClientFilter extends RecordScope {
  /** Of the DDNS keys. */
  readonly usernames?: readonly string[]
}

/** The last request of an update client. */
export interface Client {
  readonly username: string
  readonly agent: string
  readonly address: string
  readonly reply: string
  readonly usedAt: Instant
}

/** An API key has the permissions of its account, reduced by its scopes. */
export interface ApiKey {
  readonly id: number
  readonly accountId: number
  /** In canonical form: see service/rules/permission.ts. */
  readonly scopes: readonly string[]
  readonly expiresAt?: Instant
  readonly lastUsedAt?: Instant
}

/** An API key with its description, for lists. */
export interface ListedApiKey extends ApiKey {
  readonly description: string
  readonly createdAt: Instant
}

/** How many objects an account has; what its plan counts is `AccountUsage`. */
export interface AccountCounts {
  readonly createdAt: Instant
  readonly zones: number
  /** DDNS keys. */
  readonly keys: number
  readonly apiKeys: number
  readonly tsigKeys: number
}

/** What the management API reads. A name is read and written as a whole. */
/** Stored states, from which the publication is derived. */
export interface StateReads {
  /** Unproved zones, newest first; those with a lower id than `before`. */
  zonesAwaitingProof(limit: number, before?: number): Promise<readonly Zone[]>
  nameStatesOf(ids: readonly number[]): Promise<ReadonlyMap<number, NameState>>
  zoneStatesOf(ids: readonly number[]): Promise<ReadonlyMap<number, ZoneState>>
  /** The number of zones, of unproved zones, and the ids of proved zones with unpublished changes. */
  zoneTotals(): Promise<{
    readonly zones: number
    readonly unproved: number
    readonly changed: readonly number[]
  }>
}

export interface RecordReads extends StateReads {
  account(id: number): Promise<Account | undefined>
  accountCounts(id: number): Promise<AccountCounts | undefined>
  zoneNamed(name: string): Promise<Zone | undefined>
  /** For the rules: without the columns that every change of the zone changes. */
  zoneRules(zoneId: number): Promise<ZoneRules | undefined>
  isMember(zoneId: number, accountId: number): Promise<boolean>
  /** In the order of their names. */
  zonesOf(accountId: number, query: ZoneQuery): Promise<ListedPage<Zone>>
  /** The names of other accounts in a zone. */
  countNamesOfOthers(zoneId: number, accountId: number): Promise<number>
  /** Whether the operator locked or blocked a name of the zone; with a whole name, one at or beneath it. */
  hasLockedNames(zoneId: number, fqdn?: string): Promise<boolean>
  nameAt(zoneId: number, name: string): Promise<Name | undefined>
  /** The same, with the values of CNAME and ALIAS alone: the RRSets of other types are empty. */
  outlineAt(zoneId: number, name: string): Promise<Name | undefined>
  /** A text for each name of the zone, which is another one whenever something at the name has changed. */
  zonePrints(zoneId: number): Promise<ReadonlyMap<string, string>>
  /** Those of these names that exist, in any order. */
  namesAt(zoneId: number, names: readonly string[]): Promise<readonly Name[]>
  /** Whole names in the order of their ids: the first `limit` after this id. */
  namesAfter(of: NamesOf, after: number, limit: number): Promise<readonly Name[]>
  /** The zone with the longest name that contains this name. */
  zoneContaining(fqdn: string): Promise<Zone | undefined>
  /** The same for a name of this zone, among the zones that are inside it. */
  zoneInside(zone: Pick<Zone, 'name'>, name: string): Promise<Zone | undefined>
  /**
   * The names above and beneath a name in its zone, without itself; of those beneath, the first of another account
   * suffices.
   */
  neighboursOf(
    zone: Pick<Zone, 'id' | 'name'>,
    of: { readonly name: string; readonly accountId: number },
  ): Promise<readonly Neighbour[]>
  /** The names of the zone with a record whose target is this name, once for each type. */
  pointersTo(zoneId: number, fqdn: string): Promise<readonly Pointer[]>
  /** The highest name above this one with NS, without the apex: it hides this name (RFC 2136 §7.18). */
  delegationAbove(zoneId: number, name: string): Promise<string | undefined>
  /** The first name beneath this one with records that a delegation here hides: all but addresses that an NS needs. */
  hiddenBeneath(zone: Pick<Zone, 'id' | 'name'>, name: string): Promise<string | undefined>
  /** Whether another account has a zone beneath this name, or a name at or beneath it in any zone. */
  hasOthersBeneath(fqdn: string, accountId: number): Promise<boolean>
  holdingsOf(accountId: number): Promise<AccountUsage>
  /** Of it, the apex of each zone and its name servers, which no plan counts. Reads each zone of the account. */
  apexHoldingsOf(accountId: number): Promise<AccountUsage>
  namesBy(query: NameQuery): Promise<ListedPage<ListedName>>
  /** The same names, by one statement. */
  summariesBy(query: NameQuery): Promise<ListedPage<NameSummary>>
  keyNamed(username: string): Promise<DdnsKey | undefined>
  keysOf(accountId: number, query: KeyQuery): Promise<ListedPage<DdnsKey>>
  /** The DDNS keys of the account that may update these names, which another read has shown; by one statement. */
  keysOfNames(accountId: number, nameIds: readonly number[]): Promise<readonly KeyOfName[]>
  /** The API keys of the account in the order of their creation; `search` is a part of the description. */
  apiKeysOf(accountId: number, page: Page, search?: string): Promise<ListedPage<ListedApiKey>>
  apiKeyOf(accountId: number, id: number): Promise<ListedApiKey | undefined>
  clientsOf(accountId: number, page: Page, filter?: ClientFilter): Promise<ListedPage<Client>>
}

export interface RecordWrites extends RecordReads {
  /** Creates the name, or replaces everything stored at it. RRSets say themselves when they were updated. */
  /** `before`: the name as it is stored; what is the same there is not written again. */
  saveName(name: Name, now: Instant, before?: Name): Promise<void>
  /** Within its zone: what is stored at it stays with it. No name of the zone has the new spelling. */
  renameName(name: Name, to: string, now: Instant): Promise<void>
  removeName(name: Name, now: Instant): Promise<void>
  setZoneMetadata(zoneId: number, metadata: Metadata): Promise<void>
  /** No reader sees it from now on; `sweepHidden` deletes it in steps. */
  removeZone(zoneId: number): Promise<void>
  changeKey(
    keyId: number,
    change: { readonly description?: string; readonly hash?: Uint8Array },
  ): Promise<void>
  /** What it has counted, and its blocks, pass to its hostnames and to the next keys of its account. */
  removeKey(keyId: number, now: Instant): Promise<void>
  /** Makes exactly these names the key's targets; Rdata targets stay, unless there are no names. */
  setTargets(keyId: number, nameIds: readonly number[]): Promise<void>
}

/**
 * Changes of the operator; owners set `description` and `defaultTtl` of their zones too. An undefined value removes a limit
 * or a list of types.
 */
export interface PolicyWrites {
  changePlan(planId: number, values: Partial<Omit<Plan, 'name'>>): Promise<void>
  changeZone(zoneId: number, values: Partial<ZonePolicy>): Promise<void>
  changeAccount(
    accountId: number,
    values: {
      readonly isWebsiteOnly?: boolean
      readonly isSuspended?: boolean
      readonly isOperator?: boolean
      readonly planId?: number
      /** Empty: none. A new address is unconfirmed. */
      readonly email?: string
    },
    now: Instant,
  ): Promise<void>
  lockName(nameId: number, isProhibited: boolean): Promise<void>
  lockKey(keyId: number, isLocked: boolean): Promise<void>
  blockName(nameId: number, isBlocked: boolean): Promise<void>
  /** Marks the zone as proved, unless its id now belongs to another zone. */
  setProved(zone: Pick<Zone, 'id' | 'name' | 'createdAt'>): Promise<void>
  /** Marks all zones as proved. */
  endProofs(): Promise<void>
  /** A block also applies to the hostnames that the key has now. */
  blockKey(keyId: number, isBlocked: boolean, now: Instant): Promise<void>
  accountNamed(name: string): Promise<number | undefined>
  setAccountPassword(accountId: number, hash: Uint8Array, now: Instant): Promise<void>
  /** Only if the stored hash is still the one that was checked; resolves with whether it is. */
  changePassword(accountId: number, change: PasswordChange, now: Instant): Promise<boolean>
  /** With its zones, names and keys. No reader sees them from now on; `sweepHidden` deletes them in steps. */
  removeAccount(accountId: number): Promise<void>
  /** Deletes a key of this account, or of any account; resolves with whether it existed. */
  removeApiKey(id: number, accountId?: number): Promise<boolean>
  /** Moves the zone and its owner's names in it to another account, without the DDNS keys of the owner. */
  transferZone(zoneId: number, accountId: number, now: Instant): Promise<void>
  countNames(zoneId: number): Promise<number>
  /** Accounts with this plan whose password has updated hostnames since then. */
  countPasswordUpdaters(planId: number, since: Instant): Promise<number>
  setMember(zoneId: number, accountId: number, isMember: boolean): Promise<void>
  /** Deletes the counters and the block of a key or an account; its last use stays. */
  unblock(principal: Pick<Principal, 'kind' | 'id'>): Promise<void>
  planNamed(name: string): Promise<number | undefined>
  planOf(accountId: number): Promise<number>
}

export type ZonePolicy = Pick<
  Zone,
  | 'isShared'
  | 'isProhibited'
  | 'isWebsiteOnly'
  | 'isClosedToNewNames'
  | 'isMembersOnly'
  | 'hasNoNewRdata'
  | 'hasWildcards'
  | 'hasOpenNesting'
  | 'types'
  | 'ownerOnlyTypes'
  | 'maxLabels'
  | 'minTtl'
  | 'fixedTtl'
  | 'defaultTtl'
  | 'description'
  | 'awaitsProof'
>
