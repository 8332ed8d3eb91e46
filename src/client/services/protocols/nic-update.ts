import { type Credentials, formatBasic, SecretText } from '../../../shared/base/secret.ts'
import type { ReplyDialect } from '../../../shared/protocol/dialect.ts'
import { actionOf } from '../../../shared/protocol/reply.ts'
import { formatQuery, type RequestForm, type UpdateRequest } from '../../../shared/protocol/request.ts'
import { MAX_REPLY_BYTES, readResponse, readRestriction } from '../../../shared/protocol/response.ts'
import type { OutgoingUpdate, ServiceAnswer, Step, StepOutcome } from './protocol.ts'
import { isOldRefusal, type Reply } from '../../../shared/protocol/reply-codec.ts'

/** A service of the update protocol: its base URLs, the credentials, and how requests are made. */
export interface NicUpdateService {
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
}

/**
 * `GET /nic/update`: one request, and a line for each hostname. The password is in the Authorization header, and where a
 * fixed parameter names it.
 */
export const nicUpdate = (
  service: NicUpdateService,
): { readonly begin: (update: OutgoingUpdate) => Step } => ({
  begin: (update) => ({
    mayMove: true,
    request: {
      url: new SecretText(
        `${baseUrlFor(service, update)}${service.path}?`,
        formatQuery(update.request, service.form),
      ),
      headers: {
        authorization: formatBasic(service.credentials),
        'user-agent': service.userAgent,
        accept: 'text/plain',
      },
      maxBodyBytes: MAX_REPLY_BYTES,
    },
    read: (answer) => outcomeOf(answer, update.request, service.dialect),
  }),
})

function baseUrlFor(
  { baseUrls, ipv6BaseUrl }: NicUpdateService,
  { request, endpoint }: OutgoingUpdate,
): string {
  const { v4, v6 } = request.addresses
  if (ipv6BaseUrl !== undefined && v4 === undefined && v6 !== undefined) return ipv6BaseUrl
  return baseUrls[endpoint] ?? baseUrls[0] ?? ''
}

function outcomeOf(answer: ServiceAnswer, request: UpdateRequest, dialect: ReplyDialect): StepOutcome {
  const read = (answer.isCut ? readIncomplete : readComplete)(answer, request, dialect)
  if (read === undefined) return { kind: 'incomplete' }
  if (!read.ok) return { kind: 'notUnderstood', ...read.error }
  const isRefused = read.value.some((reply) => isOldRefusal(reply, request.addresses))
  return { kind: 'answered', replies: isRefused ? request.hostnames.map(() => OLD_REFUSAL) : read.value }
}

type ParsedReplies = ReturnType<typeof readResponse>

const readComplete = (
  answer: ServiceAnswer,
  { hostnames }: UpdateRequest,
  dialect: ReplyDialect,
): ParsedReplies => readResponse(answer, hostnames.length, dialect)

/**
 * An incomplete answer can forbid but not confirm, because the missing part may continue an address (decision 0008).
 * Undefined where it does neither.
 */
function readIncomplete(
  answer: ServiceAnswer,
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
