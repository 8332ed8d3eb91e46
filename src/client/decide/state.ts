import type { Instant } from '../../shared/base/time.ts'
import type { Address, Addresses, Family } from '../../shared/base/address.ts'
import type { ReplyWord } from '../../shared/protocol/reply.ts'

/** The reason for a wait: a reply word, an HTTP status without one, or a reply that is neither. */
export type WaitCause = ReplyWord | `HTTP ${number}` | 'unrecognized-reply'

/**
 * Whether requests for this account are allowed. Saved on disk, so that a stop outlives a restart. `attempt` is the
 * number of consecutive failures and selects the delay (`backoff.ts`). `detail` is text for users.
 */
export type AccountStatus =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'waiting'
      readonly since: Instant
      readonly until: Instant
      readonly because: WaitCause
      readonly detail: string
      readonly attempt: number
    }
  | {
      readonly kind: 'retrying'
      readonly since: Instant
      readonly until: Instant
      readonly detail: string
      readonly attempt: number
    }
  | ({ readonly kind: 'stopped' } & Stop)

/** Ended by the user or by a change of the settings that caused it; never by time or a restart. */
export interface Stop {
  readonly since: Instant
  readonly because: ReplyWord
  /** The fingerprint of the settings that caused the stop; empty where only `resume` ends it. */
  readonly about: string
  /** The word of the reply, where it is another word of the protocol family with the same required action as `because`. */
  readonly said?: string
  /** The service's own explanation, for a person. */
  readonly quote?: string
}

export type Moments = Readonly<Partial<Record<Family, Instant>>>

export interface Unanswered {
  /** The last address of each family that differs from the confirmed one. */
  readonly addresses: Addresses
  /** A request to set the hostname offline has no answer. */
  readonly isOffline: boolean
  /** A request to set it online again has no answer. */
  readonly isOnline: boolean
}

export interface HostState {
  /** The addresses that the service confirmed last. */
  readonly confirmed: Addresses
  /** Those that it confirmed before an update was forced: a service may delete what the next request does not name. */
  readonly earlier?: Addresses
  /** From requests without an answer: the service may have stored it. */
  readonly unanswered?: Unanswered
  /** When it confirmed each family last, where each has a request of its own. A confirmed family without a moment is due. */
  readonly touchedBy?: Moments
  /** When it confirmed them last. */
  readonly touched?: Instant
  /** Since when these addresses are confirmed. */
  readonly since?: Instant
  /** Addresses that were missing in a reply with the other family; not sent again until they change. */
  readonly unechoed?: Addresses
  /** What the last answer named in the place of an address that was sent. */
  readonly answered?: Addresses
  /** The DNS gives addresses of the service for it, as a proxy does: the service alone can say what it leads to. */
  readonly isProxied?: true
  /** In [-1, 1]: spreads the refreshes of many names. Random at each confirmation. */
  readonly spread: number
  readonly isOffline: boolean
  /** `nohost`. */
  readonly stopped?: Stop
}

/** A request in the window of the pace. */
export interface Sent {
  readonly at: Instant
  /** The first of its hostnames, which represents all. */
  readonly hostname: string
  /** The addresses, separated by commas. */
  readonly addresses: string
}

export interface AccountState {
  readonly status: AccountStatus
  readonly hosts: Readonly<Record<string, HostState>>
  /** After `!donator` to a request with offline=YES; ordinary updates continue. */
  readonly offlineRefused?: Stop
  /** When the user resumed it last: what stopped it before is over, also for a process that does not know. */
  readonly resumed?: Instant
  /** The requests of the last five minutes, oldest first; missing without any. */
  readonly recent?: readonly Sent[]
}

/** A way to the internet: what tells it from another one. */
export interface Line {
  readonly interface: string
  readonly gateway?: Address
  /** Of the gateway: the same router by cable and by Wi-Fi. IPv4 only. */
  readonly mac?: string
  /** The address that the kernel sends from. Of a saved line over IPv4 with a gateway it is missing: leases come and go. */
  readonly source?: Address
}

/** Saved so that a restart behind a VPN does not adopt the VPN as the home line. */
export interface SavedLines {
  /** The line whose address may be published. */
  readonly home: Line
  /** Lines that were home before. */
  readonly known: readonly Line[]
  /** What has answered on the home line: only there is silence a sign. */
  readonly heard: readonly ('gateway' | 'beyond' | 'word')[]
}

/** The saved state. */
export interface State {
  /** By account key. */
  readonly accounts: Readonly<Record<string, AccountState>>
  readonly lines?: Readonly<Partial<Record<Family, SavedLines>>>
}

export const READY: AccountStatus = { kind: 'ready' }
export const NEW_HOST: HostState = { confirmed: {}, spread: 0, isOffline: false }
export const NEW_ACCOUNT: AccountState = { status: READY, hosts: {} }
export const NEW_STATE: State = { accounts: {} }

export const accountOf = (state: State, key: string): AccountState => own(state.accounts, key) ?? NEW_ACCOUNT
export const hostOf = (account: AccountState, hostname: string): HostState =>
  own(account.hosts, hostname) ?? NEW_HOST

/** A hostname may be "constructor", which every object inherits. */
const own = <T>(record: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined
