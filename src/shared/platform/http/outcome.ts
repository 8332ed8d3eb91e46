import type { HttpOutcome, HttpStage } from '../../ports/http.ts'
import { RELEASED } from '../clock/release-date.ts'

/** A response body, as far as it was received. */
interface ReceivedBody {
  readonly text: string
  /** The error that ended the transfer early. */
  readonly failure?: unknown
}

interface ReceivedResponse extends ReceivedBody {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

/** Reads the body as UTF-8, up to `maxBytes`: the rest of a longer body is not read. Never rejects. */
export async function readUpTo(body: AsyncIterable<unknown>, maxBytes: number): Promise<ReceivedBody> {
  const chunks: Buffer[] = []
  const failure: unknown = await collect(body, maxBytes, chunks).catch((error: unknown) => error)
  return { text: Buffer.concat(chunks).toString('utf8'), ...(failure !== undefined && { failure }) }
}

/** Appends to `chunks`, so that a failed transfer leaves what was received before. */
async function collect(body: AsyncIterable<unknown>, maxBytes: number, chunks: Buffer[]): Promise<void> {
  let length = 0
  for await (const chunk of body) {
    const bytes = Buffer.from(chunk as Uint8Array)
    chunks.push(bytes.subarray(0, maxBytes - length))
    length += bytes.length
    if (length >= maxBytes) break
  }
}

/** The outcome of a response that has begun: complete, cut off by the deadline, or cut off by the server. */
export function answered(
  { status, headers, text, failure }: ReceivedResponse,
  deadline: AbortSignal,
  context: ExchangeContext,
): HttpOutcome {
  const response = { status, headers, body: text }
  if (failure === undefined) return { kind: 'answered', ...response }
  return deadline.aborted
    ? { ...unreached(deadline.reason, context), partial: response }
    : { kind: 'answered', ...response, isCut: true }
}

/** Lower-case header names, repeated headers joined by ", ". */
export const flatHeaders = (
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value]],
    ),
  )

/** The error code of a connect timeout that expires during the DNS lookup. */
export const LOOKUP_TIMEOUT = 'LOOKUP_TIMEOUT'

/** The exchange that failed, for the text of the error. */
export interface ExchangeContext {
  readonly url: string
  /** It was with the update service, the only server that `ca_file` applies to. */
  readonly isService?: true
  /** It failed before the connection was established. */
  readonly isConnecting?: boolean
  /** It failed during the TLS handshake. */
  readonly isInHandshake?: boolean
}

/** The properties that errors of Node, OpenSSL and undici may have. */
interface Failure {
  readonly name?: string
  readonly code?: string | number
  readonly message?: string
  readonly syscall?: string
  readonly hostname?: string
  readonly reason?: string
  readonly address?: string
  readonly port?: number
  readonly cert?: { readonly subjectaltname?: string }
  readonly errors?: readonly Failure[]
  readonly cause?: Failure
  /** The bytes that the HTTP parser of Node rejected. */
  readonly rawPacket?: Uint8Array
}

/** The outcome of an exchange that failed with this error. */
export function unreached(
  error: unknown,
  context: ExchangeContext,
): Extract<HttpOutcome, { kind: 'unreached' }> {
  const failure = rootOf(error as Failure)
  const [stage, explain] = rowOf(failure, context)
  const packet = stage === 'malformed' ? failure.rawPacket : undefined
  return {
    kind: 'unreached',
    stage,
    ...(packet !== undefined && { said: Buffer.from(packet).toString('utf8', 0, MAX_PACKET_BYTES) }),
    because: `${oneLine(explain(failure, context))}${clockRemark(failure)}`,
  }
}

/** For a certificate that is "not yet valid" only because the clock of this host is wrong. */
const clockRemark = ({ code }: Failure): string =>
  code === 'CERT_NOT_YET_VALID' && Date.now() < RELEASED
    ? `; this host's clock is wrong: it shows ${new Date().toISOString()}, before the release of this program`
    : ''

/** Several addresses tried in parallel fail with an AggregateError; its first error is the one to report. */
const rootOf = (error: Failure): Failure => {
  const inner = error.errors?.[0] ?? (error.code === undefined ? error.cause : undefined)
  return inner === undefined ? error : rootOf(inner)
}

/** The reason in an OpenSSL error message, for failed writes whose code does not contain it. */
const SSL_DUMP = /error:[0-9A-F]+:[^:]*:[^:]*:([^:]+)/i

/** Error name, code and system call, to match against FAILURES. */
function failureText({ name = '', code = '', message = '', syscall = '' }: Failure): string {
  const reason = code === 'EPROTO' ? SSL_DUMP.exec(message)?.[1] : undefined
  const known = reason === undefined ? code : `ERR_SSL_${reason.toUpperCase().replaceAll(' ', '_')}`
  return `${name} ${known} ${syscall}`
}

type Explain = (failure: Failure, context: ExchangeContext) => string
type FailureRow = readonly [stage: HttpStage, explain: Explain]

const requestedHost = ({ url }: ExchangeContext): string => new URL(url).hostname
const peerOf = ({ address, port }: Failure, context: ExchangeContext): string => {
  if (address === undefined) return requestedHost(context)
  const host = address.includes(':') ? `[${address}]` : address
  return port === undefined ? host : `${host}:${port}`
}
const authorityAdvice = ({ isService }: ExchangeContext): string =>
  isService === true ? '; name its authority with ca_file' : ''

const unconnected: Explain = (failure, context) => `no connection to ${peerOf(failure, context)} in time`
const asItIs: Explain = (failure) =>
  SSL_DUMP.exec(failure.message ?? '')?.[1] ?? failure.message ?? 'it failed'
const refusedCertificate: Explain = ({ cert }, context) => {
  if (cert !== undefined && cert.subjectaltname === undefined)
    return `the certificate of ${requestedHost(context)} has no subjectAltName; make one that names the host there`
  const names = (cert?.subjectaltname ?? '').replaceAll(/DNS:|IP Address:/g, '')
  return `the certificate is for ${names === '' ? 'another name' : names}, not for ${requestedHost(context)}`
}
const unacceptable: Explain = ({ code }, context) =>
  `the certificate of ${requestedHost(context)} is not acceptable (${code})`
const notHttp: Explain = ({ reason, message = '' }) => {
  const detail = reason ?? /\((.+)\)/.exec(message)?.[1]
  return `the answer is not HTTP${detail === undefined ? '' : ` (${detail})`}`
}
const closed: Explain = ({ code, syscall, message = '' }) => {
  if (message.includes('before secure TLS')) return 'the connection was closed before TLS was set up'
  if (code === 'ECONNRESET' && syscall === 'read') return 'the connection was reset'
  return 'the connection was closed without a whole answer'
}

/** Matched against `failureText`. The first matching row wins. */
// biome-ignore format: a table
const FAILURES: readonly (readonly [pattern: RegExp, ...row: FailureRow])[] = [
  [/HPE_|HTTPParserError|HEADERS_OVERFLOW/,   'malformed', notHttp],
  [/LOOKUP_TIMEOUT/,                          'look-up',   () => 'no name server answered in time'],
  [/ENOTFOUND/,                               'look-up',   ({ hostname }, context) => `no address is known for ${hostname ?? requestedHost(context)}`],
  [/EAI_AGAIN/,                               'look-up',   ({ hostname }, context) => `no name server answers for ${hostname ?? requestedHost(context)}`],
  [/EAI_|getaddrinfo|LOOKUP/,                 'look-up',   asItIs],
  [/ETIMEDOUT (read|write)/,                  'time-out',  () => 'no answer in time'],
  [/CONNECT_TIMEOUT|ETIMEDOUT/,               'connect',   unconnected],
  [/TimeoutError|_TIMEOUT/,                   'time-out',  () => 'no answer in time'],
  [/AbortError/,                              'time-out',  asItIs],
  [/DEPTH_ZERO_SELF_SIGNED/,                  'TLS',       (_, context) => `the certificate of ${requestedHost(context)} is self-signed${authorityAdvice(context)}`],
  [/SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)/, 'TLS',     (_, context) => `the certificate of ${requestedHost(context)} is from an authority that is not trusted here${authorityAdvice(context)}`],
  [/CERT_HAS_EXPIRED/,                        'TLS',       (_, context) => `the certificate of ${requestedHost(context)} has expired, or this host's clock is wrong`],
  [/CERT_NOT_YET_VALID/,                      'TLS',       (_, context) => `the certificate of ${requestedHost(context)} is not valid yet`],
  [/CERT_REVOKED/,                            'TLS',       (_, context) => `the certificate of ${requestedHost(context)} is revoked`],
  [/ALTNAME/,                                 'TLS',       refusedCertificate],
  [/PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL|VERSION_TOO_LOW/, 'TLS', (_, context) => `${requestedHost(context)} supports no version of TLS that this program accepts; the oldest is 1.2`],
  [/SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH|HTTP_REQUEST|UNKNOWN_PROTOCOL)/, 'TLS', (_, context) => `${requestedHost(context)} answers without TLS; is the port right?`],
  [/ALERT_CERTIFICATE_REQUIRED/,              'TLS',       (_, context) => `${requestedHost(context)} requires a client certificate, which is not supported`],
  [/CERT|SSL|TLS|UNABLE_TO|ERR_OSSL|EPROTO/,  'TLS',       asItIs],
  [/ECONNREFUSED/,                            'connect',   (failure, context) => `refused by ${peerOf(failure, context)}`],
  [/EHOSTUNREACH|ENETUNREACH|ENETDOWN/,       'connect',   (failure, context) => `no route to ${peerOf(failure, context)}`],
  [/EADDRNOTAVAIL|EACCES/,                    'connect',   asItIs],
  [/ECONNRESET|EPIPE|SocketError/,         'exchange',  closed],
]

/**
 * The stage and text of a failure. OpenSSL and Node have too many certificate errors for a table: an unknown error, and
 * any error during the TLS handshake, counts as TLS. After every other stage, the next attempt may use http and send
 * the password in clear text.
 */
function rowOf(failure: Failure, context: ExchangeContext): FailureRow {
  if (context.isConnecting === true && failure.name === 'TimeoutError') return ['connect', unconnected]
  const name = failureText(failure)
  const [, ...row] = FAILURES.find(([pattern]) => pattern.test(name)) ?? []
  const [stage, explain] = row
  if (stage !== undefined && explain !== undefined)
    return [context.isInHandshake === true ? 'TLS' : stage, explain]
  if (failure.syscall === 'connect') return ['connect', asItIs]
  if (context.isInHandshake !== true && !context.url.startsWith('https:')) return ['exchange', asItIs]
  return ['TLS', failure.code === undefined ? asItIs : unacceptable]
}

/** More than a quote shows, because a quote leaves out markup. */
const MAX_PACKET_BYTES = 4096
const MAX_REASON_LENGTH = 200

/**
 * One printable line for the log, because the text may come from another host. Drops Node's advice about its own options.
 */
const oneLine = (text: string): string =>
  text
    .replace(/; if the root CA.*$/s, '')
    .replaceAll(/[^ -~\u00a0-\uffff]+/g, ' ')
    .trim()
    .slice(0, MAX_REASON_LENGTH)
