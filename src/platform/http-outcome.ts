import type { HttpOutcome, HttpStage } from '../ports/http.ts'
import { RELEASED } from './release-date.ts'

export interface Body {
  readonly text: string
  /** What ended it before its end. */
  readonly failure?: unknown
}

/** The body as text, cut off after `most` bytes: what is longer is not an answer, and not worth its memory. */
export async function readUpTo(body: AsyncIterable<unknown>, most: number): Promise<Body> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of body) {
      const bytes = Buffer.from(chunk as Uint8Array)
      chunks.push(bytes.subarray(0, most - length))
      length += bytes.length
      if (length >= most) break
    }
    return { text: Buffer.concat(chunks).toString('utf8') }
  } catch (failure) {
    return { text: Buffer.concat(chunks).toString('utf8'), failure }
  }
}

/** What came of it: all, what was there when time was up, or what was there when the other side broke off. */
export function answered(
  head: { readonly status: number; readonly headers: Readonly<Record<string, string>> },
  { text, failure }: Body,
  deadline: AbortSignal,
  about: ExchangeContext,
): HttpOutcome {
  const read = { ...head, body: text }
  if (failure === undefined) return { kind: 'answered', ...read }
  return deadline.aborted
    ? { ...unreached(deadline.reason, about), partial: read }
    : { kind: 'answered', ...read, isCut: true }
}

export const flat = (
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value]],
    ),
  )

/** Given by ourselves where time to connect is up before a name server has said anything. */
export const LOOKUP_TIMEOUT = 'LOOKUP_TIMEOUT'

/** What is known of the exchange that failed, for its words. */
export interface ExchangeContext {
  readonly url: string
  /** The update service: `ca_file` is a setting for it, and for no other server. */
  readonly isService?: true
  /** It failed before there was a connection. */
  readonly isConnecting?: boolean
  /** It failed while TLS was being set up. */
  readonly isInHandshake?: boolean
}

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
  /** Node's parser keeps what it could not read. */
  readonly rawPacket?: Uint8Array
}

export function unreached(
  error: unknown,
  about: ExchangeContext,
): Extract<HttpOutcome, { kind: 'unreached' }> {
  const failure = rootOf(error as Failure)
  const [stage, says] = rowOf(failure, about)
  const clock = clockRemark(failure)
  const said = stage === 'malformed' ? failure.rawPacket : undefined
  return {
    kind: 'unreached',
    stage,
    ...(said !== undefined && { said: Buffer.from(said).toString('utf8', 0, LONGEST_SAID) }),
    because: `${oneLine(says(failure, about))}${clock}`,
  }
}

/** "Not yet valid" on a machine that does not know the time says more about the machine than about the certificate. */
const clockRemark = ({ code }: Failure): string =>
  code === 'CERT_NOT_YET_VALID' && Date.now() < RELEASED
    ? `; this host's clock is wrong: it shows ${new Date().toISOString()}, before this program was made`
    : ''

/** Several addresses tried at once fail as one error that holds them all; the first tells enough. */
const rootOf = (error: Failure): Failure => {
  const inner = error.errors?.[0] ?? (error.code === undefined ? error.cause : undefined)
  return inner === undefined ? error : rootOf(inner)
}

/** OpenSSL's reason stands in the code or, where a write failed, only in the middle of a dump. */
const SSL_DUMP = /error:[0-9A-F]+:[^:]*:[^:]*:([^:]+)/i

/** The name by which Node, OpenSSL, undici and we know the failure, and in which system call it was. */
function nameOf({ name = '', code = '', message = '', syscall = '' }: Failure): string {
  const reason = code === 'EPROTO' ? SSL_DUMP.exec(message)?.[1] : undefined
  const known = reason === undefined ? code : `ERR_SSL_${reason.toUpperCase().replaceAll(' ', '_')}`
  return `${name} ${known} ${syscall}`
}

type Says = (failure: Failure, about: ExchangeContext) => string
type Row = readonly [stage: HttpStage, says: Says]

const hostOf = ({ url }: ExchangeContext): string => new URL(url).hostname
const peerOf = ({ address, port }: Failure, about: ExchangeContext): string => {
  if (address === undefined) return hostOf(about)
  const host = address.includes(':') ? `[${address}]` : address
  return port === undefined ? host : `${host}:${port}`
}
const authorityAdvice = ({ isService }: ExchangeContext): string =>
  isService === true ? '; name its authority with ca_file' : ''

const unconnected: Says = (failure, about) => `no connection to ${peerOf(failure, about)} in time`
const asItIs: Says = (failure) => SSL_DUMP.exec(failure.message ?? '')?.[1] ?? failure.message ?? 'it failed'
const refusedCertificate: Says = ({ cert }, about) => {
  const names = (cert?.subjectaltname ?? '').replaceAll(/DNS:|IP Address:/g, '')
  return `the certificate is for ${names === '' ? 'another name' : names}, not for ${hostOf(about)}`
}
const unacceptable: Says = ({ code }, about) =>
  `the certificate of ${hostOf(about)} is not acceptable (${code})`
const notHttp: Says = ({ reason, message = '' }) => {
  const detail = reason ?? /\((.+)\)/.exec(message)?.[1]
  return `the answer is not HTTP${detail === undefined ? '' : ` (${detail})`}`
}
const closed: Says = ({ code, syscall, message = '' }) => {
  if (message.includes('before secure TLS')) return 'the connection was closed before TLS was set up'
  if (code === 'ECONNRESET' && syscall === 'read') return 'the connection was reset'
  return 'the connection was closed without a whole answer'
}

/** By `nameOf`; the first row that matches. */
// biome-ignore format: a table
const FAILURES: readonly (readonly [pattern: RegExp, ...row: Row])[] = [
  [/HPE_|HTTPParserError|HEADERS_OVERFLOW/,   'malformed', notHttp],
  [/LOOKUP_TIMEOUT/,                          'look-up',   () => 'no name server answered in time'],
  [/ENOTFOUND/,                               'look-up',   ({ hostname }, about) => `no address is known for ${hostname ?? hostOf(about)}`],
  [/EAI_AGAIN/,                               'look-up',   ({ hostname }, about) => `no name server answers for ${hostname ?? hostOf(about)}`],
  [/EAI_|getaddrinfo|LOOKUP/,                 'look-up',   asItIs],
  [/ETIMEDOUT (read|write)/,                  'time-out',  () => 'no answer in time'],
  [/CONNECT_TIMEOUT|ETIMEDOUT/,               'connect',   unconnected],
  [/TimeoutError|_TIMEOUT/,                   'time-out',  () => 'no answer in time'],
  [/AbortError/,                              'time-out',  asItIs],
  [/DEPTH_ZERO_SELF_SIGNED/,                  'TLS',       (_, about) => `the certificate of ${hostOf(about)} is self-signed${authorityAdvice(about)}`],
  [/SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)/, 'TLS',     (_, about) => `the certificate of ${hostOf(about)} is from an authority that is not trusted here${authorityAdvice(about)}`],
  [/CERT_HAS_EXPIRED/,                        'TLS',       (_, about) => `the certificate of ${hostOf(about)} has expired, or this host's clock is wrong`],
  [/CERT_NOT_YET_VALID/,                      'TLS',       (_, about) => `the certificate of ${hostOf(about)} is not valid yet`],
  [/CERT_REVOKED/,                            'TLS',       (_, about) => `the certificate of ${hostOf(about)} is revoked`],
  [/ALTNAME/,                                 'TLS',       refusedCertificate],
  [/PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL|VERSION_TOO_LOW/, 'TLS', (_, about) => `${hostOf(about)} has no version of TLS in common with us; 1.2 is the oldest`],
  [/SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH|HTTP_REQUEST|UNKNOWN_PROTOCOL)/, 'TLS', (_, about) => `${hostOf(about)} answers without TLS; is the port right?`],
  [/ALERT_CERTIFICATE_REQUIRED/,              'TLS',       (_, about) => `${hostOf(about)} asks for a client certificate, and there is none`],
  [/CERT|SSL|TLS|UNABLE_TO|ERR_OSSL|EPROTO/,  'TLS',       asItIs],
  [/ECONNREFUSED/,                            'connect',   (failure, about) => `refused by ${peerOf(failure, about)}`],
  [/EHOSTUNREACH|ENETUNREACH|ENETDOWN/,       'connect',   (failure, about) => `no route to ${peerOf(failure, about)}`],
  [/EADDRNOTAVAIL|EACCES/,                    'connect',   asItIs],
  [/ECONNRESET|EPIPE|SocketError/,         'exchange',  closed],
]

/**
 * OpenSSL and Node have more names for what is wrong with a certificate than a table can keep. Where TLS was not set up, or
 * nothing is known of the failure, it is that of TLS: after any other, the next attempt may send the key in clear.
 */
function rowOf(failure: Failure, about: ExchangeContext): Row {
  if (about.isConnecting === true && failure.name === 'TimeoutError') return ['connect', unconnected]
  const name = nameOf(failure)
  const [, ...row] = FAILURES.find(([pattern]) => pattern.test(name)) ?? []
  const [stage, says] = row
  if (stage !== undefined && says !== undefined) return [about.isInHandshake === true ? 'TLS' : stage, says]
  if (failure.syscall === 'connect') return ['connect', asItIs]
  if (about.isInHandshake !== true && !about.url.startsWith('https:')) return ['exchange', asItIs]
  return ['TLS', failure.code === undefined ? asItIs : unacceptable]
}

/** For a quote, with room for what a quote leaves out. */
const LONGEST_SAID = 4096
const LONGEST_REASON = 200

/** What another host makes us say fits into one line of a log. Node's advice about its own options is none for our users. */
const oneLine = (text: string): string =>
  text
    .replace(/; if the root CA.*$/s, '')
    .replaceAll(/[^ -~\u00a0-\uffff]+/g, ' ')
    .trim()
    .slice(0, LONGEST_REASON)
