import type { Duration, Instant } from '../base/time.ts'
import type { Secret } from '../base/secret.ts'

/** One message to people, and the server that takes it (RFC 6409). */
export interface Mail {
  readonly host: string
  readonly port: number
  /** TLS from the first octet (RFC 8314 §3). Otherwise STARTTLS, where the server has it. */
  readonly isImplicitTls: boolean
  /** Nothing is sent without TLS. */
  readonly mustEncrypt: boolean
  readonly login: { readonly username: string; readonly password: Secret } | undefined
  readonly from: string
  readonly to: string
  readonly subject: string
  readonly text: string
  /** The left part of the Message-ID: the same in each attempt. */
  readonly id: string
  readonly at: Instant
  /** For each step, such as the greeting. */
  readonly timeout: Duration
  readonly wholeTimeout: Duration
}

/** `isTemporary`: another attempt can help (RFC 5321 §4.2.1). */
export type MailOutcome =
  | { readonly kind: 'sent' }
  | { readonly kind: 'failed'; readonly because: string; readonly isTemporary: boolean }

/** Never rejects, and shows no password. */
export type SendMail = (mail: Mail, signal: AbortSignal) => Promise<MailOutcome>
