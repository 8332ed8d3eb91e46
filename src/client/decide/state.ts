import type { Instant } from '../../base/time.ts'
import type { Addresses } from '../../net/address.ts'
import type { ReplyWord } from '../../protocol/reply.ts'

/** What was wrong when the service's answer obliged us to wait. */
export type WaitCause = ReplyWord | 'not understood'

/**
 * May we speak to the service about this account? Kept on disk: a stop that a reboot forgets is not a stop.
 * `rung` counts the failures in a row and picks the step of the ladder; `cutOffs` rounds of them
 * ended with this host reaching nobody, and have a ladder of their own. `detail` is for people.
 */
export type Standing =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'waiting'
      readonly since: Instant
      readonly until: Instant
      readonly because: WaitCause
      readonly detail: string
      readonly rung: number
    }
  | {
      readonly kind: 'retrying'
      readonly since: Instant
      readonly until: Instant
      readonly detail: string
      readonly rung: number
      readonly cutOffs: number
    }
  | ({ readonly kind: 'stopped' } & Stop)

/** Ended by the user, or by a change of what it was about; never by time, never by a restart. */
export interface Stop {
  readonly since: Instant
  readonly because: ReplyWord
  /** Fingerprint of what the stop is about, at the time; empty where only the user's word ends it. */
  readonly about: string
}

export interface HostState {
  /** What the service last confirmed for this name. */
  readonly confirmed: Addresses
  /** When it last did. */
  readonly touched?: Instant
  /** In [-1, 1]: spreads the refreshes of many names. Rolled anew at each confirmation. */
  readonly spread: number
  readonly isOffline: boolean
  /** `nohost`. */
  readonly stopped?: Stop
}

export interface AccountState {
  readonly standing: Standing
  readonly hosts: Readonly<Record<string, HostState>>
  /** `!donator` to a request with offline=YES: ordinary updates go on. */
  readonly offlineRefused?: Stop
}

/** Everything that outlives the process. By account key. */
export interface State {
  readonly accounts: Readonly<Record<string, AccountState>>
}

export const NEW_HOST: HostState = { confirmed: {}, spread: 0, isOffline: false }
export const NEW_ACCOUNT: AccountState = { standing: { kind: 'ready' }, hosts: {} }
export const NEW_STATE: State = { accounts: {} }

export const accountOf = (state: State, key: string): AccountState => own(state.accounts, key) ?? NEW_ACCOUNT
export const hostOf = (account: AccountState, hostname: string): HostState =>
  own(account.hosts, hostname) ?? NEW_HOST

/** A group may be called "constructor". */
const own = <T>(record: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined
