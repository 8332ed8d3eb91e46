import type { ErrorName } from '../model/errors.ts'
import type { Schema } from './openapi/schema.ts'
import type { Whole } from './openapi/schemas.ts'
import type { QueryRow } from './query/parameters.ts'
import type { ListedFault, Malformed, RequestFaultName } from './request/faults.ts'
import type { HandlerResult, Refused, RequestContext, UnpreparedRequest } from './request/context.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type SuccessStatus = 200 | 201 | 202
export type HeaderName = 'ETag' | 'Created-Labels' | 'Retry-After' | 'Allow' | 'WWW-Authenticate'

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
  /** What the query may have. */
  readonly query?: QueryRow
  /** The body of a request. */
  readonly request?: Schema
  /** Without a body everything has its default. */
  readonly isRequestOptional?: true
  /** The body of a success. */
  readonly response: Schema
  readonly statuses: readonly SuccessStatus[]
  /** Headers of a success. */
  readonly headers?: readonly HeaderName[]
  /** The faults of the handler, which the specification's table of errors does not have, beside those of every operation. */
  readonly faults?: readonly RequestFaultName[]
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
  prepare?(request: UnpreparedRequest): Promise<Prepared>
  handle(context: RequestContext): Promise<HandlerResult<R, RequestFaultName>>
}

/** What the handler gets, or why the request is refused. */
export type Prepared = Pick<RequestContext, 'passwordChange' | 'passkey'> | Malformed<RequestFaultName>

type RefusedIn<A> = A extends Refused<infer R> ? R : never
type NeverRefused<R extends ErrorName, A> =
  Exclude<R, RefusedIn<A>> extends never ? unknown : { readonly neverRefused: Exclude<R, RefusedIn<A>> }

type DataIn<A> = A extends { readonly data: infer D } ? D : never
/** The data of a response, by its schema. */
export type DataOf<S> = DataIn<Whole<S>>
type AsDescribed<A, S> = [DataIn<A>] extends [DataOf<S>]
  ? unknown
  : { readonly otherThanItsSchema: DataIn<A> }

type FaultsAs<F extends RequestFaultName, A> = [ListedFault<A>, F] extends [F, ListedFault<A>]
  ? unknown
  : { readonly faultsOf: ListedFault<A> }

/**
 * A row compiles only if it lists exactly the refusals and faults of its handler, gives the form of the body that this
 * reads, and describes what it answers (decision 0072).
 */
export const route = <
  const R extends ErrorName,
  A extends HandlerResult<NoInfer<R>, RequestFaultName>,
  S extends Schema,
  const F extends RequestFaultName = never,
  Q extends Schema = Schema,
  P extends Prepared = Record<string, never>,
>(
  row: Omit<Route<R>, 'handle' | 'prepare' | 'request' | 'response' | 'faults'> & {
    readonly request?: Q
    readonly response: S
    readonly faults?: readonly F[]
    readonly prepare?: (request: UnpreparedRequest<Whole<Q>>) => Promise<P>
    readonly handle: ((context: RequestContext<Whole<Q>>) => Promise<A>) &
      NeverRefused<R, A> &
      AsDescribed<A, S> &
      FaultsAs<NoInfer<F>, A | P>
  },
): Route & { readonly response: S } => row

/** Changes of the account, of zones and keys: those of records are refused with the zone. */
export const isAccountChange = ({ method, tag }: Route): boolean =>
  method !== 'GET' && ['Account', 'zones', 'DDNS Keys', 'API Keys', 'TSIG Keys'].includes(tag)

/** All refusals of an operation. */
export const refusalsOf = ({ refuses, isOpen }: Route): readonly ErrorName[] =>
  isOpen ? refuses : ['unauthorized', ...refuses]
