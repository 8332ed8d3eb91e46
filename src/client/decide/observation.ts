import type { Duration, Instant } from '../../base/time.ts'
import type { Reply } from '../../protocol/reply-codec.ts'
import type { UpdateRequest } from '../../protocol/request.ts'
import type { State } from './state.ts'

/** What the world just told us. */
export type Observation =
  | { readonly kind: 'started' }
  /** Without an account, everything; without names, all of the account's. */
  | { readonly kind: 'forced'; readonly account?: string; readonly hostnames?: readonly string[] }
  | { readonly kind: 'networkChanged' }
  | { readonly kind: 'resumed'; readonly account?: string }
  | { readonly kind: 'sighted' }
  /** Another process kept a state where ours was deleted. */
  | { readonly kind: 'found'; readonly state: State }
  /** A request is about to go out. What is remembered of it is on disk before it does. */
  | { readonly kind: 'sending'; readonly account: string; readonly request: UpdateRequest }
  | {
      readonly kind: 'answered'
      readonly account: string
      readonly sent: UpdateRequest
      readonly replies: readonly Reply[]
      readonly retryAfter?: Duration
    }
  | {
      readonly kind: 'notUnderstood'
      readonly account: string
      readonly because: string
      readonly looksLikePortal: boolean
      /** The HTTP status, where it says by itself that the service cannot answer now: 429, 5xx. */
      readonly status?: number
      readonly retryAfter?: Duration
    }
  | {
      readonly kind: 'unreached'
      readonly account: string
      readonly because: string
      /** TLS began, or may have: what is there may be an impostor, and the service must not be asked in clear instead. */
      readonly isTls: boolean
    }

/** The one thing to do next. */
export type Action =
  | { readonly kind: 'look'; readonly at: Instant }
  | {
      readonly kind: 'send'
      readonly account: string
      readonly request: UpdateRequest
      /** Which of the plan's endpoints to try. */
      readonly endpoint: number
    }
  | { readonly kind: 'halt' }
