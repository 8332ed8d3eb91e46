import type { Instant } from '../../base/time.ts'
import type {
  FailedLogins,
  LastUse,
  Login,
  NewKey,
  NewPlan,
  NewZone,
  Principal,
  StoredName,
  TargetRow,
  Usage,
} from '../model/rows.ts'
import type { PolicyWrites, RecordReads, RecordWrites } from './records.ts'

/** What an API key may do: everything its account may, less what its scopes leave out. */
export interface ApiKey {
  readonly accountId: number
  /** "read": nothing is changed. "zone:NAME": only this zone, and others that are named so. */
  readonly scopes: readonly string[]
  readonly expiresAt?: Instant
}

export interface StoreReads extends RecordReads {
  /** A DDNS key by its username, else an account by its name. */
  login(username: string): Promise<Login | undefined>
  /** Whether there is anything that was hashed with the store's key. */
  hasKeys(): Promise<boolean>
  failuresOf(peer: string): Promise<FailedLogins>
  usageOf(who: Principal): Promise<Usage>
  nochgsOf(who: Principal, hostname: string): Promise<readonly number[]>
  hasOffline(accountId: number): Promise<boolean>
  /** Names that are attached to a DDNS key, or hold Rdata that is, in the order in which they were made. */
  namesOf(keyId: number): Promise<readonly StoredName[]>
  /** Names that are called so; the one in the longest zone first. */
  namesCalled(fqdn: string): Promise<readonly StoredName[]>
  /** A DDNS key of the account by its username or its group label. */
  groupNamed(accountId: number, group: string): Promise<number | undefined>
  apiKeyByHash(hash: Uint8Array): Promise<ApiKey | undefined>
}

/** A name by what it is kept under and by what it is called. */
export type NameRef = Pick<TargetRow, 'nameId' | 'fqdn'>

export interface StoreWrites extends StoreReads, RecordWrites, PolicyWrites {
  /** Counts are on disk within five seconds of the answer, not before it; whoever reads has them at once. */
  putFailures(peer: string, failures: FailedLogins): Promise<void>
  putUsage(who: Principal, usage: Usage, last: LastUse): Promise<void>
  putNochgs(who: Principal, hostname: string, moments: readonly number[]): Promise<void>
  setOffline(name: NameRef, isOffline: boolean, now: Instant): Promise<void>
  /** The RRSet becomes exactly this one value; it is made where it is missing. */
  setOnly(name: NameRef, dnsType: string, value: string, now: Instant): Promise<void>
  setValue(name: NameRef, rdataId: number, value: string, now: Instant): Promise<void>
  /** Some of its data changed. */
  nextSerial(zoneId: number, now: Instant): Promise<void>

  addPlan(plan: NewPlan): Promise<number>
  addAccount(name: string, hash: Uint8Array, planId: number, now: Instant): Promise<number>
  addApiKey(
    key: ApiKey & { readonly hash: Uint8Array; readonly description: string },
    now: Instant,
  ): Promise<number>
  addZone(zone: NewZone, now: Instant): Promise<number>
  addName(zoneId: number, accountId: number, name: string, now: Instant): Promise<TargetRow>
  addKey(key: NewKey, now: Instant): Promise<number>
  attach(keyId: number, target: TargetRow): Promise<void>
}

/**
 * Where data lives. Only inside `write` can anything change; a throw inside it changes nothing. `write` resolves
 * when the change is durable. Work may await the store and nothing else, because others wait behind it; it may be run
 * a second time, after all that it did was taken back.
 */
export interface Store {
  read<T>(work: (reading: StoreReads) => Promise<T>): Promise<T>
  write<T>(work: (writing: StoreWrites) => Promise<T>): Promise<T>
  close(): Promise<void>
}
