import type { Answerer, LateZones } from '../../model/publication.ts'
import type { Instant } from '../../../shared/base/time.ts'
import type { TsigAlgorithm } from '../../../shared/dns/tsig.ts'
import type { Credentials, Secret } from '../../../shared/base/secret.ts'
import type { ErrorName, Refusal } from '../../model/errors.ts'
import type { PasswordChange } from '../../model/rows.ts'
import type { Caller, UpdateGroup } from '../../rules/permission.ts'
import type { Delegation } from '../../model/delegation/delegation.ts'
import type { ZoneNameLimits } from '../../rules/zone-names.ts'
import type { OutgoingMail } from '../../../shared/base/mail.ts'
import type { Name, Zone } from '../../model/tree.ts'
import type { TrailChange } from '../../model/trail.ts'
import type { Sanction } from '../../store/account/sanctions.ts'
import type { StoredFactor } from '../../store/account/second-factors.ts'
import type { DdnsKey } from '../../store/records.ts'
import type { StoreWrites } from '../../store/store.ts'
import type { ZoneFile } from '../zones/zone-file.ts'
import type { QueryRow } from '../query/parameters.ts'
import type { Schema } from '../openapi/schema.ts'
import type { Malformed, RequestFaultName } from './faults.ts'

declare const described: unique symbol

/** The body of a request, of which `readBody` makes a B. */
export interface JsonBody<B = unknown> {
  /** Parsed JSON; undefined without a body. */
  readonly body: unknown
  /** Its schema, which describes a B; undefined for an operation without a body. */
  readonly form: Schema | undefined
  readonly [described]?: B
}

/** The input of a handler that reads a body of the form B. A write has its store inside one transaction. */
export interface RequestContext<B = unknown> extends JsonBody<B> {
  readonly caller: Caller
  /** The name of the operation, and the parameters that its query may have. */
  readonly operation: string
  readonly parameters: QueryRow
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  /** Of a route that takes a master file. */
  readonly file?: ZoneFile
  readonly store: StoreWrites
  readonly now: Instant
  readonly service: ApiService
  /** What `prepare` of the route made. */
  readonly passwordChange?: PasswordChange
  readonly passkey?: MadePasskey
}

/** What is stored of a passkey. */
interface MadePasskey extends Pick<StoredFactor, 'content' | 'counter'> {
  readonly challenge: string
  /** With which the content of every passkey with its id begins. */
  readonly start: Uint8Array
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
export interface UnpreparedRequest<B = unknown> extends JsonBody<B> {
  readonly caller: Caller
  readonly networks: ApiNetworks
  readonly changePassword: ChangePassword
  readonly newPasskey: (accountId: number, credential: unknown) => Promise<MadePasskey | undefined>
}

/** One zone at one secondary. Undefined: not known. */
export interface SecondaryState {
  /** Its name in the settings. */
  readonly server: string
  /** It signs the zone, with serials of its own. */
  readonly signs: boolean
  /** The one that it was last seen with. */
  readonly serial: number | undefined
  /** It was told a serial that it has not fetched yet. */
  readonly isBehind: boolean | undefined
  readonly checkedAt: Instant | undefined
}

/** What second factors need of the authentication; see `service/auth/second-factors.ts`. */
interface SecondFactors {
  newTotp(account: Pick<Caller['account'], 'id' | 'name'>): {
    readonly secret: string
    readonly uri: string
    readonly sealed: Uint8Array
  }
  totpStep(
    factor: Pick<StoredFactor, 'content' | 'accountId' | 'counter'>,
    given: { readonly code: string; readonly now: Instant },
  ): number | undefined
  /** See `service/auth/passkeys.ts`; undefined without a website. */
  passkeyOptions(
    account: Pick<Caller['account'], 'id' | 'name'>,
    present: readonly StoredFactor[],
    now: Instant,
  ): object | undefined
  newPasskey(accountId: number, credential: unknown, now: Instant): Promise<MadePasskey | undefined>
  /** Whether the challenge of a passkey was not used before; it is used from now on. */
  isNewChallenge(store: StoreWrites, challenge: string, now: Instant): Promise<boolean>
  newRecoveryCodes(): readonly { readonly code: string; readonly hash: Uint8Array }[]
}

/** An operation of `holdfast admin`. */
export interface OperatorRequest {
  readonly operation: string
  readonly args: readonly string[]
  readonly now: Instant
}

/** What it gives, and a message to send when it is stored; or why it is refused. */
type OperatorResult =
  | { readonly data: Readonly<Record<string, unknown>>; readonly mail?: OutgoingMail }
  | { readonly fault: string; readonly isMissing: boolean }

/** Does it in a transaction; see `service/admin`. */
export type Operate = (store: StoreWrites, request: OperatorRequest) => Promise<OperatorResult>

/** With zone_proof, a zone that an account creates is published only after its ownership is proved. */
export interface ZoneProof {
  readonly isNeeded: boolean
  /** The expected TXT value, different for each created zone. */
  value(zone: Pick<Zone, 'accountId' | 'name' | 'createdAt'>): string
  /** Marks the zone as proved, unless its id now belongs to another zone. */
  proved(zone: Pick<Zone, 'id' | 'name' | 'createdAt'>): Promise<void>
}

export interface ApiService {
  readonly name: string
  readonly version: string
  readonly nameservers: readonly string[]
  readonly zoneNames: ZoneNameLimits
  /** Labels that only the owner of a shared zone may make, directly beneath it. */
  readonly reservedNames: readonly string[]
  newKey(): { readonly username: string; readonly password: string; readonly hash: Uint8Array }
  /** Who answers queries from resolvers. */
  readonly answerer: Answerer
  lateZones(): LateZones<number>
  /** What each secondary has of a zone, as far as this node has seen it since it started. */
  secondaries(zoneId: number): readonly SecondaryState[]
  /** What the DNS gives of a zone, with these name servers of the service; undefined while too many zones are looked at. */
  delegation(
    zone: Pick<Zone, 'id' | 'name' | 'accountId' | 'serial' | 'awaitsProof'>,
    nameservers: readonly string[],
  ): Promise<Delegation | undefined>
  readonly zoneProof: ZoneProof
  /** Where account owners can ask questions. */
  readonly contact: string | undefined
  /** Publishes what has changed as soon as the request is done. */
  requestFlush(): void
  /** A name that no key of the secondaries has, the secret in base64, and the secret as it is stored. */
  newTsigKey(algorithm: TsigAlgorithm): {
    readonly name: string
    readonly secret: string
    readonly sealed: Uint8Array
  }
  /** Resolves when the name servers give these names as they are now, or after some seconds. */
  readonly whenServed: (change: ChangedNames) => Promise<void>
  /** Lets other requests go on, in the middle of long work. */
  readonly pause: () => Promise<void>
  /** The end of the block of a DDNS key for abuse, if it is in force; `sanctions` are those of its account. */
  blockEnd(
    key: Pick<DdnsKey, 'id' | 'accountId' | 'blockedUntil' | 'targets'>,
    sanctions: readonly Sanction[],
    now: Instant,
  ): Instant | undefined
  readonly secondFactors: SecondFactors
  readonly operate: Operate
  /** Resolves with why it was not sent; undefined if the mail server took it. */
  readonly sendMail: (mail: OutgoingMail) => Promise<string | undefined>
  newPassword(): { readonly password: string; readonly hash: Uint8Array }
}

/** Whose request this is: of an account, or of a network without one. */
export interface Turn {
  readonly kind: 'read' | 'write' | 'update'
  readonly key: string
  readonly isGone: (() => boolean) | undefined
}

/**
 * Begins the work of a request when its key has its turn; seconds to wait if it was not begun, because too much of that
 * key waits.
 */
export type InTurn = <T>(
  turn: Turn,
  work: () => Promise<T>,
) => Promise<{ readonly value: T } | { readonly retryAfter: number }>

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

/** F: the faults that `later` may give. */
export interface Success<F extends RequestFaultName = never> {
  readonly status: 200 | 201 | 202
  /** Without it, a CommandSuccess: only the warnings. */
  readonly data?: unknown
  /** `next`: the cursor of the next page; null if there is none. */
  readonly page?:
    | {
        readonly offset: number
        readonly limit: number
        readonly total: number
        readonly next: string | null
      }
    | { readonly limit: number; readonly next: string | null }
  readonly warnings?: readonly Warning[]
  readonly headers?: Readonly<Record<string, string>>
  /** Of a preview: what would change. */
  readonly changes?: readonly TrailChange[]
  /** Gives the result instead, after the transaction and the turn of the request: it may take seconds. */
  readonly later?: () => Promise<Success | Malformed<F>>
  /** Instead of data: the response is no JSON. Without the end of its last line. */
  readonly text?: string
  /** What is stored in steps before the response is sent. */
  readonly replacement?: ZoneReplacement
}

/** Names of a zone that were changed. */
export interface ChangedNames {
  readonly zoneId: number
  readonly apex: string
  /** Relative to the zone. */
  readonly names: readonly string[]
}

/** The next content of a zone, planned for what it has. */
export interface ZoneReplacement {
  readonly zone: Zone
  readonly stored: readonly Name[]
  readonly names: readonly Name[]
  /** Of the zone that it was planned for: see `zonePrints`. */
  readonly prints: ReadonlyMap<string, string>
}

export interface Refused<R extends ErrorName> {
  readonly refusals: readonly Refusal<R>[]
}
/** R: the refusals; F: the faults that its row lists. */
export type HandlerResult<R extends ErrorName, F extends RequestFaultName = never> =
  | Success<F>
  | Refused<R>
  | Malformed
  | Malformed<F>

export const refused = <R extends ErrorName>(refusal: Refusal<R>): Refused<R> => ({ refusals: [refusal] })
/** All of one phase, at least one. */
export const refusedWith = <R extends ErrorName>(refusals: readonly Refusal<R>[]): Refused<R> => ({
  refusals,
})

export const CREATED: Success = { status: 201 }
export const ACCEPTED: Success = { status: 202 }
export const DONE: Success = { status: 200 }

/** By their names, as far as they exist. */
export type UpdateGroups = Readonly<Record<string, UpdateGroup | undefined>>

/** The update groups that a request names. */
export async function groupsOf(
  store: StoreWrites,
  names: readonly (string | undefined)[],
): Promise<UpdateGroups> {
  const groups: Record<string, UpdateGroup | undefined> = {}
  for (const name of new Set(names.flatMap((one) => one ?? []))) groups[name] = await store.groupNamed(name)
  return groups
}
