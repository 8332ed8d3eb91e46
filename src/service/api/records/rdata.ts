import { type ErrorName, type Refusal, refuse } from '../../model/errors.ts'
import { canonicalName } from '../../model/dns-name.ts'
import { type DraftRRSet, type RdataShapeFault, readRdata } from '../../model/draft.ts'
import type { DnsType } from '../../model/rdata-values.ts'
import { type Name, type RRSet, type Rdata, type Zone, rrsetOf, withRRSet } from '../../model/tree.ts'
import { canManageName, nameLockFault, ownsName } from '../../rules/access.ts'
import {
  type TargetConflict,
  type ValueConflict,
  targetConflicts,
  valueConflicts,
} from '../../rules/conflict.ts'
import type { CreationFault, ParentFault } from '../../rules/creation.ts'
import { NEW_RDATA, PUT_RDATA, type PermissionFault, type RuleName } from '../../rules/permission.ts'
import type { QuotaFault } from '../../rules/quota.ts'
import type { StateFault } from '../../rules/state.ts'
import { badBody, unknownInRdata } from '../request/bodies.ts'
import { changeWarnings, writtenRdata } from '../writing/change-warnings.ts'
import { createdLabels, type CreatedLabels, generatedLabels } from '../writing/created-labels.ts'
import { creationFaultAt, parentFaultAt } from '../names/names.ts'
import { nameInPath, nameToChange, pathType, unsupported, zoneToChange } from '../request/locate.ts'
import { type RecordQuota, isRecordQuotaFault } from './rrsets.ts'
import {
  ACCEPTED,
  type HandlerResult,
  CREATED,
  type RequestContext,
  type Warning,
  refused,
} from '../request/context.ts'
import {
  firstFault,
  groupFaults,
  isQuotaFault,
  implicitName,
  policyFaults,
  rrsetFrom,
  saveChecked,
} from '../writing/writing.ts'

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

const listOf = ({ body }: RequestContext): readonly unknown[] | undefined =>
  Array.isArray(body) ? (body as unknown[]) : undefined
const NOT_A_LIST = { malformed: [badBody('the body is a list of Rdata')] } as const

/** PUT replaces all Rdata of the RRSet. */
export async function replaceRdata(context: RequestContext): Promise<HandlerResult<RdataReplaceFault>> {
  const place = await nameToChange(context, 'nameChangeForbidden')
  if ('refusals' in place) return place
  const type = pathType(context)
  if (type === undefined) return unsupported()
  const list = listOf(context)
  if (list === undefined) return NOT_A_LIST
  const { zone, name } = place
  if (rrsetOf(name, type)?.isSystem === true)
    return refused(refuse('rrsetChangeForbidden', 'the service manages this RRSet', { location: 'path' }))
  const { faults, labels, after } = await writeRdata(
    context,
    { zone, name, before: name, type },
    { list, kept: [], rules: PUT_RDATA, isExpected: isRecordQuotaFault },
  )
  if (faults.length > 0) return refused(...faults)
  const warnings = await warningsOf(context, { zone, name: after, before: name, type }, list)
  return { ...ACCEPTED, ...createdLabels(labels), warnings }
}

/** POST adds Rdata, and creates the name if it is missing. */
export async function appendRdata(context: RequestContext): Promise<HandlerResult<RdataCreateFault>> {
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
  const list = listOf(context)
  if (list === undefined) return NOT_A_LIST
  const name = before ?? implicitName(context, zone, canonicalName(relative))
  const kept = rrsetOf(name, type)?.rdata ?? []
  const { faults, labels, after } = await writeRdata(
    context,
    { zone, name, before, type },
    { list, kept, rules: NEW_RDATA, isExpected: isQuotaFault },
  )
  if (faults.length > 0) return refused(...faults)
  const warnings = await warningsOf(context, { zone, name: after, before, type }, list)
  return { ...CREATED, ...createdLabels(labels), warnings }
}

const warningsOf = async (
  context: RequestContext,
  { zone, name, before, type }: RRSetTarget,
  list: readonly unknown[],
): Promise<readonly Warning[]> => [
  ...unknownInRdata(list, ''),
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
