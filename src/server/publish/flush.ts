import { createHash } from 'node:crypto'
import { allEnded } from '../../base/concurrency.ts'
import { type Duration, hours, type Instant, instant } from '../../base/time.ts'
import { encodeName } from '../../dns/name.ts'
import { type DnsRecord, RR_TYPES } from '../../dns/types.ts'
import { APEX, fqdnOf, parentOf, relativeTo } from '../model/dns-name.ts'
import {
  CATALOG_ID,
  type DirtyName,
  dirtyShare,
  type FlushedZone,
  MAX_DIRTY_ZONES,
  type NameInZone,
  type PublishedRow,
  type PublishedZone,
} from '../store/published.ts'
import type { StoreWrites } from '../store/store.ts'
import { ownerKey } from './owner.ts'
import { rendered, type RenderContext } from './render.ts'
import { encodeRows, sizeOfRow } from './rows.ts'
import type { PublishSettings } from './settings.ts'
import { serialAfter } from './soa.ts'
import { raisedSerials } from './takeover.ts'
import { isRendered } from './answer.ts'

/** Names of one flush: updates that arrive meanwhile wait for its end. */
export const MAX_FLUSHED = 1000
/** A name server that was away for longer fetches the whole zone. */
const JOURNAL_KEPT: Duration = hours(24)
/** The name that stands for the SOA among dirty names. */
const SOA_ALONE = ''
/** RFC 9432 §4.2. */
const CATALOG_VERSION = '2'

export interface Flushed {
  /** The zones with a new serial. */
  readonly zones: readonly PublishedZone[]
  /** Names that were flushed; `maxNames` if there may be more. */
  readonly count: number
  /** Every serial was raised first: another copy of the database has taken over. */
  readonly isTakenOver: boolean
}

/** A name that cannot be rendered, by a bug: what was published of it stays, and others do not wait for it. */
export interface NameFault extends NameInZone {
  readonly fqdn: string
  readonly error: unknown
}

interface FlushContext {
  readonly settings: PublishSettings
  readonly now: Instant
  /** Of this flush. */
  readonly maxNames: number
  readonly onNameFault: (fault: NameFault) => void
  /** The last serial of each zone that this process has published, by the id of the zone. */
  readonly published?: ReadonlyMap<number, number>
}

/**
 * Publishes what has changed: one step of the journal and one serial for each zone. Runs inside one transaction. What
 * it asks for several names is asked at once: a store behind a socket gets it in one trip.
 */
export async function flush(w: StoreWrites, context: FlushContext): Promise<Flushed> {
  const dirty = await w.dirtyNames(context.maxNames)
  const batch = batchOf(dirty, context.maxNames)
  const changed = batch.zones.get(CATALOG_ID)?.changed ?? new Set()
  for (const apex of [...changed, ...(await w.zonesBeneath([...changed]))]) await addCut(w, apex, batch)
  const isTakenOver = await raisedSerials(w, context, [...batch.zones.keys()])
  const faults: NameFault[] = []
  const onNameFault = (fault: NameFault): void => {
    faults.push(fault)
    context.onNameFault(fault)
  }
  // A zone becomes a member of the catalog when it can be fetched (RFC 9432 §4.1), so the catalog comes last.
  const flushedOf = async (zoneId: number): Promise<readonly PublishedZone[]> => {
    const zone = await w.flushedZone(zoneId)
    const names = namesIn(batch, zoneId)
    const flushed = zone && (await flushZone(w, { ...context, onNameFault, zone, names, batch }))
    if (flushed !== undefined && zone?.size === 0) namesIn(batch, CATALOG_ID).changed.add(flushed.apex)
    return flushed === undefined ? [] : [flushed]
  }
  const ids = [...batch.zones.keys()].filter((id) => id !== CATALOG_ID)
  const [first] = ids
  // None of them may go on after the end of the transaction.
  const zones =
    first !== undefined && ids.length === 1
      ? [...(await flushedOf(first))]
      : (await allEnded(ids.map(flushedOf))).flat()
  const catalog = batch.zones.get(CATALOG_ID)
  const zone = catalog && (await w.flushedZone(CATALOG_ID))
  const flushed =
    catalog && zone && (await flushZone(w, { ...context, onNameFault, zone, names: catalog, batch }))
  if (flushed !== undefined) zones.unshift(flushed)
  await w.setPublished(dirty, context.now)
  await w.setStuck(faults)
  return { zones, count: batch.isOver ? context.maxNames : dirty.length, isTakenOver }
}

/** The names of one flush. What depends on them is added while there is room, and else deferred to later flushes. */
interface Batch {
  readonly zones: Map<number, ZoneNames>
  room: number
  /** There may be more names for another flush. */
  isOver: boolean
}

interface ZoneNames {
  readonly changed: Set<string>
  /** What depends on them is deferred too: they are only rendered again. */
  readonly deferred: Set<string>
}

function batchOf(dirty: readonly DirtyName[], maxNames: number): Batch {
  const batch: Batch = { zones: new Map(), room: Math.max(0, maxNames - dirty.length), isOver: false }
  for (const { zoneId, name, isDeferred } of dirty)
    namesIn(batch, zoneId)[isDeferred ? 'deferred' : 'changed'].add(name)
  const zones = [...batch.zones.values()]
  const share = dirtyShare(maxNames, zones.length)
  batch.isOver =
    zones.length >= MAX_DIRTY_ZONES ||
    zones.some(({ changed, deferred }) => changed.size + deferred.size >= share)
  return batch
}

function namesIn({ zones }: Batch, zoneId: number): ZoneNames {
  const names = zones.get(zoneId) ?? { changed: new Set(), deferred: new Set() }
  zones.set(zoneId, names)
  return names
}

/**
 * A zone that comes or goes is a cut in the zones above it: the names there are in its shadow, or come out of it. So are the
 * cuts of the zones beneath it.
 */
async function addCut(w: StoreWrites, apex: string, batch: Batch): Promise<void> {
  for (let above = apex; above.includes('.'); ) {
    above = parentOf(above)
    const zone = await w.publishedZone(above)
    if (zone === undefined) continue
    const { changed } = namesIn(batch, zone.id)
    changed.add(relativeTo(apex, above) ?? APEX)
    const names = await w.namesFrom(zone.id, apex, batch.room + 1)
    if (names.length > batch.room) {
      batch.isOver = true
      await w.deferNamesFrom(zone.id, apex)
      continue
    }
    batch.room -= names.length
    for (const name of names) changed.add(name)
  }
}

interface ZoneFlush extends FlushContext {
  readonly zone: FlushedZone
  readonly names: ZoneNames
  readonly batch: Batch
}

async function flushZone(w: StoreWrites, flushed: ZoneFlush): Promise<PublishedZone | undefined> {
  const { zone, names, now } = flushed
  const gone: PublishedRow[] = []
  const come: PublishedRow[] = []
  const owners = zone.id === CATALOG_ID ? await catalogRecords(w, flushed) : await zoneRecords(w, flushed)
  const present = await w.publishedOf(
    zone.id,
    owners.map(({ owner }) => owner),
  )
  for (const { owner, records } of owners) {
    const difference = differenceOf(present.get(owner) ?? [], records)
    gone.push(...difference.gone.map((record) => ({ owner, ...record })))
    come.push(...difference.come.map((record) => ({ owner, ...record })))
  }
  if (gone.length + come.length === 0 && !names.changed.has(SOA_ALONE)) return undefined
  const growth = sizeOf(come) - sizeOf(gone)
  await w.replacePublished(zone.id, { gone, come })
  if (zone.isDraft) {
    await w.growDraft(zone.id, growth)
    return undefined
  }
  const step = { from: zone.serial, to: serialAfter(zone.serial, now) }
  await w.addStep(zone.id, { ...step, gone: encodeRows(gone), come: encodeRows(come), growth }, now)
  await w.pruneJournal(zone.id, instant(now - JOURNAL_KEPT))
  return { ...zone, serial: step.to, size: zone.size + growth }
}

const sizeOf = (rows: readonly PublishedRow[]): number => rows.reduce((sum, row) => sum + sizeOfRow(row), 0)

interface OwnerRecords {
  readonly owner: string
  readonly records: readonly DnsRecord[]
}

async function zoneRecords(w: StoreWrites, flushed: ZoneFlush): Promise<readonly OwnerRecords[]> {
  const { zone, settings, onNameFault } = flushed
  const context: RenderContext = {
    apex: zone.apex,
    settings,
    stateAt: async (name) => w.storedState(zone.id, name),
    zoneOf: async (fqdn) => highestZone(w, fqdn, zone.apex),
  }
  const names = await withAliases(w, flushed)
  const stateOf = await w.storedStates(zone.id, [...names])
  const recordsAt = async (name: string): Promise<readonly OwnerRecords[]> => {
    try {
      return [{ owner: ownerKey(name), records: await rendered(name, stateOf(name), context) }]
    } catch (error) {
      onNameFault({ zoneId: zone.id, name, fqdn: fqdnOf(name, zone.apex), error })
      return []
    }
  }
  return (await Promise.all([...names].map(recordsAt))).flat()
}

/** The highest published zone beneath this one that contains a name of it; else this one. */
export async function highestZone(w: StoreWrites, fqdn: string, apex: string): Promise<string> {
  let highest = apex
  for (let name = fqdn; name !== apex && name.includes('.'); name = parentOf(name))
    if ((await w.publishedZone(name)) !== undefined) highest = name
  return highest
}

/** With the names that have the addresses of the changed ones: an ALIAS follows its target, over others too. */
async function withAliases(w: StoreWrites, flushed: ZoneFlush): Promise<ReadonlySet<string>> {
  const { names } = flushed
  const all = new Set([...names.changed, ...names.deferred])
  const followed = new Set(names.changed)
  for (const set of [all, followed]) set.delete(SOA_ALONE)
  for (let wave = [...followed]; wave.length > 0; ) {
    const known = followed.size
    await follow(w, flushed, { wave, all, followed })
    wave = [...followed].slice(known)
  }
  return all
}

const addAll = (to: Set<string>, names: readonly string[]): void => names.forEach((name) => to.add(name))

interface Following {
  readonly wave: readonly string[]
  readonly all: Set<string>
  readonly followed: Set<string>
}

/** Adds the aliases of these names. */
async function follow(
  w: StoreWrites,
  { zone, batch, maxNames }: ZoneFlush,
  { wave, all, followed }: Following,
): Promise<void> {
  const fqdns = new Map(wave.map((name) => [fqdnOf(name, zone.apex), name]))
  const aliased = [...(await w.aliased(zone.id, [...fqdns.keys()]))]
  const found = await Promise.all(aliased.map(async (fqdn) => w.aliasesOf(zone.id, fqdn, maxNames + 1)))
  for (const [at, fqdn] of aliased.entries()) {
    const [name = APEX, aliases = []] = [fqdns.get(fqdn), found[at]]
    const added = aliases.filter((alias) => !all.has(alias))
    if (added.length > batch.room || aliases.length > maxNames) {
      batch.isOver = true
      await w.deferAliases(zone, name)
      continue
    }
    batch.room -= added.length
    addAll(all, added)
    addAll(followed, aliases)
  }
}

/** RFC 9432 §4: the version, and a PTR for each zone, whose owner does not change while the zone exists. */
async function catalogRecords(w: StoreWrites, { names }: ZoneFlush): Promise<readonly OwnerRecords[]> {
  const all: OwnerRecords[] = [
    { owner: '', records: [{ type: RR_TYPES.NS, ttl: 0, rdata: encodeName('invalid') }] },
    {
      owner: ownerKey('version'),
      records: [{ type: RR_TYPES.TXT, ttl: 0, rdata: Buffer.from(`\u0001${CATALOG_VERSION}`, 'latin1') }],
    },
  ]
  for (const apex of names.changed) {
    if (apex === SOA_ALONE) continue
    const isThere = isRendered(await w.publishedZone(apex))
    const records = isThere ? [{ type: RR_TYPES.PTR, ttl: 0, rdata: encodeName(apex) }] : []
    all.push({ owner: ownerKey(`${memberLabel(apex)}.zones`), records })
  }
  return all
}

const memberLabel = (apex: string): string => createHash('sha256').update(apex).digest('hex').slice(0, 32)

const recordKey = ({ type, ttl, rdata }: DnsRecord): string =>
  `${type} ${ttl} ${Buffer.from(rdata.buffer, rdata.byteOffset, rdata.length).toString('latin1')}`

/** A record with another TTL goes and comes. */
function differenceOf(present: readonly DnsRecord[], next: readonly DnsRecord[]) {
  const [before, after] = [present, next].map((records) => new Set(records.map(recordKey)))
  return {
    gone: present.filter((record) => after?.has(recordKey(record)) === false),
    come: next.filter((record) => before?.has(recordKey(record)) === false),
  }
}
