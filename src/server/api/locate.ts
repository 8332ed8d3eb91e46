import { type ErrorName, refuse } from '../errors/errors.ts'
import { canonicalName } from '../model/dns-name.ts'
import { isRdataLabel } from '../model/draft.ts'
import { type DnsType, isDnsType } from '../model/rdata-values.ts'
import { type Name, type Rdata, type RRSet, rdataLabelled, rrsetOf, type Zone } from '../model/tree.ts'
import { canManageName, nameLockFault, IN_PATH, zoneLockFault, zoneFault } from '../rules/access.ts'
import { type Refused, type RequestContext, refused } from './request-context.ts'

/** The zone that the path names, to look at. */
export async function zoneToRead({ caller, params, store }: RequestContext) {
  const zone = await store.zoneNamed(canonicalName(params['zone_name'] ?? ''))
  const fault = zoneFault(caller, zone)
  return fault === undefined && zone !== undefined ? zone : refused(...(fault === undefined ? [] : [fault]))
}

/** The same, to change something in it. */
export async function zoneToChange(context: RequestContext) {
  const zone = await zoneToRead(context)
  if ('refusals' in zone) return zone
  const locked = zoneLockFault(zone)
  return locked === undefined ? zone : refused(locked)
}

export interface NamePlace {
  readonly zone: Zone
  readonly name: Name
}

const pathName = ({ params }: RequestContext): string => (params['name'] ?? '').toLowerCase()

/** The name that the path names, to look at: another account's is not there. */
export async function nameToRead(context: RequestContext) {
  const zone = await zoneToRead(context)
  if ('refusals' in zone) return zone
  const name = await context.store.nameAt(zone.id, pathName(context))
  return name === undefined || !canManageName(context.caller, zone, name)
    ? refused(refuse('nameNotFound', undefined, IN_PATH))
    : { zone, name }
}

/** The same, to change it. `forbidden` is what the route says where the right is missing. */
export async function nameToChange<const F extends ErrorName>(context: RequestContext, forbidden: F) {
  const zone = await zoneToChange(context)
  if ('refusals' in zone) return zone
  const name = await context.store.nameAt(zone.id, pathName(context))
  if (name === undefined) return refused(refuse('nameNotFound', undefined, IN_PATH))
  if (!canManageName(context.caller, zone, name) || context.caller.isReadOnly)
    return refused(refuse(forbidden, undefined, IN_PATH))
  const locked = nameLockFault(name)
  return locked === undefined ? { zone, name } : refused(locked)
}

/** The type that the path names; one that does not exist has no RRSet either. */
export const pathType = ({ params }: RequestContext): DnsType | undefined => {
  const type = params['dns_type']?.toUpperCase()
  return isDnsType(type) ? type : undefined
}

export const unsupported = (): Refused<'typeUnsupported'> =>
  refused(refuse('typeUnsupported', undefined, IN_PATH))

/** The RRSet that the path names. */
export function rrsetAt(context: RequestContext, name: Name): RRSet | Refused<'rrsetNotFound'> {
  const type = pathType(context)
  const rrset = type === undefined ? undefined : rrsetOf(name, type)
  return rrset ?? refused(refuse('rrsetNotFound', undefined, IN_PATH))
}

/** The label that the path names, read as a label. */
export function pathLabel({ params }: RequestContext): string | Refused<'rdataLabelInvalid'> {
  const label = params['label']
  return isRdataLabel(label) ? label : refused(refuse('rdataLabelInvalid', undefined, IN_PATH))
}

export const rdataAt = (rrset: RRSet | undefined, label: string): Rdata | undefined =>
  rdataLabelled(rrset, label)
