import { type ErrorName, type Refusal, refuse } from '../../model/errors.ts'
import { type DraftRRSet, type ShapeFault, readRRSet } from '../../model/draft.ts'
import { matchesExpression } from '../../model/query.ts'
import { type Name, mergeMetadata, rrsetOf, withRRSet, withoutRRSet } from '../../model/tree.ts'
import {
  type TargetConflict,
  type ValueConflict,
  targetConflicts,
  valueConflicts,
} from '../../rules/conflict.ts'
import { typeFault } from '../../rules/access.ts'
import { NEW_RRSET, type PermissionFault } from '../../rules/permission.ts'
import { metadataFault, type QuotaFault } from '../../rules/quota.ts'
import type { StateFault } from '../../rules/state.ts'
import {
  badBody,
  isFaulty,
  isObject,
  readMetadata,
  readMetadataBody,
  unknownInRRSets,
} from '../request/bodies.ts'
import { changeWarnings, writtenRRSets } from '../writing/change-warnings.ts'
import { createdLabels, labelsOf } from '../writing/created-labels.ts'
import { tagOfRRSet } from '../answer/entity-tag.ts'
import { nameToChange, nameToRead, rrsetAt, wholeNameToChange } from '../request/locate.ts'
import { combine, isRefusal, readFilterExpression, readPage, readSort } from '../query/query.ts'
import { QUERY } from '../query/parameters.ts'
import { listResult, pageOfRows } from '../answer/list.ts'
import { showRRSet } from '../answer/show.ts'
import {
  ACCEPTED,
  type HandlerResult,
  CREATED,
  type Refused,
  type RequestContext,
  refused,
} from '../request/context.ts'
import {
  firstFault,
  groupFaults,
  policyFaults,
  removeChecked,
  rrsetFrom,
  saveChecked,
  withRRSets,
} from '../writing/writing.ts'

export async function listRRSets(context: RequestContext) {
  const place = await nameToRead(context)
  if ('refusals' in place) return place
  const sort = readSort(context, QUERY.listRRSets.sort)
  if (isRefusal(sort)) return refused(sort)
  const list = { operation: 'listRRSets', values: ['text'] } as const
  const parsed = combine({
    page: readPage(context, list),
    metadata: readFilterExpression(context, 'metadata'),
  })
  if ('malformed' in parsed) return parsed
  const { page, metadata } = parsed.value
  const sign = sort[0]?.direction === 'desc' ? -1 : 1
  const compared = (a: string, b: string): number => (a < b ? -sign : sign)
  const matching = place.name.rrsets
    .filter((rrset) => metadata === undefined || matchesExpression(metadata, rrset.metadata))
    .toSorted((a, b) => compared(a.dnsType, b.dnsType))
  const { items, ...found } = pageOfRows(matching, page, {
    isAfter: ({ dnsType }, [last]) => dnsType !== last && compared(String(last), dnsType) < 0,
    positionOf: ({ dnsType }) => [dnsType],
  })
  return listResult(context, { list, page, ...found }, items.map(showRRSet))
}

type RRSetCreateFault =
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
/** The quotas that a change of records at an existing name can exceed. */
export const isRecordQuotaFault = (fault: Refusal<QuotaFault>): fault is Refusal<RecordQuota> =>
  fault.refused !== 'namesOverLimit' && fault.refused !== 'nameMetadataOverLimit'

export async function createRRSets(context: RequestContext): Promise<HandlerResult<RRSetCreateFault>> {
  const place = await nameToChange(context, 'rrsetCreateForbidden')
  if ('refusals' in place) return place
  const { zone, name } = place
  if (!Array.isArray(context.body)) return { malformed: [badBody('the body is a list of RRSets')] }
  const list = context.body as unknown[]
  const metadata = list.map((one, n) =>
    readMetadata(isObject(one) ? one['metadata'] : undefined, `/${n}/metadata`),
  )
  const badMetadata = metadata.flatMap((one) => (isFaulty(one) ? one : []))
  if (badMetadata.length > 0) return { malformed: badMetadata }
  const parsed = list.map((one, n) => readRRSet(one, `/${n}`))
  const drafts = parsed.flatMap(({ value }) => value ?? [])
  const faults = await firstFault<Refusal<RRSetCreateFault>>(
    () => (list.length === 0 ? [refuse('typeOrRdataMissing' as const, 'the list is empty')] : []),
    () => parsed.flatMap((one) => one.faults),
    async () => groupFaults(context, drafts),
    async () => policyFaults(context, drafts, { zone, name: name.name, existing: name, rules: NEW_RRSET }),
    () => existingTypes(drafts, name),
    () => drafts.flatMap((draft) => valueConflicts(draft, [])),
    () => targetConflicts(drafts, name),
  )
  if (faults.length > 0) return refused(...faults)
  const rrsets = drafts.map((draft) => rrsetFrom(draft, [], { existing: undefined, zone, now: context.now }))
  const change = { zone, before: name, after: withRRSets(name, rrsets) }
  const violations = await saveChecked(context, change, isRecordQuotaFault)
  if (violations.length > 0) return refused(...violations)
  const stored = { zone, name: change.after, isNew: false, written: writtenRRSets(list) }
  return {
    ...CREATED,
    ...createdLabels(labelsOf(drafts, rrsets)),
    warnings: [...unknownInRRSets(list, ''), ...(await changeWarnings(context, stored))],
  }
}

/** A name has one RRSet per type, also within one request. */
function existingTypes(drafts: readonly DraftRRSet[], name: Name): readonly Refusal<'rrsetExists'>[] {
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
  return 'refusals' in rrset
    ? rrset
    : { status: 200 as const, data: showRRSet(rrset), headers: { etag: tagOfRRSet(rrset) } }
}

/** The RRSet in the path, for changes. RRSets that the service manages cannot be changed. */
async function rrsetToChange(context: RequestContext) {
  const place = await nameToChange(context, 'rrsetChangeForbidden')
  if ('refusals' in place) return place
  const rrset = rrsetAt(context, place.name)
  if ('refusals' in rrset) return rrset
  const fault = typeFault(context.caller, rrset.dnsType, 'rrsetChangeForbidden')
  if (fault !== undefined) return refused(fault)
  return rrset.isSystem
    ? refused(refuse('rrsetChangeForbidden', 'the service manages this RRSet', { location: 'path' }))
    : { ...place, rrset }
}

export async function deleteRRSet(context: RequestContext) {
  const place = await rrsetToChange(context)
  if ('refusals' in place) return place
  const after = withoutRRSet(place.name, place.rrset.dnsType)
  return removeChecked(context, { zone: place.zone, before: place.name, after })
}

export async function getRRSetMetadata(context: RequestContext) {
  const place = await nameToRead(context)
  // Spec: this operation has no error for a missing name; its RRSet is missing too.
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
  const parsed = readMetadataBody(context.body)
  if ('malformed' in parsed) return parsed
  const { name, rrset } = place
  const metadata = mergeMetadata(rrset.metadata, parsed.metadata)
  const change = { before: rrset.metadata, after: metadata }
  const fault = metadataFault('rrsetMetadata', change, context.caller.account.plan)
  if (fault !== undefined) return refused(fault)
  await context.store.saveName(withRRSet(name, { ...rrset, metadata, updatedAt: context.now }), context.now)
  return { ...ACCEPTED, warnings: parsed.warnings }
}

export async function getNameMetadata(context: RequestContext) {
  const place = await nameToRead(context)
  return 'refusals' in place ? place : { status: 200 as const, data: place.name.metadata }
}

export async function setNameMetadata(context: RequestContext) {
  const place = await wholeNameToChange(context)
  if ('refusals' in place) return place
  const parsed = readMetadataBody(context.body)
  if ('malformed' in parsed) return parsed
  const metadata = mergeMetadata(place.name.metadata, parsed.metadata)
  const change = { before: place.name.metadata, after: metadata }
  const fault = metadataFault('nameMetadata', change, context.caller.account.plan)
  if (fault !== undefined) return refused(fault)
  await context.store.saveName({ ...place.name, metadata }, context.now)
  return { ...ACCEPTED, warnings: parsed.warnings }
}
