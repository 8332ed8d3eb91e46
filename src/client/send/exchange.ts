import { between, type Duration, type Instant, instant, milliseconds, seconds } from '../../base/time.ts'
import { type Credentials, formatBasic } from '../../net/basic.ts'
import type { Http, HttpOutcome, HttpRequest, HttpStage } from '../../ports/http.ts'
import { quoteOf } from '../../protocol/quote.ts'
import { actionOf } from '../../protocol/reply.ts'
import { isOldRefusal, type Reply } from '../../protocol/reply-codec.ts'
import { formatQuery, type Ipv6Parameter, UPDATE_PATH, type UpdateRequest } from '../../protocol/request.ts'
import { MAX_REPLY_BYTES, readForbidding, readResponse } from '../../protocol/response.ts'
import type { Observation } from '../decide/observation.ts'
import { withoutSecrets } from './secrets.ts'

/** Where and as whom one account's requests are made. */
export interface ServiceEndpoint {
  readonly account: string
  /** The service's base addresses, without path, in the order they are tried. */
  readonly baseUrls: readonly string[]
  readonly credentials: Credentials
  readonly userAgent: string
  readonly ipv6Parameter: Ipv6Parameter
  readonly authorities?: string
  readonly connectTimeout: Duration
  readonly responseTimeout: Duration
}

/** The exact request, ready for the wire. The password is in the headers and nowhere else. */
export function formRequest(line: ServiceEndpoint, request: UpdateRequest, endpoint: number): HttpRequest {
  const base = line.baseUrls[endpoint] ?? line.baseUrls[0] ?? ''
  return {
    url: `${base}${UPDATE_PATH}?${formatQuery(request, line.ipv6Parameter)}`,
    headers: {
      authorization: formatBasic(line.credentials),
      'user-agent': line.userAgent,
      accept: 'text/plain',
    },
    maxBodyBytes: MAX_REPLY_BYTES,
    connectTimeout: line.connectTimeout,
    responseTimeout: line.responseTimeout,
    ...(line.authorities !== undefined && { authorities: line.authorities }),
  }
}

/** One request out, one observation back: a fact about what the service said, or about why it said nothing. */
export async function exchange(
  line: ServiceEndpoint,
  { request, endpoint }: { readonly request: UpdateRequest; readonly endpoint: number },
  { http, now }: { readonly http: Http; readonly now: () => Instant },
  signal: AbortSignal,
): Promise<Observation> {
  const { account } = line
  const outcome = await http(formRequest(line, request, endpoint), signal)
  const answer = answerIn(outcome)
  const isHttps = (line.baseUrls[endpoint] ?? '').startsWith('https:')
  if (answer === undefined) return noAnswer(line, outcome, isHttps)
  const wait = readRetryAfter(answer.headers['retry-after'], now())
  const retryAfter = wait === undefined ? {} : { retryAfter: wait }
  const read = answer.isCut ? readCut : readWhole
  const replies = read(answer, request)
  if (replies === undefined) {
    const because = outcome.kind === 'unreached' ? `${outcome.stage}: ${outcome.because}` : CUT
    return { kind: 'unreached', account, because, isTls: isHttps }
  }
  if (!replies.ok) {
    const shown = read({ ...answer, body: withoutSecrets(answer.body, line.credentials) }, request)
    const { because } = shown === undefined || shown.ok ? replies.error : shown.error
    return { kind: 'notUnderstood', account, ...replies.error, because, ...retryAfter }
  }
  const isRefused = replies.value.some((reply) => isOldRefusal(reply, request.addresses))
  const understood = isRefused ? request.hostnames.map(() => OLD_REFUSAL) : replies.value
  return { kind: 'answered', account, sent: request, replies: understood, ...retryAfter }
}

type HttpAnswer = Extract<HttpOutcome, { kind: 'answered' }>

/** The answer, or its beginning where time was up or the connection broke off in the middle of it. */
function answerIn(outcome: HttpOutcome): HttpAnswer | undefined {
  if (outcome.kind === 'answered') return outcome
  return outcome.partial && { kind: 'answered', ...outcome.partial, isCut: true }
}

/** Something that is no HTTP was seen by the service or by what stands in its place; everything else, perhaps by no one. */
function noAnswer(
  { account, credentials }: ServiceEndpoint,
  outcome: HttpOutcome,
  isHttps: boolean,
): Observation {
  if (outcome.kind === 'answered') throw new Error('an answer was heard')
  const { stage, because, said = '' } = outcome
  if (stage !== 'malformed') {
    const isTls = isHttps && !BEFORE_TLS.has(stage)
    return { kind: 'unreached', account, because: `${stage}: ${because}`, isTls }
  }
  const quote = quoteOf(withoutSecrets(said, credentials))
  const shown = quote === '' ? because : `${because}: ${quote}`
  return { kind: 'notUnderstood', account, because: shown, looksLikePortal: false }
}

/** Only here is it certain that there was no one to talk TLS to. */
const BEFORE_TLS: ReadonlySet<HttpStage> = new Set(['look-up', 'connect'])

const CUT = 'exchange: the connection broke off in the middle of the answer'

type Reading = ReturnType<typeof readResponse>

const readWhole = (answer: HttpAnswer, { hostnames }: UpdateRequest): Reading =>
  readResponse(answer, hostnames.length)

/** Half an answer can forbid, but it cannot confirm: what is missing may have been the rest of an address (decision 0008). */
function readCut(answer: HttpAnswer, request: UpdateRequest): Reading | undefined {
  const replies = readWhole(answer, request)
  const isBeyondDoubt = replies.ok
    ? replies.value.every(({ word }) => actionOf(word).kind !== 'settled')
    : replies.error.status !== undefined
  if (isBeyondDoubt) return replies
  const forbidding = readForbidding(answer)
  return forbidding && { ok: true, value: request.hostnames.map(() => forbidding) }
}

/** Success with the loopback address means "ignored" in this family of services. */
const OLD_REFUSAL: Reply = { word: 'badagent', said: 'good 127.0.0.1' }

/** RFC 9110 §10.2.3: seconds, or a date. No longer than a day, so that nobody can silence us for good. */
export function readRetryAfter(value: string | undefined, now: Instant): Duration | undefined {
  if (value === undefined) return undefined
  const span = /^\d+$/.test(value.trim())
    ? seconds(Number(value))
    : HTTP_DATE.test(value.trim()) && !Number.isNaN(Date.parse(value))
      ? between(now, instant(Date.parse(value)))
      : undefined
  return span === undefined || span < 0 ? undefined : milliseconds(Math.min(span, MAX_RETRY_AFTER))
}

/** RFC 9110 §5.6.7: with the name of a weekday. Date.parse also takes "-3600", for a year. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d/

const MAX_RETRY_AFTER = seconds(86_400)
