import { type ErrorName, type Refusal, refuse } from '../errors/errors.ts'
import { canonicalName } from '../model/dns-name.ts'
import {
  type DraftRRSet,
  type RdataShapeFault,
  type RdataValueFault,
  isRdataLabel,
  readRdataItem,
  readRdata,
} from '../model/draft.ts'
import type { DnsType } from '../model/rdata-values.ts'
import {
  type Name,
  type RRSet,
  type Rdata,
  type Zone,
  rdataLabelled,
  rrsetOf,
  withRRSet,
} from '../model/tree.ts'
import { canManageName, nameLockFault } from '../rules/access.ts'
import {
  type TargetConflict,
  type ValueConflict,
  targetConflicts,
  valueConflicts,
} from '../rules/conflict.ts'
import type { CreationFault, ParentFault } from '../rules/creation.ts'
import {
  CHANGED_RDATA,
  NEW_RDATA,
  PUT_RDATA,
  type PermissionFault,
  type RuleName,
} from '../rules/permission.ts'
import type { QuotaFault } from '../rules/quota.ts'
import type { StateFault } from '../rules/state.ts'
import { badBody, isObject, unknownFields, unknownInRdata } from './bodies.ts'
import { mayCreate, parentFaultAt } from './names.ts'
import { nameToChange, pathLabel, pathType, rrsetAt, unsupported, zoneToChange } from './locate.ts'
import { type RecordQuota, isRecordQuotaFault } from './rrsets.ts'
import {
  ACCEPTED,
  type HandlerResult,
  CREATED,
  DONE,
  type RequestContext,
  refused,
} from './request-context.ts'
import {
  firstFault,
  groupFaults,
  isQuotaFault,
  newName,
  permitted,
  rrsetFrom,
  saveWithin,
} from './writing.ts'

type Place = Extract<
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
export type RdataReplaceFault =
  | Place
  | 'nameNotFound'
  | 'typeUnsupported'
  | 'rrsetChangeForbidden'
  | RdataWriteFault<(typeof PUT_RDATA)[number]>
  | RecordQuota
export type RdataCreateFault =
  | Place
  | CreationFault
  | 'nameOwned'
  | ParentFault
  | 'typeUnsupported'
  | RdataWriteFault<(typeof NEW_RDATA)[number]>
  | QuotaFault
export type RdataLabelFault =
  | Place
  | 'nameNotFound'
  | 'typeUnsupported'
  | 'rdataLabelInvalid'
  | 'rdataChangeForbidden'
  | 'groupTargetAmbiguous'
  | RdataValueFault
  | PermissionFault<(typeof PUT_RDATA)[number]>
  | ValueConflict
  | StateFault
  | RecordQuota

interface Spot {
  readonly zone: Zone
  readonly name: Name
  /** Undefined for a name that is being made. */
  readonly before: Name | undefined
  readonly type: DnsType
}

/** Everything from the form of the body to what is kept; `kept` stays of what is there. */
async function write<Q extends QuotaFault, R extends RuleName>(
  context: RequestContext,
  { zone, name, before, type }: Spot,
  { list, kept, rules, isMet }: Load<Q, R>,
): Promise<readonly Refusal<RdataWriteFault<R> | Q>[]> {
  const read = readRdata(type, list, '')
  const draft: DraftRRSet = { dnsType: type, metadata: {}, rdata: read.value, pointer: '' }
  const existing = rrsetOf(name, type)
  const others: Name = withRRSet(name, { ...emptied(type, existing, context), rdata: kept })
  const faults = await firstFault<Refusal<RdataWriteFault<R> | Q>>(
    () => (list.length === 0 ? [refuse('typeOrRdataMissing' as const, 'the list is empty')] : []),
    () => [...read.faults, ...labelsTaken(draft, kept)],
    async () => groupFaults(context, [draft]),
    async () => permitted(context, [draft], { zone, name: name.name, existing: before, rules }),
    () => valueConflicts(draft, kept),
    () => targetConflicts([draft], others),
  )
  if (faults.length > 0) return faults
  const after = withRRSet(name, rrsetFrom(draft, kept, { existing, zone, now: context.now }))
  return saveWithin(context, zone, { before, after }, isMet)
}

interface Load<Q extends QuotaFault, R extends RuleName> {
  readonly list: readonly unknown[]
  readonly kept: readonly Rdata[]
  /** The rules of policy that apply. */
  readonly rules: readonly R[]
  /** The quotas that this can meet. */
  readonly isMet: (fault: Refusal<QuotaFault>) => fault is Refusal<Q>
}

const emptied = (dnsType: DnsType, existing: RRSet | undefined, { now }: RequestContext): RRSet =>
  existing ?? { dnsType, ttl: 0, isSystem: false, metadata: {}, rdata: [], createdAt: now, updatedAt: now }

const labelsTaken = (draft: DraftRRSet, kept: readonly Rdata[]): readonly Refusal<'rdataLabelsNotUnique'>[] =>
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

const listOf = ({ body }: RequestContext): readonly unknown[] | undefined =>
  Array.isArray(body) ? (body as unknown[]) : undefined
const NO_LIST = { malformed: [badBody('the body is a list of Rdata')] } as const

/** PUT: these and no others. */
export async function replaceRdata(context: RequestContext): Promise<HandlerResult<RdataReplaceFault>> {
  const place = await nameToChange(context, 'nameChangeForbidden')
  if ('refusals' in place) return place
  const type = pathType(context)
  if (type === undefined) return unsupported()
  const list = listOf(context)
  if (list === undefined) return NO_LIST
  const { zone, name } = place
  if (rrsetOf(name, type)?.isSystem === true)
    return refused(refuse('rrsetChangeForbidden', 'the service keeps it itself', { location: 'path' }))
  const faults = await write(
    context,
    { zone, name, before: name, type },
    { list, kept: [], rules: PUT_RDATA, isMet: isRecordQuotaFault },
  )
  return faults.length > 0 ? refused(...faults) : { ...ACCEPTED, warnings: unknownInRdata(list, '') }
}

/** POST: these too; the name is made where it is missing. */
export async function appendRdata(context: RequestContext): Promise<HandlerResult<RdataCreateFault>> {
  const zone = await zoneToChange(context)
  if ('refusals' in zone) return zone
  const wanted = (context.params['name'] ?? '').toLowerCase()
  const before = await context.store.nameAt(zone.id, wanted)
  const barred =
    before === undefined
      ? ((await mayCreate(context, zone, wanted)) ?? (await parentFaultAt(context, zone, wanted)))
      : barredFrom(context, zone, before)
  if (barred !== undefined) return refused(barred)
  const type = pathType(context)
  if (type === undefined) return unsupported()
  const list = listOf(context)
  if (list === undefined) return NO_LIST
  const name = before ?? newName(context, zone, canonicalName(wanted))
  const kept = rrsetOf(name, type)?.rdata ?? []
  const faults = await write(
    context,
    { zone, name, before, type },
    { list, kept, rules: NEW_RDATA, isMet: isQuotaFault },
  )
  return faults.length > 0 ? refused(...faults) : { ...CREATED, warnings: unknownInRdata(list, '') }
}

function barredFrom(
  { caller }: RequestContext,
  zone: Zone,
  name: Name,
): Refusal<'nameOwned' | 'nameChangeForbidden' | 'nameChangeProhibited'> | undefined {
  if (!canManageName(caller, zone, name)) return refuse('nameOwned', undefined, { location: 'path' })
  if (caller.isReadOnly) return refuse('nameChangeForbidden', undefined, { location: 'path' })
  return nameLockFault(name)
}

/** PUT by label: 200 where nothing changes, 201 where it is new, 202 where it is changed. */
export async function setRdata(context: RequestContext): Promise<HandlerResult<RdataLabelFault>> {
  const place = await nameToChange(context, 'nameChangeForbidden')
  if ('refusals' in place) return place
  const { zone, name } = place
  const type = pathType(context)
  if (type === undefined) return unsupported()
  const label = pathLabel(context)
  if (typeof label !== 'string') return label
  const existing = rrsetOf(name, type)
  const known = rdataLabelled(existing, label)
  if (known === undefined && label.startsWith('_'))
    return refused(refuse('underscoreLabelReserved', undefined, { location: 'path' }))
  if (existing?.isSystem === true)
    return refused(refuse('rdataChangeForbidden', 'the service keeps it itself', { location: 'path' }))
  if (!isObject(context.body)) return { malformed: [badBody('the body is {"value": "…"}')] }
  return setAt(context, { zone, name, before: name, type }, { label, known, body: context.body })
}

interface Wish {
  readonly label: string
  readonly known: Rdata | undefined
  readonly body: Readonly<Record<string, unknown>>
}

async function setAt(
  context: RequestContext,
  { zone, name, type }: Spot,
  { label, known, body }: Wish,
): Promise<HandlerResult<RdataLabelFault>> {
  const group = body['update_group'] ?? known?.updateGroup
  const one = {
    value: body['value'],
    label: known?.label ?? label,
    ...(group !== undefined && { update_group: group }),
  }
  const read = readRdataItem(type, one, '')
  const existing = rrsetOf(name, type)
  const others = (existing?.rdata ?? []).filter((rdata) => rdata !== known)
  const draft: DraftRRSet = { dnsType: type, metadata: {}, rdata: [read.value], pointer: '' }
  const rules = known === undefined ? PUT_RDATA : CHANGED_RDATA
  const faults = await firstFault<Refusal<RdataLabelFault>>(
    () => read.faults,
    async () => groupFaults(context, [draft]),
    () =>
      body['update_group'] !== undefined && name.updateGroup !== undefined
        ? [refuse('groupTargetAmbiguous' as const, undefined, { location: 'body', pointer: '/update_group' })]
        : [],
    async () => permitted(context, [draft], { zone, name: name.name, existing: name, rules }),
    () => valueConflicts(draft, others),
  )
  if (faults.length > 0) return refused(...faults)
  const [wanted] = draft.rdata
  if (
    known !== undefined &&
    known.value === wanted?.value &&
    (wanted.updateGroup ?? '') === (known.updateGroup ?? '')
  )
    return DONE
  const at = existing?.rdata.findIndex((rdata) => rdata === known) ?? -1
  const made = rrsetFrom(draft, [], { existing, zone, now: context.now })
  const [rdata] = made.rdata
  const all = existing?.rdata ?? []
  const list = rdata === undefined ? all : at < 0 ? [...all, rdata] : all.with(at, rdata)
  const change = { before: name, after: withRRSet(name, { ...made, rdata: list }) }
  const broken = await saveWithin(context, zone, change, isRecordQuotaFault)
  if (broken.length > 0) return refused(...broken)
  const warnings = unknownFields(body, ['value', 'update_group'])
  return known === undefined ? { ...CREATED, warnings } : { ...ACCEPTED, warnings }
}

/** Deleting the last Rdata deletes the RRSet; the name stays. */
export async function deleteRdata(context: RequestContext) {
  const place = await nameToChange(context, 'nameChangeForbidden')
  if ('refusals' in place) return place
  const rrset = rrsetAt(context, place.name)
  if ('refusals' in rrset) return rrset
  const label = context.params['label'] ?? ''
  const known = isRdataLabel(label) ? rdataLabelled(rrset, label) : undefined
  if (known === undefined)
    return refused(
      refuse('rrsetNotFound', `there is no Rdata labelled ${label.slice(0, 63)}`, { location: 'path' }),
    )
  if (known.isSystem) return refused(refuse('rdataChangeForbidden', undefined, { location: 'path' }))
  const after = withRRSet(place.name, { ...rrset, rdata: rrset.rdata.filter((one) => one !== known) })
  await context.store.saveName(after, context.now)
  return DONE
}
