import type { Instant } from '../../../shared/base/time.ts'
import { APEX } from '../../model/dns-name.ts'
import type { MasterRecord } from '../../model/master-file/records.ts'
import { autoLabels, type Name, type Rdata, type RRSet, rrsetOf, type Zone } from '../../model/tree.ts'
import { groupedBy } from '../../store/values.ts'

export interface PresentZone {
  readonly zone: Zone
  readonly stored: readonly Name[]
}

interface ImportContext extends PresentZone {
  readonly now: Instant
}

/**
 * The zone with the records of a master file instead of its own. The apex is one of them, with the NS of the service, and so
 * are names without records, which no file has. What is the same stays as it is.
 */
export const importedNames = (records: readonly MasterRecord[], context: ImportContext): readonly Name[] => [
  ...definedIn(importSteps(records, context)),
]

/** The same in steps, some of which give no name. */
export function* importSteps(
  records: readonly MasterRecord[],
  context: ImportContext,
): Generator<Name | undefined> {
  const byName = new Map<string, MasterRecord[]>()
  for (const record of records) {
    const own = byName.get(record.name)
    if (own === undefined) byName.set(record.name, [record])
    else own.push(record)
    yield undefined
  }
  const stored = new Map(context.stored.map((name) => [name.name, name]))
  // What the operator has stopped stays stopped, without records.
  for (const { name, rrsets, isProhibited, isBlocked } of context.stored)
    if (!byName.has(name) && (name === APEX || rrsets.length === 0 || isProhibited || isBlocked))
      byName.set(name, [])
  for (const [name, own] of byName) yield nameFrom(own, stored.get(name) ?? newName(name, context), context)
}

function* definedIn<T>(items: Iterable<T | undefined>): Generator<T> {
  for (const one of items) if (one !== undefined) yield one
}

const newName = (name: string, { zone, now }: ImportContext): Name => ({
  zoneId: zone.id,
  accountId: zone.accountId,
  name,
  isProhibited: false,
  isBlocked: false,
  isImplicit: false,
  isOffline: false,
  metadata: {},
  rrsets: [],
  createdAt: now,
  updatedAt: now,
})

/** With the records of the file instead of those that the name has, but for those of the service. */
function nameFrom(records: readonly MasterRecord[], name: Name, context: ImportContext): Name {
  const byType = groupedBy(records, ({ dnsType }) => dnsType)
  const system = name.rrsets.filter(({ isSystem }) => isSystem)
  const rrsets = Array.from(byType, ([dnsType, own]) =>
    rrsetFrom(own, rrsetOf(name, dnsType), { ...context, dnsType }),
  )
  const isSame =
    system.length + rrsets.length === name.rrsets.length && rrsets.every((one) => name.rrsets.includes(one))
  return isSame
    ? name
    : { ...name, isImplicit: false, rrsets: [...system, ...rrsets], updatedAt: context.now }
}

function rrsetFrom(
  records: readonly MasterRecord[],
  stored: RRSet | undefined,
  { zone, now, dnsType }: ImportContext & Pick<RRSet, 'dnsType'>,
): RRSet {
  const made = {
    dnsType,
    // RFC 2181 §5.2: the records of an RRset have one TTL, the lowest of different ones.
    // As arguments of Math.min, so many values would not fit on the stack.
    ttl: records.reduce(
      (least, { ttl = zone.fixedTtl ?? zone.defaultTtl }) => Math.min(least, ttl),
      Infinity,
    ),
    isSystem: false,
    metadata: stored?.metadata ?? {},
    // A record that stands in the file twice is one record (RFC 2181 §5).
    rdata: rdataFrom(new Set(records.map(({ value }) => value)), stored?.rdata ?? []),
    createdAt: stored?.createdAt ?? now,
    updatedAt: now,
  }
  return stored !== undefined && hasSameRecords(stored, made) ? stored : made
}

/** Whether the RRSets have the same TTL and the same values; their order has no meaning (RFC 2181 §5). */
export function hasSameRecords(one: RRSet, other: RRSet): boolean {
  if (one.ttl !== other.ttl || one.rdata.length !== other.rdata.length) return false
  const values = new Set(one.rdata.map(({ value }) => value))
  return other.rdata.every(({ value }) => values.has(value))
}

/** Labels and DDNS keys stay with their values; those of values that go are for new values, in their order. */
function rdataFrom(values: ReadonlySet<string>, stored: readonly Rdata[]): readonly Rdata[] {
  const left = stored.filter(({ value }) => !values.has(value))
  const rdata: Rdata[] = stored.filter(({ value }) => values.has(value))
  const kept = new Set(rdata.map(({ value }) => value))
  const nextLabel = autoLabels(stored)
  for (const value of [...values].filter((one) => !kept.has(one))) {
    const former = left.shift()
    rdata.push(former === undefined ? { label: nextLabel(), value, isSystem: false } : { ...former, value })
  }
  return rdata
}
