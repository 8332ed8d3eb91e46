import type { Instant } from '../../../base/time.ts'
import type { TsigAlgorithm } from '../../../dns/tsig.ts'
import type { Credentials } from '../../../net/basic.ts'
import type { Secret } from '../../../net/secret.ts'
import type { ErrorName, Refusal } from '../../errors/errors.ts'
import type { PasswordChange } from '../../model/rows.ts'
import type { Caller } from '../../rules/access.ts'
import type { UpdateGroup } from '../../rules/permission.ts'
import type { StoreWrites } from '../../store/store.ts'
import { type FaultIdentity, REQUEST_FAULTS } from './faults.ts'

/** The input of a handler. A write has its store inside one transaction. */
export interface RequestContext {
  readonly caller: Caller
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  /** Parsed JSON; undefined without a body. */
  readonly body: unknown
  readonly store: StoreWrites
  readonly now: Instant
  readonly service: ApiService
  /** What `prepare` of the route made. */
  readonly passwordChange?: PasswordChange
}

/** The client's networks: of lockouts, and of fair shares. */
export interface ApiNetworks {
  readonly peer: string
  readonly network: string | undefined
  readonly share: string
}

/** The hashes of both passwords; undefined if the present one is wrong, `retryAfter` in seconds if it was not checked. */
export type ChangePassword = (
  present: Credentials,
  next: Secret,
  networks: ApiNetworks,
) => Promise<PasswordChange | { readonly retryAfter: number } | undefined>

/** A request before its transaction. */
export interface UnpreparedRequest {
  readonly caller: Caller
  readonly body: unknown
  readonly networks: ApiNetworks
  readonly changePassword: ChangePassword
}

export interface ApiService {
  readonly name: string
  readonly version: string
  readonly nameservers: readonly string[]
  /** Whether a zone of this name is refused because the public registers names below it. */
  isPublicSuffix(name: string): boolean
  /** Whether the service uses this name itself: for the catalog of zones. */
  isReserved(name: string): boolean
  /** Labels that only the owner of a shared zone may make, directly beneath it. */
  readonly reservedNames: readonly string[]
  newKey(): { readonly username: string; readonly password: string; readonly hash: Uint8Array }
  /** Publishes what has changed as soon as the request is done. */
  requestFlush(): void
  /** A name that no key of the secondaries has, the secret in base64, and the secret as it is stored. */
  newTsigKey(algorithm: TsigAlgorithm): {
    readonly name: string
    readonly secret: string
    readonly sealed: Uint8Array
  }
  /** The end of the block of a DDNS key for abuse, if it is in force. */
  blockEnd(key: { readonly blockedUntil?: Instant }, now: Instant): Instant | undefined
  newPassword(): { readonly password: string; readonly hash: Uint8Array }
}

export interface Warning {
  readonly code: string
  readonly title: string
  readonly detail?: string
}

/** The change is made, but may not be what is meant. */
export const unexpected = (detail: string): Warning => ({
  code: 'W1000',
  title: 'change may not be as expected',
  detail,
})

export interface Success {
  readonly status: 200 | 201 | 202
  /** Without it, a CommandSuccess: only the warnings. */
  readonly data?: unknown
  readonly page?:
    | { readonly offset: number; readonly limit: number; readonly total: number }
    | { readonly limit: number; readonly next: string | null }
  readonly warnings?: readonly Warning[]
  readonly headers?: Readonly<Record<string, string>>
}

/** A fault whose code is not in the specification's table of errors. */
export interface RequestFault extends FaultIdentity {
  readonly detail?: string
  readonly location?: 'path' | 'query' | 'body' | 'header'
  readonly pointer?: string
  readonly retryAfter?: number
}

/** The operation needs all permissions of the account; the API key is restricted (decision 0032). */
export const INSUFFICIENT_SCOPE: RequestFault = {
  ...REQUEST_FAULTS.scopeInsufficient,
  detail: 'the API key has scopes; the operation needs one without, or the password of the account',
}

export interface Refused<R extends ErrorName> {
  readonly refusals: readonly Refusal<R>[]
}
export type HandlerResult<R extends ErrorName> =
  | Success
  | Refused<R>
  | { readonly malformed: readonly RequestFault[] }

export const refused = <R extends ErrorName>(...refusals: readonly Refusal<R>[]): Refused<R> => ({ refusals })

export const CREATED: Success = { status: 201 }
export const ACCEPTED: Success = { status: 202 }
export const DONE: Success = { status: 200 }

/** The update groups that a request names, as far as they exist. */
export async function groupsOf(
  store: StoreWrites,
  names: readonly (string | undefined)[],
): Promise<Readonly<Record<string, UpdateGroup | undefined>>> {
  const groups: Record<string, UpdateGroup | undefined> = {}
  for (const name of new Set(names.flatMap((one) => one ?? []))) groups[name] = await store.keyNamed(name)
  return groups
}
