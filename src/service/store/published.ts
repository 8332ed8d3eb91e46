import type { Instant } from '../../shared/base/time.ts'
import type { DnsRecord } from '../../shared/dns/types.ts'
import type { DnsType } from '../model/rdata/types.ts'
import type { OfflineSettings } from '../model/tree.ts'

/** The id of the catalog among the published zones (RFC 9432). */
export const CATALOG_ID = 0

export interface PublishedZone {
  readonly id: number
  /** Empty for the catalog, whose name is a setting. */
  readonly apex: string
  readonly serial: number
  /** Of its records, in octets. */
  readonly size: number
}

/** A published record with its owner, whose labels are reversed: see `ownerKey`. */
export interface PublishedRow extends DnsRecord {
  readonly owner: string
}

/** One flush of one zone: the records that went and came, as `encodeRows` writes them. */
interface JournalStep {
  readonly from: number
  readonly to: number
  readonly gone: Uint8Array
  readonly come: Uint8Array
}

interface PublishedChanges {
  readonly at?: Instant
  readonly pending: number
}

/** What transfers and answers read. */
export interface PublishedReads {
  publishedZone(apex: string): Promise<PublishedZone | undefined>
  /** In the order of their ids, after this one. */
  publishedZones(after: number, limit: number): Promise<readonly PublishedZone[]>
  /** The zones with a step of the journal since then, those of the newest steps first. */
  zonesChangedSince(at: Instant, limit: number): Promise<readonly PublishedZone[]>
  publishedAt(zoneId: number, owner: string): Promise<readonly DnsRecord[]>
  /** Whether a name beneath this one has records. */
  hasPublishedBelow(zoneId: number, owner: string): Promise<boolean>
  /** The records of the zone after this one, in the order of their owners. */
  publishedAfter(
    zoneId: number,
    after: Pick<PublishedRow, 'owner' | 'type' | 'rdata'> | undefined,
    limit: number,
  ): Promise<readonly PublishedRow[]>
  /** The number of the step from this serial; undefined if the journal does not reach back to it. */
  stepNumber(zoneId: number, serial: number): Promise<number | undefined>
  /** Octets of the steps from this number on. */
  stepsSize(zoneId: number, n: number): Promise<number>
  steps(zoneId: number, n: number, limit: number): Promise<readonly JournalStep[]>
  hasDirtyNames(): Promise<boolean>
  /** Whether one of these names has changed since it was published. */
  hasDirtyNamesAmong(zoneId: number, names: readonly string[]): Promise<boolean>
  /**
   * When the serial of a zone was published, as long as the journal has it; and how many of its names wait for a flush, up
   * to `max`.
   */
  publicationOf(zoneId: number, max: number): Promise<PublishedChanges>
  /** A name as it is stored. */
  storedState(zoneId: number, name: string): Promise<StoredState | undefined>
}

/** A stored name, as far as it decides what is published. */
export interface StoredState {
  readonly isOffline: boolean
  readonly isBlocked: boolean
  readonly offlineSettings?: OfflineSettings
  readonly records: readonly { readonly dnsType: DnsType; readonly ttl: number; readonly value: string }[]
}

/** A name of a zone. In the catalog it is the name of a zone; the empty name is the SOA. */
export interface NameInZone {
  readonly zoneId: number
  readonly name: string
}

/** A name that has changed since it was published. */
export interface DirtyName extends NameInZone {
  /** It has not changed itself: an earlier flush was full and deferred it, with all names that depend on it. */
  readonly isDeferred: boolean
  /** Where changes may happen during a flush: the stamp of the change. A name with a later stamp stays dirty. */
  readonly stamp?: number
}

/** Zones in one result of `dirtyNames`: each zone of a flush needs a step of its own. */
export const MAX_DIRTY_ZONES = 200
/** A new zone with a few names is published in one step: its secondaries fetch it once. */
const MIN_SHARE = 5

/** Names of each zone in one result of `dirtyNames`. */
export const dirtyShare = (limit: number, zones: number): number =>
  Math.max(Math.min(MIN_SHARE, limit), Math.floor(limit / Math.max(1, zones)))

/**
 * A zone as a flush sees it. A draft, with the name of its zone (decision 0050), is not visible to readers; an unproved
 * zone is a draft too.
 */
export interface FlushedZone extends PublishedZone {
  readonly isDraft: boolean
}

/** What a flush reads and writes. */
export interface PublishWrites extends PublishedReads {
  /** Undefined for a zone that is removed. */
  flushedZone(id: number): Promise<FlushedZone | undefined>
  /** A draft has neither serials nor a journal; `growth` in octets. */
  growDraft(id: number, growth: number): Promise<void>
  dirtyNames(limit: number): Promise<readonly DirtyName[]>
  /** Names as they are stored. What the function returns, it reads when it is called: one row that is broken fails alone. */
  storedStates(zoneId: number, names: readonly string[]): Promise<(name: string) => StoredState | undefined>
  /** What is published of each of these owners; owners without records are missing. */
  publishedOf(zoneId: number, owners: readonly string[]): Promise<ReadonlyMap<string, readonly DnsRecord[]>>
  /** Those of these names to which an ALIAS or CNAME of the zone points. */
  aliased(zoneId: number, fqdns: readonly string[]): Promise<ReadonlySet<string>>
  /** The names of the zone whose ALIAS or CNAME points to this one. */
  aliasesOf(zoneId: number, fqdn: string, limit: number): Promise<readonly string[]>
  /** Leaves all names whose ALIAS or CNAME leads to this one, over others too, to later flushes. */
  deferAliases(zone: Pick<PublishedZone, 'id' | 'apex'>, name: string): Promise<void>
  /** The published zones beneath any of these names. */
  zonesBeneath(names: readonly string[]): Promise<readonly string[]>
  /** The stored names of the zone at and beneath this one. */
  namesFrom(zoneId: number, fqdn: string, limit: number): Promise<readonly string[]>
  /** Leaves these to later flushes. */
  deferNamesFrom(zoneId: number, fqdn: string): Promise<void>
  replacePublished(
    zoneId: number,
    change: { readonly gone: readonly PublishedRow[]; readonly come: readonly PublishedRow[] },
  ): Promise<void>
  /** Raises the serial by a step; `growth` in octets. */
  addStep(zoneId: number, step: JournalStep & { readonly growth: number }, now: Instant): Promise<void>
  /** At most 100 steps older than this, and those of this zone beyond the greatest number kept. */
  pruneJournal(zoneId: number, before: Instant): Promise<void>
  /** Marks the names as published: they are no longer dirty. */
  setPublished(dirty: readonly DirtyName[], now: Instant): Promise<void>
  /** Marks names that could not be rendered: their published state is old. They become dirty with `retryStuck`. */
  setStuck(names: readonly NameInZone[]): Promise<void>
  /** Makes all stuck names dirty. */
  retryStuck(): Promise<void>
  /** To that of a copy that a name server has, if it is newer (RFC 1982). */
  raiseSerial(zoneId: number, serial: number): Promise<void>
  /**
   * After a backup is restored: raises every serial above those that the lost store may have reached, at the fastest
   * possible rate of flushes since the last step in the backup.
   */
  raiseSerialsAfter(now: Instant): Promise<void>
  /**
   * In a running service that has changed to another copy of its database: the same, above what the lost copy may have
   * reached since the last step of this one, and above the clock.
   */
  raiseLostSerials(now: Instant): Promise<void>
  /** Another value where another copy of the database has taken over; undefined where that cannot be known. */
  databaseIdentity(): Promise<string | undefined>
  /** Makes every apex, every redirect, or only the SOA of every zone dirty. */
  setDirty(what: 'apexes' | 'redirects' | 'soas'): Promise<void>
  /** The NS records that the API shows at every apex. */
  setApexNameservers(nameservers: readonly string[], now: Instant): Promise<void>
}
