import { type Refusal, refuse } from '../../model/errors.ts'
import { type DraftRRSet, isRdataLabel, type RdataValueFault, readRdataItem } from '../../model/draft.ts'
import { type Rdata, rdataLabelled, rrsetOf, withRRSet } from '../../model/tree.ts'
import { type ValueConflict, valueConflicts } from '../../rules/conflict.ts'
import { CHANGED_RDATA, type PermissionFault, PUT_RDATA, typeFault } from '../../rules/permission.ts'
import type { StateFault } from '../../rules/state.ts'
import type { Named } from '../openapi/schemas.ts'
import { ignoredFields, readBody } from '../request/body.ts'
import {
  ACCEPTED,
  CREATED,
  DONE,
  type HandlerResult,
  refused,
  refusedWith,
  type RequestContext,
} from '../request/context.ts'
import {
  changeWarnings,
  firstFault,
  groupFaults,
  policyFaults,
  removeChecked,
  rrsetFrom,
  saveChecked,
  writtenRdata,
} from '../writing/writing.ts'
import { nameToChange, pathLabel, pathType, rrsetAt, unsupported } from '../request/locate.ts'
import { isRecordQuotaFault, type PlaceFault, type RecordQuota, type RRSetTarget } from './rrsets.ts'

type RdataLabelFault =
  | PlaceFault
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

/** PUT by label: 200 without a change, 201 for new Rdata, 202 for a change. */
export async function setRdata(
  context: RequestContext<Named<'RdataChange'>>,
): Promise<HandlerResult<RdataLabelFault>> {
  const place = await nameToChange(context, 'nameChangeForbidden')
  if ('refusals' in place) return place
  const { zone, name } = place
  const type = pathType(context)
  if (type === undefined) return unsupported()
  const label = pathLabel(context)
  if (typeof label !== 'string') return label
  const existing = rrsetOf(name, type)
  const current = rdataLabelled(existing, label)
  if (current === undefined && label.startsWith('_'))
    return refused(refuse('underscoreLabelReserved', undefined, { location: 'path' }))
  if (existing?.isSystem === true)
    return refused(refuse('rdataChangeForbidden', 'the service manages this RRSet', { location: 'path' }))
  const body = readBody(context)
  if ('malformed' in body) return body
  return writeItem(context, { zone, name, before: name, type }, { label, current, body })
}

interface ItemWrite {
  readonly label: string
  /** The Rdata with this label, if it exists. */
  readonly current: Rdata | undefined
  readonly body: Named<'RdataChange'>
}

async function writeItem(
  context: RequestContext,
  { zone, name, type }: RRSetTarget,
  { label, current, body }: ItemWrite,
): Promise<HandlerResult<RdataLabelFault>> {
  const group = body.update_group ?? current?.updateGroup
  const one = {
    value: body.value,
    label: current?.label ?? label,
    ...(group !== undefined && { update_group: group }),
  }
  const parsed = readRdataItem(type, one, '')
  const existing = rrsetOf(name, type)
  const others = (existing?.rdata ?? []).filter((rdata) => rdata !== current)
  const draft: DraftRRSet = { dnsType: type, metadata: {}, rdata: [parsed.value], pointer: '' }
  const rules = current === undefined ? PUT_RDATA : CHANGED_RDATA
  const faults = await firstFault<Refusal<RdataLabelFault>>(
    () => parsed.faults,
    async () => groupFaults(context, [draft]),
    () =>
      body.update_group !== undefined && name.updateGroup !== undefined
        ? [refuse('groupTargetAmbiguous' as const, undefined, { location: 'body', pointer: '/update_group' })]
        : [],
    async () => policyFaults(context, [draft], { zone, name: name.name, existing: name, rules }),
    () => valueConflicts(draft, others),
  )
  if (faults.length > 0) return refusedWith(faults)
  const [next] = draft.rdata
  const isUnchanged =
    current !== undefined && current.value === next?.value && current.updateGroup === next.updateGroup
  if (isUnchanged) return DONE
  const rrset = rrsetFrom(draft, [], { existing, zone, now: context.now })
  const rdata = replaced(existing?.rdata ?? [], current, rrset.rdata)
  const change = { zone, before: name, after: withRRSet(name, { ...rrset, rdata }) }
  const violations = await saveChecked(context, change, isRecordQuotaFault)
  if (violations.length > 0) return refusedWith(violations)
  const written = writtenRdata(type, [body])
  const warnings = [
    ...ignoredFields(context),
    ...(await changeWarnings(context, { zone, name: change.after, isNew: false, written })),
  ]
  return current === undefined ? { ...CREATED, warnings } : { ...ACCEPTED, warnings }
}

/** The list with `next` at the place of `current`, or at its end. */
function replaced(
  list: readonly Rdata[],
  current: Rdata | undefined,
  next: readonly Rdata[],
): readonly Rdata[] {
  const at = list.findIndex((rdata) => rdata === current)
  return at < 0 ? [...list, ...next] : list.toSpliced(at, 1, ...next)
}

/** Deletes the RRSet with its last Rdata, and an implicit name with its last RRSet. */
export async function deleteRdata(context: RequestContext) {
  const place = await nameToChange(context, 'nameChangeForbidden')
  if ('refusals' in place) return place
  const rrset = rrsetAt(context, place.name)
  if ('refusals' in rrset) return rrset
  const label = context.params['label'] ?? ''
  const current = isRdataLabel(label) ? rdataLabelled(rrset, label) : undefined
  if (current === undefined)
    return refused(
      refuse('rrsetNotFound', `no Rdata with the label ${label.slice(0, 63)}`, { location: 'path' }),
    )
  const fault = typeFault(context.caller, rrset.dnsType, 'rdataChangeForbidden')
  if (fault !== undefined) return refused(fault)
  if (current.isSystem) return refused(refuse('rdataChangeForbidden', undefined, { location: 'path' }))
  const rdata = rrset.rdata.filter((one) => one !== current)
  const after = withRRSet(place.name, { ...rrset, rdata, updatedAt: context.now })
  return removeChecked(context, { zone: place.zone, before: place.name, after })
}
