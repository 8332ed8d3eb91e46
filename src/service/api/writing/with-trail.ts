import type { Instant } from '../../../shared/base/time.ts'
import type { ErrorName } from '../../model/errors.ts'
import type { TrailChange, TrailEntry } from '../../model/trail.ts'
import type { Caller } from '../../rules/access.ts'
import type { StoreWrites } from '../../store/store.ts'
import type { HandlerResult, RequestContext, Success } from '../request/context.ts'
import { recorded } from './recorded.ts'

interface TrailedWork<R> {
  readonly entry: Omit<TrailEntry, 'subject'>
  readonly work: (store: StoreWrites) => Promise<R>
  /** What a change is of that has no RRSets. */
  readonly subjectOf: (done: Success) => string
}

/** Does a change in the transaction, and notes what it changed in the trail; nothing where it was refused. */
export async function withTrail<R extends HandlerResult<ErrorName>>(
  w: StoreWrites,
  { entry, work, subjectOf }: TrailedWork<R>,
): Promise<{ readonly result: R; readonly changes: readonly TrailChange[] }> {
  const recording = recorded(w)
  const result = await work(recording.store)
  if (!('status' in result)) return { result, changes: [] }
  const changes = recording.changes(subjectOf(result))
  await w.addTrail(changes.map((change) => ({ ...entry, ...change })))
  return { result, changes }
}

/** Who made a change, from where. */
export const trailHead = (
  { account, apiKeyId, tsigKey }: Pick<Caller, 'account' | 'apiKeyId' | 'tsigKey'>,
  { at, peer, operation }: { readonly at: Instant; readonly peer: string; readonly operation: string },
): Omit<TrailEntry, 'subject'> => ({
  at,
  accountId: account.id,
  isUpdate: false,
  actor: actorOf(account.name, apiKeyId, tsigKey),
  peer,
  operation,
})

function actorOf(account: string, apiKeyId: number | undefined, tsigKey: string | undefined): string {
  if (tsigKey !== undefined) return `TSIG key ${tsigKey}`
  return apiKeyId === undefined ? `account ${account}` : `API key ${apiKeyId}`
}

/** What a request changed: the values of its path, else what it made, else the account. */
export function requestSubject(
  { caller, params, body }: Pick<RequestContext, 'caller' | 'params' | 'body'>,
  data: unknown,
): string {
  const made = { ...(body as object | undefined), ...(data as object | undefined) } as Readonly<
    Record<string, unknown>
  >
  const named = [made['zone_name'], made['name'], made['username']].filter((one) => typeof one === 'string')
  const all = [...Object.values(params), ...named]
  if (all.length > 0) return all.join(' ')
  // An API key has no name.
  return typeof made['id'] === 'number' ? String(made['id']) : caller.account.name
}
