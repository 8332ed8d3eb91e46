import type { Instant } from '../../base/time.ts'
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
import type { PublishedReads, PublishWrites } from './published.ts'
import type { Overview, OverviewQuery, OverviewRow } from './overview.ts'
import type { ApiKey, PolicyWrites, RecordReads, RecordWrites } from './records.ts'

export type { ApiKey }

export interface StoreReads extends RecordReads, PublishedReads {
  /** Finds a DDNS key by its username, else an account by its name. */
  login(username: string): Promise<Login | undefined>
  /** A fact about the store itself, such as the fingerprint of its hash key. */
  fact(name: string): Promise<string | undefined>
  totals(now: Instant): Promise<StoreTotals>
  /** Changes by the operator that no log has yet, the oldest first. */
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

export interface StoredOperatorChange extends OperatorChange {
  readonly id: number
}

/** How much the store holds. */
export interface StoreTotals {
  readonly accounts: number
  readonly zones: number
  readonly names: number
  readonly keys: number
  /** Keys and accounts that are blocked now. */
  readonly blocks: number
  /** Networks that are locked out now, at one endpoint or both. */
  readonly lockouts: number
}

/** A name by its id and its spelling; caches need the second. */
export type NameRef = Pick<TargetRow, 'nameId' | 'fqdn'>

/** A new value for one Rdata. */
export interface ValueChange {
  readonly rdataId: number
  readonly value: string
}

export interface StoreWrites extends StoreReads, RecordWrites, PolicyWrites, PublishWrites {
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
  /** Its value, which is this one where there was none: of two who set it at once, both get that of the first. */
  factOr(name: string, value: string): Promise<string>
  addOperatorChange(change: OperatorChange): Promise<void>
  /** Those up to this one. */
  removeOperatorChanges(lastId: number): Promise<void>
  addPlan(plan: NewPlan): Promise<number>
  addAccount(account: NewAccount, now: Instant): Promise<number>
  addApiKey(
    key: Omit<ApiKey, 'id' | 'lastUsedAt'> & { readonly hash: Uint8Array; readonly description: string },
    now: Instant,
  ): Promise<number>
  touchApiKey(id: number, now: Instant): Promise<void>
  rehashApiKey(id: number, hash: Uint8Array): Promise<void>
  addZone(zone: NewZone, now: Instant): Promise<number>
  addName(name: Pick<Name, 'zoneId' | 'accountId' | 'name'>, now: Instant): Promise<TargetRow>
  addKey(key: NewKey, now: Instant): Promise<number>
  /** Makes this a target of the key. */
  attach(keyId: number, target: TargetRow): Promise<void>
}

/**
 * What a work will ask, as far as its caller knows. A store behind a socket reads it in advance, for all works that wait, and
 * changes what they change at once; a work that asks for something else is done by itself.
 */
export interface About {
  /** Of the login. Works with the same one are done in the order of the calls. */
  readonly username: string
  readonly hostnames: readonly string[]
  /** Whose failed logins are counted. */
  readonly peers: readonly string[]
  /** Only the login and the failed logins will be asked for, unless the login has changed. */
  readonly isLikelyRefused?: boolean
}

/**
 * Data is changed only inside `write`, which resolves when the change is durable; work that throws changes nothing. Work
 * must await nothing but the store, because other requests wait for it. It may run a second time, after all of its
 * changes were rolled back.
 */
export interface Store {
  read<T>(work: (reading: StoreReads) => Promise<T>): Promise<T>
  write<T>(work: (writing: StoreWrites) => Promise<T>, about?: () => About): Promise<T>
  /** Reads one state of what is published, however long it takes: what is committed meanwhile is not seen. */
  snapshot<T>(work: (reading: PublishedReads) => Promise<T>): Promise<T>
  /**
   * Moves what is durable elsewhere (a write-ahead log) to its last place. To be called now and then: a quiet service would
   * else leave it there until it stops.
   */
  checkpoint(): void
  /** Writes something of no meaning, to tell whether it can, beside all other work; resolves with the time by the clock of the store. */
  readonly probe?: () => Promise<Instant>
  /**
   * Counts one request of the account in windows of this many milliseconds, and returns its window. Only a store that several
   * processes share has it; alone, a process counts in memory.
   */
  readonly countRequest?: (accountId: number, now: Instant, span: number) => Promise<RequestWindow>
  close(): Promise<void>
}

export interface RequestWindow {
  readonly since: number
  /** With this request. */
  readonly count: number
}
