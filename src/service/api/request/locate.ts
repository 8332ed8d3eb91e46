import { type ErrorName, refuse } from '../../model/errors.ts'
import { canonicalName } from '../../model/dns-name.ts'
import { isRdataLabel } from '../../model/draft.ts'
import { type DnsType, isDnsType } from '../../model/rdata/types.ts'
import { type Name, type RRSet, rrsetOf, type Zone } from '../../model/tree.ts'
import { canManageName, IN_PATH, typesDetail, zoneFault } from '../../rules/permission.ts'
import { nameChangeFault, zoneChangeFault } from '../../rules/change.ts'
import { type Refused, type RequestContext, refused, refusedWith } from './context.ts'

export const zoneInPath = async ({ params, store }: RequestContext): Promise<Zone | undefined> =>
  store.zoneNamed(canonicalName(params['zone_name'] ?? ''))
export const nameInPath = ({ params }: RequestContext): string => (params['name'] ?? '').toLowerCase()

/** The zone in the path, for reading. */
export async function zoneToRead(context: RequestContext) {
  const zone = await zoneInPath(context)
  const fault = zoneFault(context.caller, zone)
  return fault === undefined && zone !== undefined ? zone : refusedWith(fault === undefined ? [] : [fault])
}

/** The same for changes in the zone. */
export async function zoneToChange(context: RequestContext) {
  const zone = await zoneInPath(context)
  const fault = zoneChangeFault(context.caller, zone)
  return fault === undefined && zone !== undefined ? zone : refusedWith(fault === undefined ? [] : [fault])
}

/** The name in the path, for reading: a name of another account is reported as not found. */
export async function nameToRead(context: RequestContext) {
  const zone = await zoneToRead(context)
  if ('refusals' in zone) return zone
  const name = await context.store.nameAt(zone.id, nameInPath(context))
  return name === undefined || !canManageName(context.caller, zone, name)
    ? refused(refuse('nameNotFound', undefined, IN_PATH))
    : { zone, name }
}

/** The same for changes. `forbidden` is the route's refusal without permission. */
export async function nameToChange<const F extends ErrorName>(context: RequestContext, forbidden: F) {
  const zone = await zoneToChange(context)
  if ('refusals' in zone) return zone
  const name = await context.store.nameAt(zone.id, nameInPath(context))
  if (name === undefined) return refused(refuse('nameNotFound', undefined, IN_PATH))
  const fault = nameChangeFault(context.caller, zone, { name, forbidden })
  return fault === undefined ? { zone, name } : refused(fault)
}

/** For changes of the name itself: an API key for some types makes none. */
export async function wholeNameToChange(context: RequestContext) {
  const place = await nameToChange(context, 'nameChangeForbidden')
  const { types } = context.caller
  if ('refusals' in place || types === undefined) return place
  return refused(refuse('nameChangeForbidden', typesDetail(types), IN_PATH))
}

/** The type in the path; undefined for an unknown type, which has no RRSet. */
export const pathType = ({ params }: RequestContext): DnsType | undefined => {
  const type = params['dns_type']?.toUpperCase()
  return isDnsType(type) ? type : undefined
}

export const unsupported = (): Refused<'typeUnsupported'> =>
  refused(refuse('typeUnsupported', undefined, IN_PATH))

/** The RRSet in the path. */
export function rrsetAt(context: RequestContext, name: Name): RRSet | Refused<'rrsetNotFound'> {
  const type = pathType(context)
  const rrset = type === undefined ? undefined : rrsetOf(name, type)
  return rrset ?? refused(refuse('rrsetNotFound', undefined, IN_PATH))
}

/** The label in the path, if it is valid. */
export function pathLabel({ params }: RequestContext): string | Refused<'rdataLabelInvalid'> {
  const label = params['label']
  return isRdataLabel(label) ? label : refused(refuse('rdataLabelInvalid', undefined, IN_PATH))
}

/** The id in the path; 0, which nothing has, for other text. */
export const idInPath = ({ params: { id = '' } }: RequestContext): number =>
  /^\d{1,15}$/.test(id) ? Number(id) : 0
