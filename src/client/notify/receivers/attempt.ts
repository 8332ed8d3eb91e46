import { createHash } from 'node:crypto'
import { err, ok, type Result } from '../../../shared/base/result.ts'
import { type Duration, type Instant, seconds } from '../../../shared/base/time.ts'
import type { Secret } from '../../../shared/base/secret.ts'
import type { HttpOutcome, OutgoingRequest } from '../../../shared/ports/http.ts'
import { ABOUT } from '../../../shared/program/about.ts'
import { parseRetryAfter } from '../../agent/send/retry-after.ts'

/** The error says why; `isTemporary` where another attempt can help. */
export type DeliveryResult = Result<undefined, DeliveryFailure>
interface DeliveryFailure {
  readonly because: string
  readonly isTemporary: boolean
  /** The receiver asks for this pause (RFC 9110 §10.2.3). */
  readonly retryAfter?: Duration
}

/** The name of a queue that shows nothing of what may be a secret. */
export const hashed = (text: string): string => createHash('sha256').update(text).digest('base64')
export const printable = (text: string): string => text.replaceAll(/[\0-\x1f\x7f]+/g, ' ')

const HTTP_TIMEOUT = seconds(10)

export const queueOf = (url: Secret): string => hashed(url.reveal())

/** The host of an address whose rest may be a secret. */
export const webhookHost = (url: Secret): string => new URL(url.reveal()).host

export const requestOf = (headers: OutgoingRequest['headers']) => ({
  headers: { 'user-agent': `Holdfast/${ABOUT.version}`, connection: 'close', ...headers },
  maxBodyBytes: 4096,
  connectTimeout: HTTP_TIMEOUT,
  responseTimeout: HTTP_TIMEOUT,
})

/** A redirect is not followed: the token in the address would go to another host. */
export function resultOf(outcome: HttpOutcome, now: Instant): DeliveryResult {
  if (outcome.kind === 'unreached') return err({ because: outcome.because, isTemporary: true })
  const { status } = outcome
  if (status >= 200 && status < 300) return ok(undefined)
  const isTemporary = status >= 500 || status === 429 || status === 408
  const more = status >= 300 && status < 400 ? ', a redirect, which is not followed' : ''
  const retryAfter = parseRetryAfter(outcome.headers['retry-after'] ?? secondsIn(outcome.body), now)
  const because = `it answered HTTP ${status}${more}${reasonIn(outcome.body)}`
  return err({ because, isTemporary, ...(retryAfter !== undefined && { retryAfter }) })
}

/** What the receivers of `FORMATS` say in a refusal, as JSON. */
function reasonIn(body: string): string {
  const said = /"(?:description|errorDescription|message|error)"\s*:\s*"([^"\\]{1,100})"/.exec(body)?.[1]
  return said === undefined ? '' : `: ${printable(said)}`
}

/** Telegram says it in the body (ResponseParameters): {"parameters": {"retry_after": 30}}. */
const secondsIn = (body: string): string | undefined => /"retry_after"\s*:\s*(\d+)/.exec(body)?.[1]
