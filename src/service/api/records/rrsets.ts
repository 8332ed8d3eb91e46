import { type ErrorName, type Refusal, refuse } from '../../model/errors.ts'
import {
  type DraftRRSet,
  type RdataShapeFault,
  readRdata,
  readRRSet,
  type ShapeFault,
} from '../../model/draft.ts'
import { matchesExpression } from '../../model/query.ts'
import {
  mergeMetadata,
  type Name,
  type Rdata,
  type RRSet,
  rrsetOf,
  withoutRRSet,
  withRRSet,
  type Zone,
} from '../../model/tree.ts'
import {
  type TargetConflict,
  targetConflicts,
  type ValueConflict,
  valueConflicts,
} from '../../rules/conflict.ts'
import {
  canManageName,
  nameLockFault,
  NEW_RDATA,
  NEW_RRSET,
  ownsName,
  type PermissionFault,
  PUT_RDATA,
  type RuleName,
  typeFault,
} from '../../rules/permission.ts'
import { metadataFault, type QuotaFault } from '../../rules/quota.ts'
import type { StateFault } from '../../rules/state.ts'
import type { Named } from '../openapi/schemas.ts'
import { ignoredFields, metadataFaults, readBody } from '../request/body.ts'
import {
  ACCEPTED,
  CREATED,
  type HandlerResult,
  type Refused,
  refused,
  refusedWith,
  type RequestContext,
  type Warning,
} from '../request/context.ts'
import {
  changeWarnings,
  createdLabels,
  type CreatedLabels,
  firstFault,
  generatedLabels,
  groupFaults,
  implicitName,
  isQuotaFault,
  labelsOf,
  policyFaults,
  removeChecked,
  rrsetFrom,
  saveChecked,
  withRRSets,
  writtenRdata,
  writtenRRSets,
} from '../writing/writing.ts'
import { tagOfRRSet } from '../answer/entity-tag.ts'
import {
  nameInPath,
  nameToChange,
  nameToRead,
  pathType,
  rrsetAt,
  unsupported,
  wholeNameToChange,
  zoneToChange,
} from '../request/locate.ts'
import { combine, isRefusal, readFilterExpression, readPage, readSort } from '../query/query.ts'
import { showRRSet } from '../answer/show.ts'
import { canonicalName } from '../../model/dns-name.ts'
import type { DnsType } from '../../model/rdata/types.ts'
import type { CreationFault, ParentFault } from '../../rules/creation.ts'
import { creationFaultAt, parentFaultAt } from '../names/creation.ts'
import { listResult, pageOfRows } from '../answer/list.ts'

export async function listRRSets(context: RequestContext) {
  const place = await nameToRead(context)
  if ('refusals' in place) return place
  const sort = readSort(context)
  if (isRefusal(sort)) return refused(sort)
  const parsed = combine({
    page: readPage(context, ['text']),
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
  return listResult(context, { page, ...found }, items.map(showRRSet))
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

export async function createRRSets(
  context: RequestContext<readonly Named<'NewRRSet'>[]>,
): Promise<HandlerResult<RRSetCreateFault>> {
  const place = await nameToChange(context, 'rrsetCreateForbidden')
  if ('refusals' in place) return place
  const { zone, name } = place
  const list = readBody(context)
  if ('malformed' in list) return list
  const malformed = metadataFaults(list, '')
  if (malformed.length > 0) return { malformed }
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
  if (faults.length > 0) return refusedWith(faults)
  const rrsets = drafts.map((draft) => rrsetFrom(draft, [], { existing: undefined, zone, now: context.now }))
  const change = { zone, before: name, after: withRRSets(name, rrsets) }
  const violations = await saveChecked(context, change, isRecordQuotaFault)
  if (violations.length > 0) return refusedWith(violations)
  const stored = { zone, name: change.after, isNew: false, written: writtenRRSets(list) }
  return {
    ...CREATED,
    ...createdLabels(labelsOf(drafts, rrsets)),
    warnings: [...ignoredFields(context), ...(await changeWarnings(context, stored))],
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
  refusedWith(
    refusals.map((one): Refusal<Exclude<R, 'nameNotFound'> | 'rrsetNotFound'> => {
      const { refused: name, ...place } = one
      return name === 'nameNotFound'
        ? { ...place, refused: 'rrsetNotFound' }
        : { ...place, refused: name as Exclude<R, 'nameNotFound'> }
    }),
  )

export async function setRRSetMetadata(context: RequestContext<Named<'MetadataChange'>>) {
  const place = await rrsetToChange(context)
  if ('refusals' in place) return place
  const body = readBody(context)
  if ('malformed' in body) return body
  const { name, rrset } = place
  const metadata = mergeMetadata(rrset.metadata, body.metadata)
  const change = { before: rrset.metadata, after: metadata }
  const fault = metadataFault('rrsetMetadata', change, context.caller.account.plan)
  if (fault !== undefined) return refused(fault)
  await context.store.saveName(withRRSet(name, { ...rrset, metadata, updatedAt: context.now }), context.now)
  return { ...ACCEPTED, warnings: ignoredFields(context) }
}

export async function getNameMetadata(context: RequestContext) {
  const place = await nameToRead(context)
  return 'refusals' in place ? place : { status: 200 as const, data: place.name.metadata }
}

export async function setNameMetadata(context: RequestContext<Named<'MetadataChange'>>) {
  const place = await wholeNameToChange(context)
  if ('refusals' in place) return place
  const body = readBody(context)
  if ('malformed' in body) return body
  const metadata = mergeMetadata(place.name.metadata, body.metadata)
  const change = { before: place.name.metadata, after: metadata }
  const fault = metadataFault('nameMetadata', change, context.caller.account.plan)
  if (fault !== undefined) return refused(fault)
  await context.store.saveName({ ...place.name, metadata }, context.now)
  return { ...ACCEPTED, warnings: ignoredFields(context) }
}

export type PlaceFault = Extract<
  ErrorName,
  | 'zoneNotFound'
  | 'zoneNotShared'
  | 'websiteOnly'
  | 'zoneChangeProhibited'
  | 'nameChangeForbidden'
  | 'nameChangeProhibited'
>
type RdataWriteFault<R extends RuleName> =
  | 'typeOrRdataMissing'
  | RdataShapeFault
  | PermissionFault<R>
  | ValueConflict
  | TargetConflict
  | StateFault
type RdataReplaceFault =
  | PlaceFault
  | 'nameNotFound'
  | 'typeUnsupported'
  | 'rrsetChangeForbidden'
  | RdataWriteFault<(typeof PUT_RDATA)[number]>
  | RecordQuota
type RdataCreateFault =
  | PlaceFault
  | CreationFault
  | 'nameOwned'
  | ParentFault
  | 'typeUnsupported'
  | RdataWriteFault<(typeof NEW_RDATA)[number]>
  | QuotaFault
/** The RRSet that a request writes. */
export interface RRSetTarget {
  readonly zone: Zone
  readonly name: Name
  /** Undefined for a new name. */
  readonly before: Name | undefined
  readonly type: DnsType
}

/** All phases from the form of the body to saving. */
async function writeRdata<Q extends QuotaFault, R extends RuleName>(
  context: RequestContext,
  target: RRSetTarget,
  { list, kept, rules, isExpected }: RdataWrite<Q, R>,
): Promise<Written<RdataWriteFault<R> | Q>> {
  const { zone, name, type } = target
  const parsed = readRdata(type, list, '')
  const draft: DraftRRSet = { dnsType: type, metadata: {}, rdata: parsed.value, pointer: '' }
  const existing = rrsetOf(name, type)
  const before = withRRSet(name, { ...(existing ?? newRRSet(type, context)), rdata: kept })
  const faults = await firstFault<Refusal<RdataWriteFault<R> | Q>>(
    () => (list.length === 0 ? [refuse('typeOrRdataMissing' as const, 'the list is empty')] : []),
    () => [...parsed.faults, ...labelFaults(draft, kept)],
    async () => groupFaults(context, [draft]),
    async () => policyFaults(context, [draft], { zone, name: name.name, existing: target.before, rules }),
    () => valueConflicts(draft, kept),
    () => targetConflicts([draft], before),
  )
  if (faults.length > 0) return { faults, labels: [], after: name }
  const rrset = rrsetFrom(draft, kept, { existing, zone, now: context.now })
  const change = { zone, before: target.before, after: withRRSet(name, rrset) }
  const violations = await saveChecked(context, change, isExpected)
  const labels = [{ dnsType: type, labels: generatedLabels(draft, rrset) }]
  return { faults: violations, labels, after: change.after }
}

interface Written<R extends ErrorName> {
  readonly faults: readonly Refusal<R>[]
  readonly labels: readonly CreatedLabels[]
  /** The name as it is stored now, if there are no faults. */
  readonly after: Name
}

interface RdataWrite<Q extends QuotaFault, R extends RuleName> {
  readonly list: readonly unknown[]
  /** The Rdata of the RRSet that remain. */
  readonly kept: readonly Rdata[]
  readonly rules: readonly R[]
  /** Selects the quotas that this write can exceed. */
  readonly isExpected: (fault: Refusal<QuotaFault>) => fault is Refusal<Q>
}

const newRRSet = (dnsType: DnsType, { now }: RequestContext): RRSet => ({
  dnsType,
  ttl: 0,
  isSystem: false,
  metadata: {},
  rdata: [],
  createdAt: now,
  updatedAt: now,
})

const labelFaults = (draft: DraftRRSet, kept: readonly Rdata[]): readonly Refusal<'rdataLabelsNotUnique'>[] =>
  draft.rdata.flatMap(({ label, pointer }) =>
    label !== undefined && kept.some((one) => one.label.toLowerCase() === label.toLowerCase())
      ? [
          refuse('rdataLabelsNotUnique' as const, undefined, {
            location: 'body',
            pointer: `${pointer}/label`,
          }),
        ]
      : [],
  )

type RdataContext = RequestContext<readonly Named<'NewRdata'>[]>

/** PUT replaces all Rdata of the RRSet. */
export async function replaceRdata(context: RdataContext): Promise<HandlerResult<RdataReplaceFault>> {
  const place = await nameToChange(context, 'nameChangeForbidden')
  if ('refusals' in place) return place
  const type = pathType(context)
  if (type === undefined) return unsupported()
  const list = readBody(context)
  if ('malformed' in list) return list
  const { zone, name } = place
  if (rrsetOf(name, type)?.isSystem === true)
    return refused(refuse('rrsetChangeForbidden', 'the service manages this RRSet', { location: 'path' }))
  const { faults, labels, after } = await writeRdata(
    context,
    { zone, name, before: name, type },
    { list, kept: [], rules: PUT_RDATA, isExpected: isRecordQuotaFault },
  )
  if (faults.length > 0) return refusedWith(faults)
  const warnings = await warningsOf(context, { zone, name: after, before: name, type }, list)
  return { ...ACCEPTED, ...createdLabels(labels), warnings }
}

/** POST adds Rdata, and creates the name if it is missing. */
export async function appendRdata(context: RdataContext): Promise<HandlerResult<RdataCreateFault>> {
  const zone = await zoneToChange(context)
  if ('refusals' in zone) return zone
  const relative = nameInPath(context)
  const before = await context.store.nameAt(zone.id, relative)
  const fault =
    before === undefined
      ? ((await creationFaultAt(context, zone, { name: relative })) ??
        (await parentFaultAt(context, zone, relative)))
      : changeFault(context, zone, before)
  if (fault !== undefined) return refused(fault)
  const type = pathType(context)
  if (type === undefined) return unsupported()
  const list = readBody(context)
  if ('malformed' in list) return list
  const name = before ?? implicitName(context, zone, canonicalName(relative))
  const kept = rrsetOf(name, type)?.rdata ?? []
  const { faults, labels, after } = await writeRdata(
    context,
    { zone, name, before, type },
    { list, kept, rules: NEW_RDATA, isExpected: isQuotaFault },
  )
  if (faults.length > 0) return refusedWith(faults)
  const warnings = await warningsOf(context, { zone, name: after, before, type }, list)
  return { ...CREATED, ...createdLabels(labels), warnings }
}

const warningsOf = async (
  context: RequestContext,
  { zone, name, before, type }: RRSetTarget,
  list: readonly unknown[],
): Promise<readonly Warning[]> => [
  ...ignoredFields(context),
  ...(await changeWarnings(context, {
    zone,
    name,
    isNew: before === undefined,
    written: writtenRdata(type, list),
  })),
]

/** Why Rdata cannot be added at an existing name: one of another account is "owned". */
export function changeFault(
  { caller }: RequestContext,
  zone: Zone,
  name: Name,
): Refusal<'nameOwned' | 'nameChangeForbidden' | 'nameChangeProhibited'> | undefined {
  if (!ownsName(caller, zone, name)) return refuse('nameOwned', undefined, { location: 'path' })
  if (caller.isReadOnly || !canManageName(caller, zone, name))
    return refuse('nameChangeForbidden', undefined, { location: 'path' })
  return nameLockFault(name)
}
