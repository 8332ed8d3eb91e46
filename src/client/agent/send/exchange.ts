import {
  after,
  between,
  type Duration,
  type Instant,
  isBefore,
  milliseconds,
} from '../../../shared/base/time.ts'
import { type Credentials, Secret, type SecretText, secretUrl } from '../../../shared/base/secret.ts'
import type { HttpOutcome, HttpStage, OutgoingRequest, ServiceHttp } from '../../../shared/ports/http.ts'
import { quoteOf } from '../../../shared/protocol/said-text.ts'
import { isAddressedWord } from '../../../shared/protocol/reply.ts'
import type { Observation } from '../../decide/observation.ts'
import { ownWords } from '../../services/protocols/json.ts'
import {
  isDnsStep,
  isStep,
  type OutgoingUpdate,
  type ServiceAnswer,
  type Step,
  type StepOutcome,
  type StepRequest,
  type UpdateProtocol,
} from '../../services/protocols/protocol.ts'
import { dnsExchange, type DnsSending, nameServerUrl } from './dns-exchange.ts'
import { parseRetryAfter } from './retry-after.ts'
import { withoutSecrets } from './secrets.ts'
import type { Reply } from '../../../shared/protocol/reply-codec.ts'

/** The update service of one account. */
export interface ServiceEndpoint {
  readonly account: string
  readonly protocol: UpdateProtocol
  readonly credentials: Credentials
  /** What else an answer may repeat, and nothing shows. */
  readonly secrets: readonly Secret[]
  /** PEM of the certificate authorities to trust instead of the system's. */
  readonly authorities?: string
  readonly connectTimeout: Duration
  readonly responseTimeout: Duration
}

interface ExchangeContext {
  readonly http: ServiceHttp
  readonly now: () => Instant
  readonly pause: (span: Duration) => Promise<void>
  readonly dns: DnsSending
  readonly signal: AbortSignal
}

/** Requests of one exchange; all of them together have the time of three. */
const [MAX_STEPS, MAX_TIMES] = [4, 3]
/** When each protocol with a gap sent last. */
const sentAt = new WeakMap<UpdateProtocol, Instant>()

/** Where the first request of an exchange goes, without its secrets. */
export const addressOf = ({ protocol }: ServiceEndpoint, update: OutgoingUpdate): string => {
  const step = protocol.begin(update)
  return isStep(step) ? String(step.request.url) : nameServerUrl(step)
}

/**
 * Sends the requests of one exchange and gives one observation: `answered` with a reply for each hostname, `notUnderstood`
 * for any other answer, `unreached` without an answer. Makes one attempt of each and never rejects.
 */
export async function exchange(
  service: ServiceEndpoint,
  update: OutgoingUpdate,
  { http, now, pause, dns, signal }: ExchangeContext,
): Promise<Observation> {
  const end = after(now(), milliseconds(MAX_TIMES * service.responseTimeout))
  const first = service.protocol.begin(update)
  if (isDnsStep(first)) return dnsExchange(service, { update, first }, { ...dns, signal })
  let step = first
  for (let nth = 1; ; nth++) {
    await keepGap(service.protocol, { now, pause })
    const request = wholeRequest(service, step.request, between(now(), end))
    const send = async (one: OutgoingRequest): Promise<HttpOutcome> => http(one, signal)
    const { outcome, isMoved } = await (step.mayMove === true
      ? withRedirect(request, send)
      : unmoved(send(request)))
    const answer = answerIn(outcome)
    const next = answer && step.read(answer)
    if (next === undefined || ('kind' in next && next.kind !== 'answered')) service.protocol.forget?.()
    if (answer === undefined || next === undefined)
      return withMove(observeNoAnswer(service, outcome, isMoved || isHttps(request)), isMoved)
    if (!isStep(next)) {
      const seen = observed({ service, update, step, answer, outcome, now: now() }, next)
      return withMove(seen, isMoved)
    }
    if (nth === MAX_STEPS) throw new Error(`an exchange has more than ${MAX_STEPS} requests`)
    step = next
  }
}

async function keepGap(
  protocol: UpdateProtocol,
  { now, pause }: Pick<ExchangeContext, 'now' | 'pause'>,
): Promise<void> {
  const { gap } = protocol
  if (gap === undefined) return
  const last = sentAt.get(protocol)
  if (last !== undefined && isBefore(now(), after(last, gap))) await pause(between(now(), after(last, gap)))
  sentAt.set(protocol, now())
}

function wholeRequest(
  { connectTimeout, responseTimeout: each, authorities }: ServiceEndpoint,
  request: StepRequest,
  left: Duration,
): OutgoingRequest {
  const responseTimeout = milliseconds(Math.max(1, Math.min(each, left)))
  return { ...request, connectTimeout, responseTimeout, ...(authorities !== undefined && { authorities }) }
}

const isHttps = ({ url }: Pick<OutgoingRequest, 'url'>): boolean => String(url).startsWith('https:')

interface LastStep {
  readonly service: ServiceEndpoint
  readonly update: OutgoingUpdate
  readonly step: Step
  readonly answer: ServiceAnswer
  readonly outcome: HttpOutcome
  readonly now: Instant
}

function observed(
  { service, update, step, answer, outcome, now }: LastStep,
  result: StepOutcome,
): Observation {
  const { account } = service
  const hidden = { ...service, secrets: [...service.secrets, ...(step.secrets ?? [])] }
  const wait = parseRetryAfter(answer.headers['retry-after'], now)
  const retryAfter = wait === undefined ? {} : { retryAfter: wait }
  if (result.kind === 'answered') {
    // Masked again, because without its tags a text may have a secret that was not in one piece.
    const quote = masked(
      ownWords(answer.body, (text) => masked(text, hidden)),
      hidden,
    )
    const replies = quote === '' ? result.replies : result.replies.map((reply) => withQuote(reply, quote))
    return { kind: 'answered', account, sent: update.request, replies, ...retryAfter }
  }
  if (result.kind === 'incomplete') {
    const because = outcome.kind === 'unreached' ? `${outcome.stage}: ${outcome.because}` : INCOMPLETE
    return { kind: 'unreached', account, because, isTls: isHttps(step.request) }
  }
  // A quote is taken from the masked text: cut before, it could show a part of a secret.
  const shown = step.read({ ...answer, body: masked(answer.body, hidden) })
  const { because } = 'because' in shown ? shown : result
  return { ...result, account, because: withMaskedQuote(because, hidden), ...retryAfter }
}

const withQuote = (reply: Reply, quote: string): Reply =>
  isAddressedWord(reply.word) ? reply : ({ ...reply, quote } as Reply)

const withMove = (seen: Observation, isMoved: boolean): Observation =>
  isMoved ? ({ ...seen, isMoved } as Observation) : seen

interface MovedOutcome {
  readonly outcome: HttpOutcome
  /** The answer is that of https, to which http leads. */
  readonly isMoved: boolean
}

const unmoved = async (outcome: Promise<HttpOutcome>): Promise<MovedOutcome> => ({
  outcome: await outcome,
  isMoved: false,
})

/**
 * The outcome of a request, and of the one that a redirect asks for: from http to https, with the same host, path and query
 * on default ports, once. The Authorization header must not go elsewhere.
 */
async function withRedirect(
  request: OutgoingRequest,
  http: (one: OutgoingRequest) => Promise<HttpOutcome>,
): Promise<MovedOutcome> {
  const outcome = await http(request)
  const to = outcome.kind === 'answered' ? redirectOf(outcome, request.url) : undefined
  return to === undefined
    ? { outcome, isMoved: false }
    : { outcome: await http({ ...request, url: to }), isMoved: true }
}

/** RFC 9110 §15.4, for a GET request. The address may repeat what was sent, so that only its origin may be shown. */
function redirectOf({ status, headers }: ServiceAnswer, url: SecretText): SecretText | undefined {
  const { location } = headers
  const from = url.reveal()
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return undefined
  if (!URL.canParse(location, from)) return undefined
  const secure = new URL(from)
  if (secure.protocol !== 'http:' || secure.port !== '') return undefined
  secure.protocol = 'https:'
  const to = new URL(location, from)
  to.hash = ''
  return to.href === secure.href ? secretUrl(new Secret(secure.href)) : undefined
}

/** The answer, or its beginning where the time limit or a lost connection cut it off. */
function answerIn(outcome: HttpOutcome): ServiceAnswer | undefined {
  if (outcome.kind === 'answered') return outcome
  return outcome.partial && { kind: 'answered', ...outcome.partial, isCut: true }
}

/** An answer, in which the service may repeat what it was sent. */
const masked = (text: string, { credentials, secrets }: ServiceEndpoint): string =>
  withoutSecrets(text, credentials, secrets)

/**
 * Only what is quoted came from outside, and is masked again: without its tags a text may have a secret that was not in one
 * piece. A short secret would mask the words of this program.
 */
const withMaskedQuote = (text: string, service: ServiceEndpoint): string =>
  text.replace(/"[^]*"/, (quote) => masked(quote, service))

/** An answer that is not HTTP comes from the service or from something in front of it: it reached the other side. */
function observeNoAnswer(service: ServiceEndpoint, outcome: HttpOutcome, isTlsUsed: boolean): Observation {
  if (outcome.kind === 'answered') throw new Error('the outcome holds an answer')
  const { account } = service
  const { stage, because, said = '' } = outcome
  if (stage !== 'malformed') {
    const isTls = isTlsUsed && !BEFORE_TLS.has(stage)
    return { kind: 'unreached', account, because: `${stage}: ${because}`, isTls }
  }
  const quote = masked(quoteOf(masked(said, service)), service)
  const detail = quote === '' ? because : `${because}: ${quote}`
  return { kind: 'notUnderstood', account, because: detail, looksLikePortal: false }
}

/** At these stages no TLS peer can have answered. */
const BEFORE_TLS: ReadonlySet<HttpStage> = new Set(['look-up', 'connect'])

const INCOMPLETE = 'exchange: the connection broke off in the middle of the answer'
