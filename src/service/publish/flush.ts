import { createHash } from 'node:crypto'
import { allEnded } from '../../shared/base/concurrency.ts'
import { type Duration, hours, instant } from '../../shared/base/time.ts'
import { encodeName } from '../../shared/dns/name.ts'
import { type DnsRecord, RR_TYPES } from '../../shared/dns/types.ts'
import { CATALOG_ID, type PublishedRow, type PublishedZone } from '../store/published.ts'
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
import { type OwnerRecords, zoneRecords } from './flushed-names.ts'
import { ownerKey } from './owner.ts'
import { encodeRows, sizeOfRow } from './rows.ts'
import { serialAfter } from './soa.ts'
import { raisedSerials } from './takeover.ts'

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
