import type { Instant } from '../../shared/base/time.ts'
import type { Html } from '../../shared/html/html.ts'
import type { Session } from '../auth/sessions.ts'
import type { Ask } from './ask.ts'
import type { Words } from './words/words.ts'

/** What a page of the console gets. */
export interface ConsoleContext {
  readonly words: Words
  /** In the path, decoded. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** Of a POST; empty for a GET. */
  readonly form: URLSearchParams
  /** Its own path, with the query. */
  readonly here: string
  readonly now: Instant
  readonly session: Session
  /** An operation of `/v1`, with the permissions of the session. */
  readonly ask: Ask
  /** See `CostCache`. */
  readonly cached: <T>(find: () => Promise<T>) => Promise<T | undefined>
  /** The address of the service, for programs: scheme, host and port. */
  readonly origin: string
}

/** What a person sees next. */
export type ConsoleResult = ShownPage | Redirection | ConsoleFile

export interface Redirection {
  readonly see: string
  /** The next page says that something was stored. */
  readonly isSaved?: true
}

export interface ShownPage {
  readonly title: string
  readonly main: Html
  /** Default: 200. */
  readonly status?: number
  /** In seconds: of a 429. */
  readonly retryAfter?: number
  /** A field of it has the focus, and not its content as a whole. */
  readonly hasFocus?: true
  /** Something on it is expected to change soon. */
  readonly isPending?: boolean
}

export interface ConsoleFile {
  readonly file: string
  readonly type: string
  readonly text: string
}

export type ConsolePage = (context: ConsoleContext) => Promise<ConsoleResult>
