import { type ErrorName, type Refusal, refuse } from '../../model/errors.ts'
import { readReplacement, type ShapeFault } from '../../model/draft.ts'
import { rrsetOf } from '../../model/tree.ts'
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
  createdLabels,
  firstFault,
  labelsOf,
  saveChecked,
  writtenRdata,
} from '../writing/writing.ts'
import { nameToChange, pathType, unsupported } from '../request/locate.ts'
import { isRecordQuotaFault, type PlaceFault, type RecordQuota } from './rrsets.ts'
import {
  completed,
  isMissing,
  isSame,
  missing,
  replaced,
  type ReplacementFault,
  replacementFaults,
} from './replacement.ts'

type RRSetReplaceFault =
  | PlaceFault
  | Extract<ErrorName, 'nameNotFound' | 'rrsetNotFound' | 'rrsetChangeForbidden'>
  | ShapeFault
  | ReplacementFault
  | StateFault
  | RecordQuota

/** PUT of an RRSet: 200 without a change, 201 for a new one, 202 for a change. What the body leaves out stays. */
export async function replaceRRSet(
  context: RequestContext<Named<'RRSetChange'>>,
): Promise<HandlerResult<RRSetReplaceFault>> {
  const place = await nameToChange(context, 'nameChangeForbidden')
  if ('refusals' in place) return place
  const type = pathType(context)
  if (type === undefined) return unsupported()
  const { zone, name } = place
  const existing = rrsetOf(name, type)
  if (existing?.isSystem === true)
    return refused(refuse('rrsetChangeForbidden', 'the service manages this RRSet', { location: 'path' }))
  const body = readBody(context)
  if ('malformed' in body) return body
  const draft = readReplacement(type, body, '')
  const change = { zone, before: name, name, drafts: [draft.value], removed: [] }
  const faults = await firstFault<Refusal<RRSetReplaceFault>>(
    () => draft.faults,
    () => (isMissing(draft.value, name) ? [missing({ location: 'path' })] : []),
    async () => replacementFaults(context, [change]),
  )
  if (faults.length > 0) return refusedWith(faults)
  const after = replaced(change, context)
  if (isSame(name, after)) return DONE
  const violations = await saveChecked(context, { zone, before: name, after }, isRecordQuotaFault)
  if (violations.length > 0) return refusedWith(violations)
  const { rdata } = body
  const warnings = [
    ...ignoredFields(context),
    ...(await changeWarnings(context, {
      zone,
      name: after,
      isNew: false,
      written: Array.isArray(rdata) ? writtenRdata(type, rdata) : [],
    })),
  ]
  const next = rrsetOf(after, type)
  const labels = next === undefined ? [] : labelsOf([completed(draft.value, name)], [next])
  return { ...(existing === undefined ? CREATED : ACCEPTED), ...createdLabels(labels), warnings }
}
