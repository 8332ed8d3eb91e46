import type { Duration, Instant } from '../../shared/base/time.ts'
import type { UpdateRequest } from '../../shared/protocol/request.ts'
import type { State } from './state.ts'
import type { Reply } from '../../shared/protocol/reply-codec.ts'

/** An input of the client's step. */
export type Observation =
  | { readonly kind: 'started' }
  /** `--force`: without an account, all accounts; without hostnames, all of the account. */
  | { readonly kind: 'forced'; readonly account?: string; readonly hostnames?: readonly string[] }
  | { readonly kind: 'networkChanged' }
  | { readonly kind: 'resumed'; readonly account?: string }
  | { readonly kind: 'sighted' }
  /** The state file was deleted, and another process saved a new one. */
  | { readonly kind: 'found'; readonly state: State }
  /** A request is about to be sent. It is recorded in the state file first. */
  | { readonly kind: 'sending'; readonly account: string; readonly request: UpdateRequest }
  | {
      readonly kind: 'answered'
      readonly account: string
      readonly sent: UpdateRequest
      readonly replies: readonly Reply[]
      readonly retryAfter?: Duration
      /** The answer is that of https, to which http leads. */
      readonly isMoved?: true
    }
  | {
      readonly kind: 'notUnderstood'
      readonly account: string
      readonly because: string
      readonly looksLikePortal: boolean
      /** The HTTP status, where it alone means that the service cannot answer now: 429, 5xx. */
      readonly status?: number
      readonly retryAfter?: Duration
      readonly isMoved?: true
    }
  | {
      readonly kind: 'unreached'
      readonly account: string
      readonly because: string
      /** TLS started, or may have: the peer may be an impostor, so no request without TLS may follow. */
      readonly isTls: boolean
      readonly isMoved?: true
    }

export type ObservationOf<K extends Observation['kind']> = Extract<Observation, { readonly kind: K }>

/** The time of a step, and a random number in [0, 1) for jitter. */
export interface Moment {
  readonly now: Instant
  readonly random: number
}

/** The next action of the client. */
export type Action =
  | { readonly kind: 'look'; readonly at: Instant }
  | {
      readonly kind: 'send'
      readonly account: string
      readonly request: UpdateRequest
      /** The index of the service endpoint. */
      readonly endpoint: number
    }
  | { readonly kind: 'halt' }
