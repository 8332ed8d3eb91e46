import { type Duration, type Instant, between, instant, milliseconds, seconds } from '../../base/time.ts'
import { type Credentials, formatBasic } from '../../net/basic.ts'
import type { Http, HttpOutcome, HttpRequest } from '../../ports/http.ts'
import { isOldRefusal } from '../../protocol/reply-codec.ts'
import { mandateOf } from '../../protocol/reply.ts'
import { type Ipv6Parameter, UPDATE_PATH, type UpdateRequest, formatQuery } from '../../protocol/request.ts'
import { LONGEST_BODY, readResponse } from '../../protocol/response.ts'
import type { Observation } from '../decide/observation.ts'

/** Where and as whom one account's requests are made. */
export interface Line {
  readonly account: string
  /** The service's base addresses, without path, in the order they are tried. */
  readonly endpoints: readonly string[]
  readonly credentials: Credentials
  readonly agent: string
  readonly ipv6In: Ipv6Parameter
  readonly authorities?: string
  readonly connectWithin: Duration
  readonly answerWithin: Duration
}

/** The exact request, ready for the wire. The password is in the headers and nowhere else. */
export function formRequest(line: Line, request: UpdateRequest, endpoint: number): HttpRequest {
  const base = line.endpoints[endpoint] ?? line.endpoints[0] ?? ''
  return {
    url: `${base}${UPDATE_PATH}?${formatQuery(request, line.ipv6In)}`,
    headers: { authorization: formatBasic(line.credentials), 'user-agent': line.agent, accept: 'text/plain' },
    longestBody: LONGEST_BODY,
    connectWithin: line.connectWithin,
    answerWithin: line.answerWithin,
    ...(line.authorities !== undefined && { authorities: line.authorities }),
  }
}

/** One request out, one observation back: a fact about what the service said, or about why it said nothing. */
export async function exchange(
  line: Line,
  { request, endpoint }: { readonly request: UpdateRequest; readonly endpoint: number },
  { http, now }: { readonly http: Http; readonly now: () => Instant },
  signal: AbortSignal,
): Promise<Observation> {
  const { account } = line
  const outcome = await http(formRequest(line, request, endpoint), signal)
  const answer = heardOf(outcome, request.hostnames.length)
  if (typeof answer === 'string')
    return { kind: 'unreached', account, because: answer, isCutOff: isCutOff(outcome) }
  const wait = readRetryAfter(answer.headers['retry-after'], now())
  const retryAfter = wait === undefined ? {} : { retryAfter: wait }
  const replies = readResponse(answer, request.hostnames.length)
  if (answer.isCut && !isBeyondDoubt(replies))
    return { kind: 'unreached', account, because: CUT, isCutOff: false }
  if (!replies.ok) return { kind: 'notUnderstood', account, ...replies.error, ...retryAfter }
  if (replies.value.some((reply) => isOldRefusal(reply, request.addresses)))
    return { kind: 'notUnderstood', account, because: OLD_REFUSAL, looksLikePortal: false, ...retryAfter }
  return { kind: 'answered', account, sent: request, replies: replies.value, ...retryAfter }
}

type Heard = Extract<HttpOutcome, { kind: 'answered' }>

/** The answer, or why there is none. Time that was up in the middle of one takes back nothing that was said. */
function heardOf(outcome: HttpOutcome, count: number): Heard | string {
  if (outcome.kind === 'answered') return outcome
  const { stage, because, partial } = outcome
  if (partial === undefined || !isBeyondDoubt(readResponse(partial, count))) return `${stage}: ${because}`
  return { kind: 'answered', ...partial, isCut: true }
}

const isCutOff = (outcome: HttpOutcome): boolean => outcome.kind === 'unreached' && outcome.isCutOff === true

const CUT = 'exchange: the connection broke off in the middle of the answer'
const OLD_REFUSAL = 'good 127.0.0.1 for another address'

/** Half an answer can forbid, but it cannot confirm: what is missing may have been the rest of an address. */
const isBeyondDoubt = (replies: ReturnType<typeof readResponse>): boolean =>
  replies.ok && replies.value.every(({ word }) => mandateOf(word).kind !== 'settled')

/** RFC 9110 §10.2.3: seconds, or a date. No longer than a day, so that nobody can silence us for good. */
export function readRetryAfter(value: string | undefined, now: Instant): Duration | undefined {
  if (value === undefined) return undefined
  const date = Date.parse(value)
  const span = /^\d+$/.test(value.trim())
    ? seconds(Number(value))
    : Number.isNaN(date)
      ? undefined
      : between(now, instant(date))
  return span === undefined || span < 0 ? undefined : milliseconds(Math.min(span, LONGEST_RETRY_AFTER))
}

const LONGEST_RETRY_AFTER = seconds(86_400)
