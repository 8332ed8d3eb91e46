import { MAX_TTL } from '../model/draft.ts'
import type { DnsType } from '../model/rdata-values.ts'
import { type Name, type RRSet, rrsetOf } from '../model/tree.ts'
import type { ChangingName, ChangingSet } from './changes.ts'

/** One change of a PATCH of the zone, as its body has it. */
export interface PatchItem {
  readonly name: string
  readonly dns_type: DnsType
  readonly ttl?: number
  readonly rdata: readonly { readonly value: string; readonly label?: string }[]
}

/** TTLs that are allowed, in seconds. */
export interface TtlBounds {
  readonly fixed: number | undefined
  readonly min: number
}

/** What differs from the stored name, as changes of a PATCH. */
export function patchItems(
  name: string,
  {
    stored,
    sets,
    ttl,
  }: { readonly stored: Name | undefined; readonly sets: ChangingName; readonly ttl: TtlBounds },
): readonly PatchItem[] {
  const removed = (stored?.rrsets ?? []).filter(({ dnsType }) => !sets.has(dnsType))
  const kept = [...sets].flatMap(([dnsType, set]): PatchItem[] => {
    const before = stored && rrsetOf(stored, dnsType)
    const next = { ...set, ttl: allowedTtl(set.ttl, ttl) }
    if (before !== undefined && isSameSet(before, set, next.ttl)) return []
    return [{ name, dns_type: dnsType, ttl: next.ttl, rdata: labelledValues(before, next.values) }]
  })
  return [...removed.map(({ dnsType }): PatchItem => ({ name, dns_type: dnsType, rdata: [] })), ...kept]
}

/** An UPDATE cannot leave the TTL out, so one that is not allowed is a wish: the nearest is stored (decision 0056). */
const allowedTtl = (ttl: number, { fixed, min }: TtlBounds): number =>
  fixed ?? Math.min(MAX_TTL, Math.max(min, ttl))

/** A set that was not changed keeps a TTL that is not allowed any more. */
const isSameSet = (before: RRSet, { ttl, values }: ChangingSet, allowed: number): boolean =>
  (ttl === before.ttl || allowed === before.ttl) &&
  values.length === before.rdata.length &&
  before.rdata.every(({ value }) => values.includes(value))

/** A new value gets the label of one that goes: a DDNS key that may change the record keeps it. */
function labelledValues(before: RRSet | undefined, values: readonly string[]): PatchItem['rdata'] {
  const free = (before?.rdata ?? []).filter(({ value }) => !values.includes(value)).map(({ label }) => label)
  const isStored = (value: string): boolean => before?.rdata.some((one) => one.value === value) === true
  return values.map((value) => {
    const label = isStored(value) ? undefined : free.shift()
    return { value, ...(label !== undefined && { label }) }
  })
}
