import type { Instant } from '../../../shared/base/time.ts'
import type { ListedPage, Page } from '../../model/query.ts'

/** A person who has signed in at the website. */
export interface StoredSession {
  readonly id: number
  readonly accountId: number
  /** The API key that it was opened with, whose permissions it has; undefined for the password of the account. */
  readonly apiKeyId?: number
  readonly createdAt: Instant
  readonly seenAt: Instant
  /** When the person last gave the password or the API key. */
  readonly provedAt: Instant
  /** The second factor is missing: nothing may be done but giving it. */
  readonly needsFactor: boolean
  /** The address of the browser when it was opened, and its User-Agent. */
  readonly peer: string
  readonly program: string
}

export interface SessionReads {
  /** `hash`: of its secret, which only the browser has. */
  sessionByHash(hash: Uint8Array): Promise<StoredSession | undefined>
  /** The newest first, without those that are over. */
  sessionsOf(accountId: number, page: Page, over: SessionTimes): Promise<ListedPage<StoredSession>>
}

/** Sessions that began, or were last seen, before these times are over. */
interface SessionTimes {
  readonly created: Instant
  readonly seen: Instant
}

interface SessionLimits extends SessionTimes {
  /** Of one account, opened in the same way; the oldest go. */
  readonly max: number
  /** How the user authenticated, for the list of sign-ins. */
  readonly credential: string
}

export interface SessionWrites extends SessionReads {
  /** Resolves with its id. Forgets all sessions that are over. */
  addSession(
    session: Omit<StoredSession, 'id'> & { readonly hash: Uint8Array },
    over: SessionLimits,
  ): Promise<number>
  touchSession(id: number, now: Instant): Promise<void>
  /** Gives it another secret, after a proof; with `hasFactor` it needs no second factor any more. */
  renewSession(
    id: number,
    hash: Uint8Array,
    proof: { readonly provedAt: Instant; readonly hasFactor: boolean },
  ): Promise<void>
  /** The password alone is not enough any more: all that were opened with it but this one need the second factor. */
  needFactor(accountId: number, except: number | undefined): Promise<void>
  /** All of the account but this one. */
  removeOtherSessions(accountId: number, except: number | undefined): Promise<void>
  /** Resolves with whether the account had it. */
  removeSession(id: number, accountId: number): Promise<boolean>
}
