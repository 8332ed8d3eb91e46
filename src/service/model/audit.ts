import type { Instant } from '../../shared/base/time.ts'

/** A change made with `holdfast admin`, while the service runs or is stopped. */
export interface OperatorChange {
  readonly at: Instant
  /** The name of the user who ran it. */
  readonly operator: string
  /** As on the command line, such as `account suspend`. */
  readonly operation: string
  /** The arguments. No operation takes a secret as an argument. */
  readonly subject: string
  /** Of a zone whose content comes or goes as a whole. */
  readonly before?: string
  readonly after?: string
}

/** Where credentials are used: `/nic/update`, `/v1`, UPDATE messages, and the second factor of an account. */
type LoginEndpoint = 'update' | 'api' | 'dns' | 'factor'

/** What an operator must be able to find later: who did what, from where. Never a secret. */
export type AuditEvent =
  | {
      readonly kind: 'loginRefused'
      readonly endpoint: LoginEndpoint
      readonly peer: string
      /** As sent; undefined for an API key. */
      readonly username: string | undefined
    }
  /** The right password of an account that has or needs a second factor, at `/nic/update`: it is counted as a wrong one. */
  | { readonly kind: 'secondFactorMissing'; readonly peer: string; readonly username: string }
  /** An update has items in the place of addresses that are none. */
  | { readonly kind: 'unreadable'; readonly peer: string; readonly username: string; readonly items: string }
  | {
      readonly kind: 'lockedOut'
      readonly endpoint: LoginEndpoint
      readonly peer: string
      /** The last of the logins had the right password. */
      readonly lacksFactor?: true
    }
  /** At the website. */
  | {
      readonly kind: 'signedIn'
      readonly account: string
      readonly apiKey: number | undefined
      readonly peer: string
    }
  | { readonly kind: 'blocked'; readonly username: string; readonly peer: string; readonly until: Instant }
  | { readonly kind: 'blockEnded'; readonly username: string; readonly peer: string }
  | {
      readonly kind: 'changed'
      /** The operation of `/v1`, as in its OpenAPI document; or UPDATE. */
      readonly operation: string
      readonly account: string
      /** The number of the API key; undefined for the password of the account. */
      readonly apiKey: number | undefined
      /** The name of the TSIG key of an UPDATE. */
      readonly tsigKey?: string
      /** What was changed: the values of the path, or the name that was made. */
      readonly subject: string
      readonly peer: string
    }
  | ({ readonly kind: 'operated' } & OperatorChange)

export type Audit = (event: AuditEvent) => void
