import { type ErrorName, type Refusal, refuse } from '../errors/errors.ts'
import { type DraftRRSet, type ShapeFault, readRRSet } from '../model/draft.ts'
import { matchesExpression } from '../model/query.ts'
import { type Metadata, type Name, mergeMetadata, rrsetOf, withRRSet, withoutRRSet } from '../model/tree.ts'
import {
  type TargetConflict,
  type ValueConflict,
  targetConflicts,
  valueConflicts,
} from '../rules/conflict.ts'
import { NEW_RRSET, type PermissionFault } from '../rules/permission.ts'
import type { QuotaFault } from '../rules/quota.ts'
import type { StateFault } from '../rules/state.ts'
import { badBody, isFaulty, isObject, readMetadata, unknownFields, unknownInRRSets } from './bodies.ts'
import { nameToChange, nameToRead, rrsetAt } from './locate.ts'
import { combine, isRefusal, readFilterExpression, readPage, readSort } from './query.ts'
import { showRRSet } from './show.ts'
import {
  ACCEPTED,
  type HandlerResult,
  CREATED,
  DONE,
  type RequestFault,
  type Refused,
  type RequestContext,
  type Warning,
  refused,
} from './request-context.ts'
import { firstFault, groupFaults, permitted, rrsetFrom, saveWithin, withRRSets } from './writing.ts'

const LIMITS = { fallback: 50, max: 500 } as const

export async function listRRSets(context: RequestContext) {
  const place = await nameToRead(context)
  if ('refusals' in place) return place
  const sort = readSort(context, ['dns_type'])
  const read = combine({
    page: readPage(context, LIMITS),
    metadata: readFilterExpression(context, 'metadata'),
  })
  if (isRefusal(sort)) return refused(sort)
  if ('malformed' in read) return read
  const { page, metadata } = read.value
  const found = place.name.rrsets
    .filter((rrset) => metadata === undefined || matchesExpression(metadata, rrset.metadata))
    .toSorted((a, b) => (a.dnsType < b.dnsType ? -1 : 1) * (sort[0]?.direction === 'desc' ? -1 : 1))
  const shown = found.slice(page.offset, page.offset + page.limit)
  return { status: 200 as const, data: shown.map(showRRSet), page: { ...page, total: found.length } }
}

export type RRSetCreateFault =
  | Extract<
      ErrorName,
      | 'zoneNotFound'
      | 'zoneNotShared'
      | 'websiteOnly'
      | 'zoneChangeProhibited'
      | 'nameNotFound'
      | 'nameChangeProhibited'
      | 'rrsetExists'
    >
  | ShapeFault
  | PermissionFault<(typeof NEW_RRSET)[number]>
  | ValueConflict
  | TargetConflict
  | StateFault
  | RecordQuota

export type RecordQuota = Exclude<QuotaFault, 'namesOverLimit' | 'nameMetadataOverLimit'>
/** The quotas that a change of records at a name that is there can meet. */
export const isRecordQuotaFault = (fault: Refusal<QuotaFault>): fault is Refusal<RecordQuota> =>
  fault.refused !== 'namesOverLimit' && fault.refused !== 'nameMetadataOverLimit'

export async function createRRSets(context: RequestContext): Promise<HandlerResult<RRSetCreateFault>> {
  const place = await nameToChange(context, 'rrsetCreateForbidden')
  if ('refusals' in place) return place
  const { zone, name } = place
  if (!Array.isArray(context.body)) return { malformed: [badBody('the body is a list of RRSets')] }
  const list = context.body as unknown[]
  const maps = list.map((one, n) =>
    readMetadata(isObject(one) ? one['metadata'] : undefined, `/${n}/metadata`),
  )
  const badMaps = maps.flatMap((one) => (isFaulty(one) ? one : []))
  if (badMaps.length > 0) return { malformed: badMaps }
  const read = list.map((one, n) => readRRSet(one, `/${n}`))
  const drafts = read.flatMap(({ value }) => value ?? [])
  const faults = await firstFault<Refusal<RRSetCreateFault>>(
    () => (list.length === 0 ? [refuse('typeOrRdataMissing' as const, 'the list is empty')] : []),
    () => read.flatMap((one) => one.faults),
    async () => groupFaults(context, drafts),
    async () => permitted(context, drafts, { zone, name: name.name, existing: name, rules: NEW_RRSET }),
    () => existing(drafts, name),
    () => drafts.flatMap((draft) => valueConflicts(draft, [])),
    () => targetConflicts(drafts, name),
  )
  if (faults.length > 0) return refused(...faults)
  const made = drafts.map((draft) => rrsetFrom(draft, [], { existing: undefined, zone, now: context.now }))
  const change = { before: name, after: withRRSets(name, made) }
  const broken = await saveWithin(context, zone, change, isRecordQuotaFault)
  if (broken.length > 0) return refused(...broken)
  return { ...CREATED, warnings: unknownInRRSets(list, '') }
}

/** Of one type there is one RRSet; twice in the request is as bad. */
function existing(drafts: readonly DraftRRSet[], name: Name): readonly Refusal<'rrsetExists'>[] {
  const types = drafts.map(({ dnsType }) => dnsType)
  return drafts.flatMap(({ dnsType, pointer }, n) =>
    rrsetOf(name, dnsType) !== undefined || types.indexOf(dnsType) < n
      ? [refuse('rrsetExists' as const, undefined, { location: 'body', pointer: `${pointer}/dns_type` })]
      : [],
  )
}

export async function getRRSet(context: RequestContext) {
  const place = await nameToRead(context)
  if ('refusals' in place) return place
  const rrset = rrsetAt(context, place.name)
  return 'refusals' in rrset ? rrset : { status: 200 as const, data: showRRSet(rrset) }
}

/** An RRSet that the service keeps itself is nobody else's to change. */
async function rrsetToChange(context: RequestContext) {
  const place = await nameToChange(context, 'rrsetChangeForbidden')
  if ('refusals' in place) return place
  const rrset = rrsetAt(context, place.name)
  if ('refusals' in rrset) return rrset
  return rrset.isSystem
    ? refused(refuse('rrsetChangeForbidden', 'the service keeps it itself', { location: 'path' }))
    : { ...place, rrset }
}

export async function deleteRRSet(context: RequestContext) {
  const place = await rrsetToChange(context)
  if ('refusals' in place) return place
  const after = withoutRRSet(place.name, place.rrset.dnsType)
  await context.store.saveName(after, context.now)
  return DONE
}

export async function getRRSetMetadata(context: RequestContext) {
  const place = await nameToRead(context)
  // Spec: no code for a name that is missing here; there is no RRSet either.
  if ('refusals' in place) return withoutNameNotFound(place.refusals)
  const rrset = rrsetAt(context, place.name)
  return 'refusals' in rrset ? rrset : { status: 200 as const, data: rrset.metadata }
}

const withoutNameNotFound = <R extends ErrorName>(
  refusals: readonly Refusal<R>[],
): Refused<Exclude<R, 'nameNotFound'> | 'rrsetNotFound'> =>
  refused(
    ...refusals.map((one): Refusal<Exclude<R, 'nameNotFound'> | 'rrsetNotFound'> => {
      const { refused: name, ...place } = one
      return name === 'nameNotFound'
        ? { ...place, refused: 'rrsetNotFound' }
        : { ...place, refused: name as Exclude<R, 'nameNotFound'> }
    }),
  )

export async function setRRSetMetadata(context: RequestContext) {
  const place = await rrsetToChange(context)
  if ('refusals' in place) return place
  const read = readMetadataBody(context.body)
  if ('malformed' in read) return read
  const { name, rrset } = place
  const after = withRRSet(name, { ...rrset, metadata: mergeMetadata(rrset.metadata, read.metadata) })
  const most = context.caller.account.plan.maxRRSetMetadata
  const count = Object.keys(rrsetOf(after, rrset.dnsType)?.metadata ?? {}).length
  if (count > most && count > Object.keys(rrset.metadata).length)
    return refused(refuse('rrsetMetadataOverLimit', `the plan has ${most}; please contact support`))
  await context.store.saveName(after, context.now)
  return { ...ACCEPTED, warnings: read.warnings }
}

export async function getNameMetadata(context: RequestContext) {
  const place = await nameToRead(context)
  return 'refusals' in place ? place : { status: 200 as const, data: place.name.metadata }
}

export async function setNameMetadata(context: RequestContext) {
  const place = await nameToChange(context, 'nameChangeForbidden')
  if ('refusals' in place) return place
  const read = readMetadataBody(context.body)
  if ('malformed' in read) return read
  const metadata = mergeMetadata(place.name.metadata, read.metadata)
  const most = context.caller.account.plan.maxNameMetadata
  const count = Object.keys(metadata).length
  if (count > most && count > Object.keys(place.name.metadata).length)
    return refused(refuse('nameMetadataOverLimit', `the plan has ${most}; please contact support`))
  await context.store.saveName({ ...place.name, metadata }, context.now)
  return { ...ACCEPTED, warnings: read.warnings }
}

function readMetadataBody(
  body: unknown,
):
  | { readonly malformed: readonly RequestFault[] }
  | { readonly metadata: Metadata; readonly warnings: readonly Warning[] } {
  if (!isObject(body) || body['metadata'] === undefined)
    return { malformed: [badBody('the body is {"metadata": {…}}', '/metadata')] }
  const metadata = readMetadata(body['metadata'], '/metadata')
  return isFaulty(metadata)
    ? { malformed: metadata }
    : { metadata, warnings: unknownFields(body, ['metadata']) }
}
