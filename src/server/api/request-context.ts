import type { Instant } from '../../base/time.ts'
import type { ErrorName, Refusal } from '../errors/errors.ts'
import type { Caller } from '../rules/access.ts'
import type { UpdateGroup } from '../rules/permission.ts'
import type { StoreWrites } from '../store/store.ts'

/** What a handler gets: who asks for what, and the store, inside the one transaction of this request. */
export interface RequestContext {
  readonly caller: Caller
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  /** Parsed JSON; undefined where there is none. */
  readonly body: unknown
  readonly store: StoreWrites
  readonly now: Instant
  /** What the service can do that is no data: secrets, its nameservers, publishing. */
  readonly service: ApiService
}

export interface ApiService {
  readonly name: string
  readonly version: string
  readonly nameservers: readonly string[]
  newKey(): { readonly username: string; readonly password: string; readonly hash: Uint8Array }
  newPassword(): { readonly password: string; readonly hash: Uint8Array }
}

export interface Warning {
  readonly code: string
  readonly title: string
  readonly detail?: string
}

export interface Success {
  readonly status: 200 | 201 | 202
  /** Without it, a CommandSuccess: only the warnings. */
  readonly data?: unknown
  readonly page?: { readonly offset: number; readonly limit: number; readonly total: number }
  readonly warnings?: readonly Warning[]
}

/** A faulty query or body, for which the specification has no code in its table. */
export interface RequestFault {
  readonly status: 400 | 402 | 403 | 404 | 409 | 429
  readonly code: string
  readonly title: string
  readonly detail?: string
  readonly location?: 'path' | 'query' | 'body' | 'header'
  readonly pointer?: string
  readonly retryAfter?: number
}

/** An API key that may do less than its account, where only the whole account may. */
export const INSUFFICIENT_SCOPE: RequestFault = {
  status: 402,
  code: '4749',
  title: 'payment or another API key is required',
  detail: 'this API key may not do that',
}

export interface Refused<R extends ErrorName> {
  readonly refusals: readonly Refusal<R>[]
}
export type HandlerResult<R extends ErrorName> =
  | Success
  | Refused<R>
  | { readonly malformed: readonly RequestFault[] }

export const refused = <R extends ErrorName>(...refusals: readonly Refusal<R>[]): Refused<R> => ({ refusals })
export const isRefused = (answer: object): answer is Refused<ErrorName> => 'refusals' in answer

export const CREATED: Success = { status: 201 }
export const ACCEPTED: Success = { status: 202 }
export const DONE: Success = { status: 200 }

/** The update groups that a request names, as far as there are any. */
export async function groupsOf(
  store: StoreWrites,
  names: readonly (string | undefined)[],
): Promise<Readonly<Record<string, UpdateGroup | undefined>>> {
  const wanted = [...new Set(names.flatMap((name) => name ?? []))]
  const found: Record<string, UpdateGroup | undefined> = {}
  for (const name of wanted) found[name] = await store.keyNamed(name)
  return found
}
