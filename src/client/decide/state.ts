import type { Instant } from '../../base/time.ts'
import type { Addresses } from '../../net/address.ts'
import type { ReplyWord } from '../../protocol/reply.ts'

/** What was wrong when the service's answer obliged us to wait: a word, a status without one, or an answer that is neither. */
export type WaitCause = ReplyWord | `HTTP ${number}` | 'unrecognized-reply'

/**
 * May we speak to the service about this account? Kept on disk: a stop that a reboot forgets is not a stop.
 * `attempt` counts the failures in a row and picks the step of the ladder. `detail` is for people.
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

/** Ended by the user, or by a change of what it was about; never by time, never by a restart. */
export interface Stop {
  readonly since: Instant
  readonly because: ReplyWord
  /** Fingerprint of what the stop is about, at the time; empty where only the user's word ends it. */
  readonly about: string
  /** What the service wrote, where it is another word of the family that is obeyed like `because`. */
  readonly said?: string
}

export interface HostState {
  /** What the service last confirmed for this name. */
  readonly confirmed: Addresses
  /** When it last did. */
  readonly touched?: Instant
  /** Since when these addresses are confirmed. */
  readonly since?: Instant
  /** Sent, but not named in the answer while the other family was: not sent again until it changes. */
  readonly unechoed?: Addresses
  /** In [-1, 1]: spreads the refreshes of many names. Rolled anew at each confirmation. */
  readonly spread: number
  readonly isOffline: boolean
  /** `nohost`. */
  readonly stopped?: Stop
}

/** One request that was sent, for the pace. */
export interface Sent {
  readonly at: Instant
  /** The first of its hostnames: what stands for all of them. */
  readonly hostname: string
  /** Both addresses as one text. */
  readonly addresses: string
}

export interface AccountState {
  readonly status: AccountStatus
  readonly hosts: Readonly<Record<string, HostState>>
  /** `!donator` to a request with offline=YES: ordinary updates go on. */
  readonly offlineRefused?: Stop
  /** The requests of the last five minutes, oldest first; missing where there are none. */
  readonly recent?: readonly Sent[]
}

/** Everything that outlives the process. By account key. */
export interface State {
  readonly accounts: Readonly<Record<string, AccountState>>
}

export const NEW_HOST: HostState = { confirmed: {}, spread: 0, isOffline: false }
export const NEW_ACCOUNT: AccountState = { status: { kind: 'ready' }, hosts: {} }
export const NEW_STATE: State = { accounts: {} }

export const accountOf = (state: State, key: string): AccountState => own(state.accounts, key) ?? NEW_ACCOUNT
export const hostOf = (account: AccountState, hostname: string): HostState =>
  own(account.hosts, hostname) ?? NEW_HOST

/** A group may be called "constructor". */
const own = <T>(record: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined
