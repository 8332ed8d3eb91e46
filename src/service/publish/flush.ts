import { createHash } from 'node:crypto'
import { allEnded } from '../../shared/base/concurrency.ts'
import { type Duration, hours, instant, type Instant } from '../../shared/base/time.ts'
import { encodeName } from '../../shared/dns/name.ts'
import { type DnsRecord, RR_TYPES } from '../../shared/dns/types.ts'
import { CATALOG_ID, type PublishedRow, type PublishedZone, type StoredState } from '../store/published.ts'
import type { StoreWrites } from '../store/store.ts'
import { isRendered } from './answer.ts'
import {
  addCut,
  flushBatch,
  type FlushContext,
  type NameFault,
  namesIn,
  SOA_ALONE,
  type ZoneFlush,
} from './batch.ts'
import { encodeRows, MAX_CHAIN, ownerKey, sizeOfRow } from './rows.ts'
import { isNewer, serialAfter } from './soa.ts'
import { APEX, canonicalName, fqdnOf, parentOf, relativeTo } from '../model/dns-name.ts'
import { type RenderContext, rendered } from './render.ts'

/** A name may have hundreds of records, and an ALIAS has those of its target. Each zone has its share. */
const RECORDS_PER_FLUSH = 4000
const RECORDS_PER_ZONE = 50

interface OwnerRecords {
  readonly owner: string
  readonly records: readonly DnsRecord[]
}

/** What the names of a zone have from now on, with those that follow them. */
async function zoneRecords(w: StoreWrites, flushed: ZoneFlush): Promise<readonly OwnerRecords[]> {
  const { zone, settings, onNameFault, names } = flushed
  const context: RenderContext = {
    apex: zone.apex,
    settings,
    stateAt: onceFor(async (name) => w.storedState(zone.id, name)),
    zoneOf: async (fqdn) => highestZone(w, fqdn, zone.apex),
  }
  const own = [...new Set([...names.changed, ...names.deferred])].filter((name) => name !== SOA_ALONE)
  const ownStates = await w.storedStates(zone.id, own)
  const weights = await withinShare(flushed, { own, stateOf: ownStates, context })
  const aliases = await aliasesAmong(w, flushed, weights)
  const aliasStates = aliases.length === 0 ? ownStates : await w.storedStates(zone.id, aliases)
  const recordsAt = async (name: string): Promise<readonly OwnerRecords[]> => {
    try {
      const state = weights.has(name) ? ownStates(name) : aliasStates(name)
      return [{ owner: ownerKey(name), records: await rendered(name, state, context) }]
    } catch (error) {
      onNameFault({ zoneId: zone.id, name, fqdn: fqdnOf(name, zone.apex), error })
      return []
    }
  }
  return (await Promise.all([...weights.keys(), ...aliases].map(recordsAt))).flat()
}

/** Names with the same target read it once. */
function onceFor<V>(read: (name: string) => Promise<V>): (name: string) => Promise<V> {
  const found = new Map<string, Promise<V>>()
  return async (name) => {
    const value = found.get(name) ?? read(name)
    found.set(name, value)
    return value
  }
}

interface Weighed {
  readonly own: readonly string[]
  readonly stateOf: (name: string) => StoredState | undefined
  readonly context: RenderContext
}

/** The names that are flushed now, with their records; those beyond the share of the zone are left to the next flush. */
async function withinShare(
  { zone, names, batch }: ZoneFlush,
  { own, stateOf, context }: Weighed,
): Promise<ReadonlyMap<string, number>> {
  const weights = new Map<string, number>()
  const left = new Set<string>()
  let room = Math.max(RECORDS_PER_ZONE, RECORDS_PER_FLUSH / batch.zones.size)
  for (const name of own) {
    if (room <= 0 && !names.added.has(name)) {
      left.add(name)
      continue
    }
    const weight = weightOf(name, stateOf)
    weights.set(name, typeof weight === 'number' ? weight : await aliasWeight(weight, context))
    room -= weights.get(name) ?? 0
  }
  if (left.size > 0) {
    batch.isOver = true
    batch.left.set(zone.id, left)
    for (const name of left) {
      names.changed.delete(name)
      names.deferred.delete(name)
    }
  }
  return weights
}

/** A name that cannot be read fails when it is rendered. */
function weightOf(name: string, stateOf: Weighed['stateOf']): number | StoredState {
  try {
    const state = stateOf(name)
    const isAlias = state?.records.some(({ dnsType }) => dnsType === 'ALIAS') === true
    return isAlias ? state : 1 + (state?.records.length ?? 0)
  } catch {
    return 1
  }
}

/** The records at the end of the chain. */
async function aliasWeight(
  state: StoredState | undefined,
  context: RenderContext,
  depth = 0,
): Promise<number> {
  let weight = 1
  for (const { dnsType, value } of state?.records ?? []) {
    const isAlias = dnsType === 'ALIAS' && depth < MAX_CHAIN
    const target = isAlias ? relativeTo(canonicalName(value), context.apex) : undefined
    weight += target === undefined ? 1 : await aliasWeight(await context.stateAt(target), context, depth + 1)
  }
  return weight
}

/** The highest published zone beneath this one that this name is in; without one, this zone. */
export async function highestZone(w: StoreWrites, fqdn: string, apex: string): Promise<string> {
  let highest = apex
  for (let name = fqdn; name !== apex && name.includes('.'); name = parentOf(name))
    if ((await w.publishedZone(name)) !== undefined) highest = name
  return highest
}

/** The names that have the addresses of the changed ones: an ALIAS follows its target, over others too. */
async function aliasesAmong(
  w: StoreWrites,
  flushed: ZoneFlush,
  weights: ReadonlyMap<string, number>,
): Promise<readonly string[]> {
  const { changed } = flushed.names
  const all = new Set(weights.keys())
  const followed = new Map([...weights].filter(([name]) => changed.has(name)))
  for (let wave = [...followed.keys()]; wave.length > 0; ) {
    const known = followed.size
    await follow(w, flushed, { wave, all, followed })
    wave = [...followed.keys()].slice(known)
  }
  return [...all].slice(weights.size)
}

interface Following {
  readonly wave: readonly string[]
  readonly all: Set<string>
  /** With the records of each, which its aliases have too. */
  readonly followed: Map<string, number>
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
    const weight = followed.get(name) ?? 1
    const isHeavy = added.length * weight > RECORDS_PER_FLUSH / batch.zones.size
    if (added.length > batch.room || aliases.length > maxNames || isHeavy) {
      batch.isOver = true
      await w.deferAliases(zone, name)
      continue
    }
    batch.room -= added.length
    for (const alias of added) all.add(alias)
    for (const alias of aliases) followed.set(alias, Math.max(weight, followed.get(alias) ?? 0))
  }
}

interface TakeoverContext {
  readonly now: Instant
  /** The last serial of each zone that this process has published, by the id of the zone. */
  readonly published?: ReadonlyMap<number, number>
}

/** The fact that says which copy of the database the serials are of. */
const IDENTITY_FACT = 'serials of'

/**
 * Another copy of the database, such as a standby that was behind, lacks steps that secondaries have fetched: their numbers
 * would be given out again with other content. So before the first step all serials are raised above them. The same where
 * a zone is older than this process has published it (decision 0063).
 */
async function raisedSerials(
  w: StoreWrites,
  { now, published = new Map() }: TakeoverContext,
  zoneIds: readonly number[],
): Promise<boolean> {
  const [identity, known] = [await w.databaseIdentity(), await w.fact(IDENTITY_FACT)]
  if (identity !== undefined && identity !== known) await w.setFact(IDENTITY_FACT, identity)
  let isOther = identity !== undefined && known !== undefined && identity !== known
  for (const id of isOther ? [] : zoneIds) {
    const last = published.get(id)
    const zone = last === undefined ? undefined : await w.flushedZone(id)
    if (last !== undefined && zone !== undefined && isNewer(last, zone.serial)) isOther = true
  }
  if (isOther) await w.raiseLostSerials(now)
  return isOther
}

/** Names of one flush: updates that arrive meanwhile wait for its end. */
export const MAX_FLUSHED = 1000
/** A name server that was away for longer fetches the whole zone. */
const JOURNAL_KEPT: Duration = hours(24)
/** RFC 9432 §4.2. */
const CATALOG_VERSION = '2'

export interface Flushed {
  /** The zones with a new serial. */
  readonly zones: readonly PublishedZone[]
  /** Names that were flushed; `maxNames` if there may be more. */
  readonly count: number
  /** Dirty names that were flushed, where this flush left others because of their records. */
  readonly taken?: number
  /** Every serial was raised first: another copy of the database has taken over. */
  readonly isTakenOver: boolean
}

/**
 * Publishes what has changed: one step of the journal and one serial for each zone. Runs inside one transaction. What
 * it asks for several names is asked at once: a store behind a socket gets it in one trip.
 */
export async function flush(w: StoreWrites, context: FlushContext): Promise<Flushed> {
  const dirty = await w.dirtyNames(context.maxNames)
  const batch = flushBatch(dirty, context.maxNames)
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
  const done = dirty.filter(({ zoneId, name }) => batch.left.get(zoneId)?.has(name) !== true)
  await w.setPublished(done, context.now)
  await w.setStuck(faults)
  const taken = done.length < dirty.length ? { taken: done.length } : {}
  return { zones, count: batch.isOver ? context.maxNames : dirty.length, ...taken, isTakenOver }
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
