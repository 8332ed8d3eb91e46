import type { Instant } from '../../shared/base/time.ts'
import type {
  Buckets,
  FailedLogins,
  LastUse,
  Login,
  NewAccount,
  NewKey,
  NewPlan,
  NewZone,
  Principal,
  StoredName,
  TargetRow,
  Usage,
} from '../model/rows.ts'
import type { Name } from '../model/tree.ts'
import type { OperatorChange } from '../model/audit.ts'
import type { BulkWrites } from './bulk.ts'
import type { PublishedReads, PublishWrites } from './published.ts'
import type { Overview, OverviewQuery, OverviewRow } from './overview.ts'
import type { ApiKey, ListedApiKey, PolicyWrites, RecordReads, RecordWrites } from './records.ts'
import type { StoreTotals } from './totals.ts'
import type { TrailReads, TrailWrites } from './account/trail.ts'
import type { EventReads, EventWrites } from './account/events.ts'
import type { CodeReads, CodeWrites } from './account/one-time-codes.ts'
import type { FactorReads, FactorWrites } from './account/second-factors.ts'
import type { SanctionReads, SanctionWrites } from './account/sanctions.ts'
import type { SessionReads, SessionWrites } from './account/sessions.ts'
import type { TsigKeyReads, TsigKeyWrites } from './account/tsig-keys.ts'

export type { ApiKey }

export interface StoreReads
  extends RecordReads,
    PublishedReads,
    TsigKeyReads,
    TrailReads,
    SessionReads,
    CodeReads,
    EventReads,
    FactorReads,
    SanctionReads {
  /** Finds a DDNS key by its username, else an account by its name. */
  login(username: string): Promise<Login | undefined>
  /** Whether an account has this name in some capitals. */
  hasAccountLike(name: string): Promise<boolean>
  /** Names of accounts that differ in capitals alone, next to each other. */
  collidingAccounts(): Promise<readonly string[]>
  /** The names of all zones, in their order. */
  zoneNames(): Promise<readonly string[]>
  /** A fact about the store itself, such as the fingerprint of its hash key. */
  fact(name: string): Promise<string | undefined>
  /** Whether `sweepHidden` may have something to do. */
  hasHidden(): Promise<boolean>
  totals(now: Instant): Promise<StoreTotals>
  /** Changes by the operator that are not in a log yet, the oldest first. */
  operatorChanges(): Promise<readonly StoredOperatorChange[]>
  /** One list of the operator; with a limit, its first rows. */
  overview(of: Overview, query: OverviewQuery): Promise<readonly OverviewRow[]>
  /** Without an account no credentials can be right. */
  hasAccounts(): Promise<boolean>
  failuresOf(peer: string): Promise<FailedLogins>
  usageOf(principal: Principal): Promise<Usage>
  nochgsOf(principal: Principal, hostname: string): Promise<Buckets>
  hasOffline(accountId: number): Promise<boolean>
  /** Names that are targets of a DDNS key, or contain Rdata that is, in the order of their creation. */
  namesOfKey(keyId: number): Promise<readonly StoredName[]>
  /** Names of this spelling in all zones; the one in the longest zone first. */
  namesByFqdn(fqdn: string): Promise<readonly StoredName[]>
  /** The id of a DDNS key of the account, by its username or its group label. */
  groupIdOf(accountId: number, group: string): Promise<number | undefined>
  apiKeyByHash(hash: Uint8Array): Promise<ApiKey | undefined>
}

interface StoredOperatorChange extends OperatorChange {
  readonly id: number
}

/** A name by its id and its spelling; caches need the second. */
export type NameRef = Pick<TargetRow, 'nameId' | 'fqdn'>

/** A new value for one Rdata. */
export interface ValueChange {
  readonly rdataId: number
  readonly value: string
}

export interface StoreWrites
  extends StoreReads,
    RecordWrites,
    PolicyWrites,
    PublishWrites,
    BulkWrites,
    TrailWrites,
    TsigKeyWrites,
    SessionWrites,
    CodeWrites,
    EventWrites,
    FactorWrites,
    SanctionWrites {
  /** Counters are durable within five seconds, not before the response. Reads return them immediately. */
  putFailures(peer: string, failures: FailedLogins): Promise<void>
  putUsage(principal: Principal, usage: Usage, last: LastUse): Promise<void>
  putNochgs(principal: Principal, hostname: string, buckets: Buckets): Promise<void>
  setOffline(name: NameRef, isOffline: boolean, now: Instant): Promise<void>
  /** Makes this the only value of the RRSet, which is created if it is missing. */
  setSingleValue(
    name: NameRef,
    record: { readonly dnsType: string; readonly value: string },
    now: Instant,
  ): Promise<void>
  setValue(name: NameRef, change: ValueChange, now: Instant): Promise<void>
  /** For every change of the zone's data: when it was updated. */
  touchZone(zoneId: number, now: Instant): Promise<void>

  setFact(name: string, value: string): Promise<void>
  removeFact(name: string): Promise<void>
  /** The value of the fact; sets this one if there is none. If two processes set it at once, both get the first value. */
  factOr(name: string, value: string): Promise<string>
  addOperatorChange(change: OperatorChange): Promise<void>
  /** Removes the changes up to this one. */
  removeOperatorChanges(lastId: number): Promise<void>
  addPlan(plan: NewPlan): Promise<number>
  addAccount(account: NewAccount, now: Instant): Promise<number>
  addApiKey(
    key: Omit<ApiKey, 'id' | 'lastUsedAt'> & { readonly hash: Uint8Array; readonly description: string },
    now: Instant,
  ): Promise<number>
  touchApiKey(id: number, now: Instant): Promise<void>
  /** Stores the description, the scopes and the end of the key as they are here. */
  changeApiKey(key: Pick<ListedApiKey, 'id' | 'description' | 'scopes' | 'expiresAt'>): Promise<void>
  rehashApiKey(id: number, hash: Uint8Array): Promise<void>
  addZone(zone: NewZone, now: Instant): Promise<number>
  addName(name: Pick<Name, 'zoneId' | 'accountId' | 'name'>, now: Instant): Promise<TargetRow>
  addKey(key: NewKey, now: Instant): Promise<number>
  /** Makes this a target of the key. */
  attach(keyId: number, target: TargetRow): Promise<void>
}

/**
 * What a call of `write` will read, as far as its caller knows. PostgreSQL reads it in advance for all waiting calls
 * and stores their changes together. A call that reads anything else runs in a transaction of its own.
 */
export interface About {
  /** Of the login. Calls with the same username run in their order. */
  readonly username: string
  readonly hostnames: readonly string[]
  /** Whose failed logins are counted. */
  readonly peers: readonly string[]
  /** The password will probably be wrong: only the login and its failed logins are read. */
  readonly isLikelyRefused?: boolean
}

/** All but the counters, of which a running service has the newest. */
export type SnapshotReads = Omit<StoreReads, 'usageOf' | 'nochgsOf' | 'failuresOf'>

/**
 * Data is changed only inside `write`, which resolves when the change is durable; if `work` throws, nothing is changed.
 * `work` must await nothing but the store, because other requests wait for it. It may run again after its changes were
 * rolled back.
 */
export interface Store {
  read<T>(work: (reading: StoreReads) => Promise<T>): Promise<T>
  write<T>(work: (writing: StoreWrites) => Promise<T>, about?: () => About): Promise<T>
  /** One snapshot for long reads: later commits are not visible. Each statement has the time of a whole `read`. */
  snapshot<T>(work: (reading: SnapshotReads) => Promise<T>): Promise<T>
  /**
   * Moves the write-ahead log into the database. Call it now and then: without writes, the log would stay until the
   * service stops.
   */
  checkpoint(): void
  /** Several nodes use it: another one may have published a change. */
  readonly isShared: boolean
  /** Writes a test value, to find out whether writes work; resolves with the time of the store's clock. */
  probe(now: Instant): Promise<Instant>
  /** Counts one request of the account in windows of this many milliseconds, for all nodes, and returns its window. */
  countRequest(accountId: number, now: Instant, span: number): Promise<RequestWindow>
  close(): Promise<void>
}

export interface RequestWindow {
  readonly since: number
  /** Including this request. */
  readonly count: number
}

/** Reverts one change outside the database. */
export type Undo = () => void

/** The fact of the store in which a running service keeps its heaviest accounts. */
export const LOAD_FACT = 'load'

export interface LoadStatus {
  /** RFC 3339. */
  readonly at: string
  /** Accounts, and networks without one: milliseconds of the service in the last one to two minutes; requests that wait. */
  readonly heaviest: readonly { readonly key: string; readonly ms: number; readonly waiting: number }[]
}
