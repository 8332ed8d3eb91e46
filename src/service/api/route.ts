import type { ErrorName } from '../model/errors.ts'
import type {
  HandlerResult,
  Refused,
  RequestContext,
  RequestFault,
  UnpreparedRequest,
} from './request/context.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface Route<R extends ErrorName = ErrorName> {
  readonly method: Method
  /** As in the specification, after /v1. */
  readonly path: string
  readonly tag:
    | 'records'
    | 'zones'
    | 'zone_authorities'
    | 'clients'
    | 'meta'
    | 'Account'
    | 'DDNS Keys'
    | 'API Keys'
    | 'TSIG Keys'
    | 'ACME'
    | 'Operator'
  /** The summary of the operation in the OpenAPI document. */
  readonly summary: string
  /** The refusals of the handler; `unauthorized` precedes every handler and is not listed. */
  readonly refuses: readonly R[]
  /** Needs no credentials. */
  readonly isOpen?: true
  /** It reads one snapshot, with pauses; what it stores, it stores in steps. */
  readonly isLong?: true
  /** The body is a master file. */
  readonly takesFile?: true
  /** Limited per account: these operations create secrets. */
  readonly isRateLimited?: true
  /** Slow work, before the transaction and the turn of the account. */
  readonly prepare?: (request: UnpreparedRequest) => Promise<Prepared>
  readonly handle: (context: RequestContext) => Promise<HandlerResult<R>>
}

/** What the handler gets, or why the request is refused. */
export type Prepared =
  | Pick<RequestContext, 'passwordChange' | 'passkey'>
  | { readonly malformed: readonly RequestFault[] }

type RefusedIn<A> = A extends Refused<infer R> ? R : never
type NeverRefused<R extends ErrorName, A> =
  Exclude<R, RefusedIn<A>> extends never ? unknown : { readonly neverRefused: Exclude<R, RefusedIn<A>> }

/** A row compiles only if it lists exactly the refusals of its handler. Its type keeps what the handler answers. */
export const route = <const R extends ErrorName, A extends HandlerResult<NoInfer<R>>>(
  row: Omit<Route<R>, 'handle'> & {
    readonly handle: ((context: RequestContext) => Promise<A>) & NeverRefused<R, A>
  },
): Route & { readonly answers?: A } => row

/** Changes of the account, of zones and keys: those of records are refused with the zone. */
export const isAccountChange = ({ method, tag }: Route): boolean =>
  method !== 'GET' && ['Account', 'zones', 'DDNS Keys', 'API Keys', 'TSIG Keys'].includes(tag)

/** All refusals of an operation. */
export const refusalsOf = ({ refuses, isOpen }: Route): readonly ErrorName[] =>
  isOpen ? refuses : ['unauthorized', ...refuses]
