import type { Instant } from '../../../shared/base/time.ts'
import type { AccountEventKind } from '../../model/account-events.ts'

interface AccountEvent {
  readonly kind: AccountEventKind
  /** A key, a network or an address; never a secret. */
  readonly subject: string
}

export interface StoredEvent extends AccountEvent {
  readonly id: number
  readonly at: Instant
}

/** An unsent message. */
export interface EventMail extends StoredEvent {
  readonly accountId: number
  readonly account: string
  readonly to: string
}

export interface StoredSignIn {
  readonly at: Instant
  /** /24 or /48. */
  readonly network: string
  readonly peer: string
  /** How the user authenticated. */
  readonly credential: string
  readonly program: string
}

export interface EventReads {
  /** Newest first. */
  eventsOf(accountId: number, limit: number): Promise<readonly StoredEvent[]>
  /** Newest first. */
  signInsOf(accountId: number, limit: number): Promise<readonly StoredSignIn[]>
  /** Oldest first. */
  unsentMails(since: Instant, limit: number): Promise<readonly EventMail[]>
}

export interface EventWrites extends EventReads {
  /** Stores the event and its message, to `to` or else to the confirmed address of the account. */
  addEvent(accountId: number, event: AccountEvent & { readonly to?: string }, now: Instant): Promise<void>
  /** Resolves with true if this network is new and the account has earlier sign-ins. */
  addSignIn(accountId: number, signIn: StoredSignIn): Promise<boolean>
  /** Claims the message; resolves with false if another process has. Undefined releases it after a failure. */
  setMailed(id: number, at: Instant | undefined): Promise<boolean>
  /** Resolves with false if the account has a different address now. */
  confirmEmail(accountId: number, email: string): Promise<boolean>
}

/** Per account; the oldest rows are deleted. */
export const MAX_ACCOUNT_EVENTS = 1000
