import { canonicalName } from '../model/dns-name.ts'
import type { TrailEntry } from '../model/trail.ts'
import type { Store } from '../store/store.ts'
import { refuse } from '../model/errors.ts'
import {
  type HandlerResult,
  refused,
  type RequestContext,
  type Success,
  type ZoneReplacement,
} from './request/context.ts'
import { faulty, type RequestFaultName } from './request/faults.ts'
import type { Route } from './route.ts'
import { readZoneFile } from './zones/zone-file.ts'
import { preconditionFault } from './answer/precondition.ts'

/** Why the content of a zone was not replaced; nothing was changed then. */
type ReplacementFailure =
  | 'gone'
  | 'locked'
  | 'another import'
  | 'not rendered'
  | { readonly retryAfter: number }

/** Stores the next content of a zone in steps, each in its turn, and the entry of the trail with the last one. */
export type ReplaceZone = (
  replacement: ZoneReplacement,
  options: {
    readonly inTurn: StepTurn
    readonly entry: (serial: number) => TrailEntry
  },
) => Promise<'replaced' | ReplacementFailure>

/** Does a step when it is the turn of the request; seconds to wait if it was not begun. */
type StepTurn = <T>(
  step: () => Promise<T>,
) => Promise<{ readonly value: T } | { readonly retryAfter: number }>

interface LongRequest {
  readonly route: Route
  readonly ifMatch: string | undefined
  /** Of the body. */
  readonly parts: readonly Uint8Array[]
}

/** Reads one snapshot, which has all of a zone as it is at one moment; other requests go on meanwhile. */
export async function runLongRoute(
  store: Pick<Store, 'snapshot'>,
  context: Omit<RequestContext, 'store'>,
  { route, ifMatch, parts }: LongRequest,
): Promise<Awaited<ReturnType<Route['handle']>>> {
  const { params, service } = context
  const file = route.takesFile
    ? await readZoneFile(parts, canonicalName(params['zone_name'] ?? ''), service.pause)
    : undefined
  return store.snapshot(async (reading) => {
    const whole = {
      ...context,
      ...(file !== undefined && { file }),
      store: reading as unknown as RequestContext['store'],
    }
    const fault = route.method === 'GET' ? undefined : await preconditionFault(whole, { ifMatch })
    return fault ?? route.handle(whole)
  })
}

/** The row of an import in the trail. */
export const importEntry =
  (entry: Omit<TrailEntry, 'subject'>, { zone, stored, names }: ZoneReplacement) =>
  (serial: number): TrailEntry => ({
    ...entry,
    subject: zone.name,
    before: `${stored.length} names, serial ${zone.serial}`,
    after: `${names.length} names, serial ${serial}`,
  })

/** In seconds. The draft of an import that was ended is given up in a minute. */
const WAITS = { gone: 1, 'another import': 10, 'not rendered': 10 } as const
const DETAILS = {
  gone: 'the zone was removed or replaced since the import began; nothing was imported',
  'another import': 'another import into this zone is under way, or was ended less than a minute ago',
  'not rendered': 'the names could not be published yet; nothing was imported',
} as const

/** The result of a request whose replacement was tried. */
export function replacementResult(
  result: Success<RequestFaultName>,
  outcome: 'replaced' | ReplacementFailure,
): HandlerResult<'nameChangeProhibited', RequestFaultName> {
  if (outcome === 'replaced') return result
  if (outcome === 'locked')
    return refused(refuse('nameChangeProhibited', 'the operator has locked or blocked one of its names'))
  return typeof outcome === 'string'
    ? faulty('storeBusy', { detail: DETAILS[outcome], retryAfter: WAITS[outcome] })
    : faulty('overShare', outcome)
}
