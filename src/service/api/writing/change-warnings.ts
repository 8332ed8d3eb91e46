import type { Name, Zone } from '../../model/tree.ts'
import {
  nameWarnings,
  targetWarnings,
  type WarningReads,
  type WrittenValue,
  zoneWarnings,
} from '../../rules/warnings.ts'
import { isObject } from '../request/bodies.ts'
import { unexpected, type RequestContext, type Warning } from '../request/context.ts'
import { readsOf } from './writing.ts'

/** A change that is stored. */
interface StoredChange {
  readonly zone: Zone
  /** As it is stored now. */
  readonly name: Name
  readonly isNew: boolean
  /** The values in the body. */
  readonly written: readonly WrittenValue[]
}

/** Warnings about an accepted change, judged on the zone as it is now. */
export async function changeWarnings(
  { store }: Pick<RequestContext, 'store'>,
  { zone, name, isNew, written }: StoredChange,
  reads = warningReads(store, zone),
): Promise<readonly Warning[]> {
  return [
    ...(isNew ? nameWarnings(name.name, zone) : []),
    ...targetWarnings(written, zone),
    ...(await zoneWarnings(name, zone, reads)),
  ].map(unexpected)
}

/** What the warnings read of the zone, after all changes of a request: read once for all of them. */
export const warningReads = (store: RequestContext['store'], zone: Zone): WarningReads => ({
  ...readsOf(store, zone),
  delegationAbove: async (one) => store.delegationAbove(zone.id, one),
  innerZone: async (one) => (await store.zoneInside(zone, one))?.name,
  hiddenBeneath: async (one) => store.hiddenBeneath(zone, one),
})

/** The values in a list of Rdata. */
export const writtenRdata = (dnsType: string, list: readonly unknown[]): readonly WrittenValue[] =>
  list.flatMap((one) =>
    isObject(one) && typeof one['value'] === 'string' ? [{ dnsType, value: one['value'] }] : [],
  )

/** The values in a list of RRSets. */
export const writtenRRSets = (list: readonly unknown[]): readonly WrittenValue[] =>
  list.flatMap((one) =>
    isObject(one) && typeof one['dns_type'] === 'string' && Array.isArray(one['rdata'])
      ? writtenRdata(one['dns_type'].toUpperCase(), one['rdata'])
      : [],
  )
