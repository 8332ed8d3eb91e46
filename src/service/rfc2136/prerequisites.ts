import { isAtOrBelow } from '../../shared/dns/name.ts'
import { CLASSES, type DnsRecord, RCODES, RR_TYPES } from '../../shared/dns/types.ts'
import type { ReadUpdateRecord } from '../../shared/dns/update-request.ts'
import { canonicalRdata, isMetaType, isOfNoRecord } from './records.ts'

/** What is at a name; empty where it is not in use. */
type RecordsAt = (name: string) => readonly DnsRecord[]

/**
 * RFC 2136 §3.2: the RCODE of the first prerequisite that is malformed or does not hold; undefined if all of them do. The
 * values of an RRset count together, so these are compared at the end.
 */
export function prerequisiteFault(
  zone: string,
  prerequisites: readonly ReadUpdateRecord[],
  recordsAt: RecordsAt,
): number | undefined {
  const wanted = new Map<string, Set<string>>()
  for (const one of prerequisites) {
    const fault = faultOf(zone, one, recordsAt)
    if (fault !== undefined) return fault
    if (one.class !== CLASSES.IN) continue
    const rdata = canonicalRdata(one)
    if (rdata === undefined) return RCODES.FORMERR
    const key = keyOf(one)
    wanted.set(key, (wanted.get(key) ?? new Set()).add(octetsOf(rdata)))
  }
  const checked = new Set<string>()
  for (const one of prerequisites) {
    const values = wanted.get(keyOf(one))
    if (one.class !== CLASSES.IN || values === undefined || checked.has(keyOf(one))) continue
    checked.add(keyOf(one))
    const present = new Set(
      recordsAt(one.name)
        .filter(({ type }) => type === one.type)
        .map(({ rdata }) => octetsOf(rdata)),
    )
    if (present.size !== values.size || [...values].some((value) => !present.has(value)))
      return RCODES.NXRRSET
  }
  return undefined
}

const keyOf = ({ name, type }: ReadUpdateRecord): string => `${type} ${name}`
const octetsOf = (rdata: Uint8Array): string => Buffer.from(rdata).toString('latin1')

function faultOf(zone: string, one: ReadUpdateRecord, recordsAt: RecordsAt): number | undefined {
  const { name, type, ttl, rdata } = one
  if (ttl !== 0) return RCODES.FORMERR
  if (!isAtOrBelow(name, zone)) return RCODES.NOTZONE
  const isAny = type === RR_TYPES.ANY
  if (one.class === CLASSES.IN) return isOfNoRecord(type) ? RCODES.FORMERR : undefined
  const isForm = one.class === CLASSES.ANY || one.class === CLASSES.NONE
  if (!isForm || rdata.length > 0 || (isMetaType(type) && !isAny)) return RCODES.FORMERR
  const isThere = recordsAt(name).some((record) => isAny || record.type === type)
  if (one.class === CLASSES.ANY) return isThere ? undefined : isAny ? RCODES.NXDOMAIN : RCODES.NXRRSET
  return isThere ? (isAny ? RCODES.YXDOMAIN : RCODES.YXRRSET) : undefined
}
