import { Client } from 'undici'
import { RELEASED } from './released.ts'
import type { Http, HttpOutcome, HttpRequest, HttpStage } from '../ports/http.ts'

/**
 * One exchange over a connection of its own: after a change of address a pooled connection is a dead one.
 * Nothing here retries, follows a redirect or decompresses.
 */
export const undiciHttp: Http = async (request, signal) => {
  const { origin, pathname, search } = new URL(request.url)
  const client = clientFor(origin, request)
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(request.answerWithin)])
  // undici hears a signal only once it is connected: a look-up that hangs would outlast every deadline.
  const giveUp = (): void => void client.destroy(deadline.reason as Error).catch(() => undefined)
  deadline.addEventListener('abort', giveUp)
  try {
    const path = `${pathname}${search}`
    const answer = await client.request({
      method: request.method ?? 'GET',
      ...(request.body !== undefined && { body: request.body }),
      path,
      headers: request.headers,
      signal: deadline,
      reset: true,
    })
    const body = await readUpTo(answer.body, request.longestBody + 1)
    const read = {
      kind: 'answered',
      status: answer.statusCode,
      headers: flat(answer.headers),
      body: body.text,
    } as const
    if (body.failure === undefined) return read
    const { status, headers } = read
    const isLate = deadline.aborted
    return isLate
      ? { ...unreached(body.failure), partial: { status, headers, body: body.text } }
      : { ...read, isCut: true }
  } catch (error) {
    return unreached(error)
  } finally {
    deadline.removeEventListener('abort', giveUp)
    await client.destroy().catch(() => undefined)
  }
}

function clientFor(origin: string, request: HttpRequest): Client {
  const { family, from, authorities, connectWithin, answerWithin } = request
  return new Client(origin, {
    allowH2: false,
    pipelining: 0,
    headersTimeout: answerWithin,
    bodyTimeout: answerWithin,
    ...(from !== undefined && { localAddress: from }),
    connect: {
      timeout: connectWithin,
      ...(family !== undefined && { family: family === 'v4' ? 4 : 6 }),
      ...(authorities !== undefined && { ca: authorities }),
    },
  })
}

interface Body {
  readonly text: string
  /** What ended it before its end. */
  readonly failure?: unknown
}

/** The body as text, cut off after `most` bytes: what is longer is not an answer, and not worth its memory. */
async function readUpTo(body: AsyncIterable<unknown>, most: number): Promise<Body> {
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

const flat = (headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value]],
    ),
  )

interface Failure {
  readonly name?: string
  readonly code?: string
  readonly message?: string
  readonly syscall?: string
  readonly errors?: readonly Failure[]
  readonly cause?: Failure
}

function unreached(error: unknown): Extract<HttpOutcome, { kind: 'unreached' }> {
  const failure = rootOf(error as Failure)
  const because = [failure.code, failure.message]
    .filter((text) => text !== undefined && text !== '')
    .join(' ')
  return {
    kind: 'unreached',
    stage: stageOf(failure),
    because: `${because === '' ? String(error) : because}${clockRemark(failure)}`,
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

/** By the names that Node, OpenSSL and undici give their errors. */
// biome-ignore format: a table
const STAGES: readonly (readonly [pattern: RegExp, stage: HttpStage])[] = [
  [/TimeoutError|AbortError|ETIMEDOUT|_TIMEOUT/,                            'time-out'],
  [/ENOTFOUND|EAI_|getaddrinfo/,                                            'look-up'],
  [/CERT|SSL|TLS|UNABLE_TO|SELF_SIGNED|ERR_OSSL|EPROTO|ALTNAME/,            'TLS'],
  [/ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|ENETDOWN|EACCES/,   'connect'],
]

function stageOf({ name = '', code = '', syscall = '' }: Failure): HttpStage {
  const row = STAGES.find(([pattern]) => pattern.test(`${name} ${code}`))
  if (row !== undefined) return row[1]
  return syscall === 'connect' ? 'connect' : 'exchange'
}
