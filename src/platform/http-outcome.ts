import type { HttpOutcome, HttpStage } from '../ports/http.ts'
import { RELEASED } from './released.ts'

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
): HttpOutcome {
  const read = { ...head, body: text }
  if (failure === undefined) return { kind: 'answered', ...read }
  return deadline.aborted
    ? { ...unreached(deadline.reason), partial: read }
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

interface Failure {
  readonly name?: string
  readonly code?: string
  readonly message?: string
  readonly syscall?: string
  readonly errors?: readonly Failure[]
  readonly cause?: Failure
}

export function unreached(error: unknown): Extract<HttpOutcome, { kind: 'unreached' }> {
  const failure = rootOf(error as Failure)
  const because = [failure.code, failure.message]
    .filter((text) => text !== undefined && text !== '')
    .join(' ')
  return {
    kind: 'unreached',
    stage: stageOf(failure),
    because: `${because === '' ? String(error) : because}${clockRemark(failure)}`,
    ...((clockRemark(failure) !== '' || isCutOff(error as Failure)) && { isCutOff: true }),
  }
}

/** Of several addresses, one family often has no way out; that alone says nothing. */
const isCutOff = (error: Failure): boolean => {
  const leaves = leavesOf(error)
  return leaves.length > 0 && leaves.every(hasNoWayOut)
}

/**
 * No route, no address of our own, or no name server that answers. EHOSTUNREACH is left out: the last router before the
 * service says the same when the service's machine is down.
 */
const hasNoWayOut = ({ code = '' }: Failure): boolean =>
  ['ENETUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL', 'EAI_AGAIN', LOOKUP_TIMEOUT].includes(code)

const leavesOf = (error: Failure): readonly Failure[] =>
  error.errors?.flatMap(leavesOf) ??
  (error.code === undefined && error.cause !== undefined ? leavesOf(error.cause) : [error])

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

/** By the names that Node, OpenSSL, undici and we give errors. */
// biome-ignore format: a table
const STAGES: readonly (readonly [pattern: RegExp, stage: HttpStage])[] = [
  [/ENOTFOUND|EAI_|getaddrinfo|LOOKUP/,                                     'look-up'],
  [/TimeoutError|AbortError|ETIMEDOUT|_TIMEOUT/,                            'time-out'],
  [/CERT|SSL|TLS|UNABLE_TO|SELF_SIGNED|ERR_OSSL|EPROTO|ALTNAME/,            'TLS'],
  [/ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|ENETDOWN|EACCES/,   'connect'],
]

function stageOf({ name = '', code = '', syscall = '' }: Failure): HttpStage {
  const row = STAGES.find(([pattern]) => pattern.test(`${name} ${code}`))
  if (row !== undefined) return row[1]
  return syscall === 'connect' ? 'connect' : 'exchange'
}
