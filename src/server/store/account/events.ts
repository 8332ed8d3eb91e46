import type { Instant } from '../../../base/time.ts'
import type { AccountEventKind } from '../../model/account-events.ts'

export interface AccountEvent {
  readonly kind: AccountEventKind
  /** What it concerns: a key, a network, an address. Never a secret. */
  readonly subject: string
}

export interface StoredEvent extends AccountEvent {
  readonly id: number
  readonly at: Instant
}

/** A message that is not sent yet. */
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
  /** How the person was identified. */
  readonly credential: string
  readonly program: string
}

export interface EventReads {
  /** The newest first. */
  eventsOf(accountId: number, limit: number): Promise<readonly StoredEvent[]>
  /** The newest first. */
  signInsOf(accountId: number, limit: number): Promise<readonly StoredSignIn[]>
  /** Since then, the oldest first. */
  unsentMails(since: Instant, limit: number): Promise<readonly EventMail[]>
}

export interface EventWrites extends EventReads {
  /** Stores the event, with the message that it causes; the confirmed address of the account gets it, or this one. */
  addEvent(accountId: number, event: AccountEvent & { readonly to?: string }, now: Instant): Promise<void>
  /** Resolves with whether the account was signed in to before, but never from this network. */
  addSignIn(accountId: number, signIn: StoredSignIn): Promise<boolean>
  /** Resolves with false if another process sends it. Undefined: it was not sent after all. */
  setMailed(id: number, at: Instant | undefined): Promise<boolean>
  /** That the person reads mail at this address, if it still is that of the account. */
  confirmEmail(accountId: number, email: string): Promise<boolean>
}

/** How many of each an account has; the oldest go. */
export const MAX_ACCOUNT_EVENTS = 1000
