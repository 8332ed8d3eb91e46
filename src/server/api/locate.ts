import { type ErrorName, refuse } from '../errors/errors.ts'
import { canonicalName } from '../model/dns-name.ts'
import { isRdataLabel } from '../model/draft.ts'
import { type DnsType, isDnsType } from '../model/rdata-values.ts'
import { type Name, type Rdata, type RRSet, rdataLabelled, rrsetOf, type Zone } from '../model/tree.ts'
import { isTheirs, lockOf, PATH, prohibitionOf, zoneFault } from '../rules/access.ts'
import { type Refused, type RequestContext, refused } from './request-context.ts'

/** The zone that the path names, to look at. */
export async function zoneToRead({ caller, params, store }: RequestContext) {
  const zone = await store.zoneNamed(canonicalName(params['zone_name'] ?? ''))
  const fault = zoneFault(caller, zone)
  return fault === undefined && zone !== undefined ? zone : refused(...(fault === undefined ? [] : [fault]))
}

/** The same, to change something in it. */
export async function zoneToChange(visit: RequestContext) {
  const zone = await zoneToRead(visit)
  if ('refusals' in zone) return zone
  const locked = prohibitionOf(zone)
  return locked === undefined ? zone : refused(locked)
}

export interface NamePlace {
  readonly zone: Zone
  readonly name: Name
}

const pathName = ({ params }: RequestContext): string => (params['name'] ?? '').toLowerCase()

/** The name that the path names, to look at: another account's is not there. */
export async function nameToRead(visit: RequestContext) {
  const zone = await zoneToRead(visit)
  if ('refusals' in zone) return zone
  const name = await visit.store.nameAt(zone.id, pathName(visit))
  return name === undefined || !isTheirs(visit.caller, zone, name)
    ? refused(refuse('nameNotFound', undefined, PATH))
    : { zone, name }
}

/** The same, to change it. `forbidden` is what the route says where the right is missing. */
export async function nameToChange<const F extends ErrorName>(visit: RequestContext, forbidden: F) {
  const zone = await zoneToChange(visit)
  if ('refusals' in zone) return zone
  const name = await visit.store.nameAt(zone.id, pathName(visit))
  if (name === undefined) return refused(refuse('nameNotFound', undefined, PATH))
  if (!isTheirs(visit.caller, zone, name) || visit.caller.isReadOnly)
    return refused(refuse(forbidden, undefined, PATH))
  const locked = lockOf(name)
  return locked === undefined ? { zone, name } : refused(locked)
}

/** The type that the path names; one that does not exist has no RRSet either. */
export const pathType = ({ params }: RequestContext): DnsType | undefined => {
  const type = params['dns_type']?.toUpperCase()
  return isDnsType(type) ? type : undefined
}

export const unsupported = (): Refused<'typeUnsupported'> =>
  refused(refuse('typeUnsupported', undefined, PATH))

/** The RRSet that the path names. */
export function rrsetAt(visit: RequestContext, name: Name): RRSet | Refused<'rrsetNotFound'> {
  const type = pathType(visit)
  const rrset = type === undefined ? undefined : rrsetOf(name, type)
  return rrset ?? refused(refuse('rrsetNotFound', undefined, PATH))
}

/** The label that the path names, read as a label. */
export function pathLabel({ params }: RequestContext): string | Refused<'rdataLabelInvalid'> {
  const label = params['label']
  return isRdataLabel(label) ? label : refused(refuse('rdataLabelInvalid', undefined, PATH))
}

export const rdataAt = (rrset: RRSet | undefined, label: string): Rdata | undefined =>
  rdataLabelled(rrset, label)
