import type { Duration, Instant } from '../../base/time.ts'
import { type Credentials, formatBasic } from '../../net/basic.ts'
import { Secret } from '../../net/secret.ts'
import { SecretText, secretUrl } from '../../net/secret-text.ts'
import type { HttpOutcome, HttpStage, OutgoingRequest, ServiceHttp } from '../../ports/http.ts'
import type { ReplyDialect } from '../../protocol/dialect.ts'
import { quoteOf } from '../../protocol/quote.ts'
import { actionOf } from '../../protocol/reply.ts'
import { isOldRefusal, type Reply } from '../../protocol/reply-codec.ts'
import { formatQuery, type UpdateRequest } from '../../protocol/request.ts'
import type { RequestForm } from '../../protocol/request-form.ts'
import { MAX_REPLY_BYTES, readRestriction, readResponse } from '../../protocol/response.ts'
import type { Action, Observation } from '../decide/observation.ts'
import { parseRetryAfter } from './retry-after.ts'
import { withoutSecrets } from './secrets.ts'

/** The update service of one account: its base URLs, the credentials, and how requests are made. */
export interface ServiceEndpoint {
  readonly account: string
  /** Scheme, host and port without a path, in the order in which they are tried. */
  readonly baseUrls: readonly string[]
  readonly credentials: Credentials
  readonly userAgent: string
  /** The path of requests. */
  readonly path: string
  readonly form: RequestForm
  readonly dialect: ReplyDialect
  /** For requests of IPv6 alone, where the service has another host for them. */
  readonly ipv6BaseUrl?: string
  /** PEM of the certificate authorities to trust instead of the system's. */
  readonly authorities?: string
  readonly connectTimeout: Duration
  readonly responseTimeout: Duration
}

/** An update request, and the index of the base URL that it goes to. */
type OutgoingUpdate = Pick<Extract<Action, { kind: 'send' }>, 'request' | 'endpoint'>

interface ExchangeContext {
  readonly http: ServiceHttp
  readonly now: () => Instant
  readonly signal: AbortSignal
}

function baseUrlFor(
  { baseUrls, ipv6BaseUrl }: ServiceEndpoint,
  { request, endpoint }: OutgoingUpdate,
): string {
  const { v4, v6 } = request.addresses
  if (ipv6BaseUrl !== undefined && v4 === undefined && v6 !== undefined) return ipv6BaseUrl
  return baseUrls[endpoint] ?? baseUrls[0] ?? ''
}

/** The exact HTTP request. The password is in the Authorization header, and where a fixed parameter names it. */
export function makeHttpRequest(
  service: ServiceEndpoint,
  { request, endpoint }: OutgoingUpdate,
): OutgoingRequest {
  const baseUrl = baseUrlFor(service, { request, endpoint })
  return {
    url: new SecretText(`${baseUrl}${service.path}?`, formatQuery(request, service.form)),
    headers: {
      authorization: formatBasic(service.credentials),
      'user-agent': service.userAgent,
      accept: 'text/plain',
    },
    maxBodyBytes: MAX_REPLY_BYTES,
    connectTimeout: service.connectTimeout,
    responseTimeout: service.responseTimeout,
    ...(service.authorities !== undefined && { authorities: service.authorities }),
  }
}

/**
 * Sends one request and gives one observation: `answered` with a reply for each hostname, `notUnderstood` for any other
 * answer, `unreached` without an answer. Makes one attempt and never rejects.
 */
export async function exchange(
  service: ServiceEndpoint,
  update: OutgoingUpdate,
  { http, now, signal }: ExchangeContext,
): Promise<Observation> {
  const { account } = service
  const { request } = update
  const outcome = await withRedirect(makeHttpRequest(service, update), async (one) => http(one, signal))
  const answer = answerIn(outcome)
  const isHttps = baseUrlFor(service, update).startsWith('https:')
  if (answer === undefined) return observeNoAnswer(service, outcome, isHttps)
  const wait = parseRetryAfter(answer.headers['retry-after'], now())
  const retryAfter = wait === undefined ? {} : { retryAfter: wait }
  const read = (received: HttpAnswer): ParsedReplies | undefined =>
    (answer.isCut ? readIncomplete : readComplete)(received, request, service.dialect)
  const replies = read(answer)
  if (replies === undefined) {
    const because = outcome.kind === 'unreached' ? `${outcome.stage}: ${outcome.because}` : INCOMPLETE
    return { kind: 'unreached', account, because, isTls: isHttps }
  }
  if (!replies.ok) {
    const shown = read({ ...answer, body: masked(answer.body, service) })
    const quoted = shown === undefined || shown.ok ? replies.error.because : shown.error.because
    // Again, because without its tags a text may have a secret that was not in one piece.
    const because = masked(quoted, service)
    return { kind: 'notUnderstood', account, ...replies.error, because, ...retryAfter }
  }
  const isRefused = replies.value.some((reply) => isOldRefusal(reply, request.addresses))
  const applied = isRefused ? request.hostnames.map(() => OLD_REFUSAL) : replies.value
  return { kind: 'answered', account, sent: request, replies: applied, ...retryAfter }
}

/**
 * The outcome of a request, and of the one that a redirect asks for: to https on the same host only, once. The
 * Authorization header must not go elsewhere.
 */
async function withRedirect(
  request: OutgoingRequest,
  http: (one: OutgoingRequest) => Promise<HttpOutcome>,
): Promise<HttpOutcome> {
  const outcome = await http(request)
  const to = outcome.kind === 'answered' ? redirectOf(outcome, request.url) : undefined
  return to === undefined ? outcome : http({ ...request, url: to })
}

/** RFC 9110 §15.4, for a GET request. The address may repeat what was sent, so that only its origin may be shown. */
function redirectOf({ status, headers }: HttpAnswer, url: SecretText): SecretText | undefined {
  const { location } = headers
  const from = url.reveal()
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return undefined
  if (!URL.canParse(location, from)) return undefined
  const [to, base] = [new URL(location, from), new URL(from)]
  const isSame = to.protocol === 'https:' && to.hostname === base.hostname
  return isSame && to.username === '' && to.href !== base.href ? secretUrl(new Secret(to.href)) : undefined
}

type HttpAnswer = Extract<HttpOutcome, { kind: 'answered' }>

/** The answer, or its beginning where the time limit or a lost connection cut it off. */
function answerIn(outcome: HttpOutcome): HttpAnswer | undefined {
  if (outcome.kind === 'answered') return outcome
  return outcome.partial && { kind: 'answered', ...outcome.partial, isCut: true }
}

/** An answer, in which the service may repeat what it was sent. */
const masked = (text: string, { credentials, form }: ServiceEndpoint): string =>
  withoutSecrets(
    text,
    credentials,
    form.parameters.flatMap(([, value]) => (typeof value === 'string' ? [] : [value])),
  )

/** An answer that is not HTTP comes from the service or from something in front of it: it reached the other side. */
function observeNoAnswer(service: ServiceEndpoint, outcome: HttpOutcome, isHttps: boolean): Observation {
  if (outcome.kind === 'answered') throw new Error('the outcome holds an answer')
  const { account } = service
  const { stage, because, said = '' } = outcome
  if (stage !== 'malformed') {
    const isTls = isHttps && !BEFORE_TLS.has(stage)
    return { kind: 'unreached', account, because: `${stage}: ${because}`, isTls }
  }
  const quote = masked(quoteOf(masked(said, service)), service)
  const detail = quote === '' ? because : `${because}: ${quote}`
  return { kind: 'notUnderstood', account, because: detail, looksLikePortal: false }
}

/** At these stages no TLS peer can have answered. */
const BEFORE_TLS: ReadonlySet<HttpStage> = new Set(['look-up', 'connect'])

const INCOMPLETE = 'exchange: the connection broke off in the middle of the answer'

type ParsedReplies = ReturnType<typeof readResponse>

const readComplete = (
  answer: HttpAnswer,
  { hostnames }: UpdateRequest,
  dialect: ReplyDialect,
): ParsedReplies => readResponse(answer, hostnames.length, dialect)

/**
 * An incomplete answer can forbid but not confirm, because the missing part may continue an address (decision 0008).
 * Undefined where it does neither.
 */
function readIncomplete(
  answer: HttpAnswer,
  request: UpdateRequest,
  dialect: ReplyDialect,
): ParsedReplies | undefined {
  const replies = readComplete(answer, request, dialect)
  const isConclusive = replies.ok
    ? replies.value.every(({ word }) => actionOf(word).kind !== 'settled')
    : replies.error.status !== undefined
  if (isConclusive) return replies
  const forbidding = readRestriction(answer, dialect)
  return forbidding && { ok: true, value: request.hostnames.map(() => forbidding) }
}

/** Success with the loopback address means "ignored" in this family of services. */
const OLD_REFUSAL: Reply = { word: 'badagent', said: 'good 127.0.0.1' }
