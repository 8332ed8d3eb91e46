import type { TrailEntry } from '../../model/trail.ts'
import type { RequestContext } from '../request/context.ts'

/** What an entry of the trail says of the request. */
export const requestEntry = (
  { caller, now }: Pick<RequestContext, 'caller' | 'now'>,
  peer: string,
  operation: string,
): Omit<TrailEntry, 'subject'> => ({
  at: now,
  accountId: caller.account.id,
  isUpdate: false,
  actor: caller.apiKeyId === undefined ? `account ${caller.account.name}` : `API key ${caller.apiKeyId}`,
  peer,
  operation,
})

/** What a request changed: the values of its path, else what it made. */
export function requestSubject(
  params: Readonly<Record<string, string>>,
  body: unknown,
  data: unknown,
): string {
  const made = { ...(body as object | undefined), ...(data as object | undefined) } as Readonly<
    Record<string, unknown>
  >
  const named = [made['zone_name'], made['name'], made['username']].filter((one) => typeof one === 'string')
  const all = [...Object.values(params), ...named]
  // An API key has no name.
  return all.length === 0 && typeof made['id'] === 'number' ? String(made['id']) : all.join(' ')
}
