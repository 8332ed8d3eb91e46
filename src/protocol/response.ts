import { Buffer } from 'node:buffer'
import { err, ok, type Result } from '../base/result.ts'
import { quoteOf } from './quote.ts'
import { isAccountWord, severityOf, statusOf } from './reply.ts'
import { formatReply, parseReply, type Reply } from './reply-codec.ts'

/** A reply body longer than this is not one: 20 hostnames need about 2 KiB. In bytes. */
export const MAX_REPLY_BYTES = 64 * 1024

/** What came over the wire; the body as text, cut off by the caller beyond LONGEST_BODY + 1 bytes. */
export interface UpdateResponse {
  readonly status: number
  readonly body: string
}

export interface UnrecognizedReply {
  /** What came instead, with its HTTP status and the beginning of the body. */
  readonly because: string
  /** HTML or a redirect: a captive portal's habit. */
  readonly looksLikePortal: boolean
  /** A status that says by itself that the service cannot answer now: 429, 5xx. */
  readonly status?: number
}

/**
 * What came back for a request that named `count` hosts: one reply each, in the order they were named. Words that forbid are
 * obeyed under any status but a redirect, wherever they stand; words of success count with status 200 only (spec, "Response
 * texts"), and only where there is a line for each host.
 */
export function readResponse(
  answer: UpdateResponse,
  count: number,
): Result<readonly Reply[], UnrecognizedReply> {
  const { status, body } = answer
  const lines = linesOf(body)
  const replies = isRedirect(status) || isTooLong(body) ? [] : lines.map(parseReply)
  const words = replies.flatMap((reply) => (reply.ok ? [reply.value] : []))
  const isWhole = words.length === replies.length && words.length === count
  if (isWhole && (status === 200 || words.every(isForbidding))) return ok(words)
  const gravest = readForbidding(answer)
  if (gravest !== undefined) return ok(repeat(gravest, count))
  // RFC 9110 §15.5.2: the credentials are missing or refused; some services say it in no other way.
  if (status === 401 && words.length === 0) return ok(repeat({ word: 'badauth', said: 'HTTP 401' }, count))
  return err(notUnderstood(answer, { lines: lines.length, count, words: words.length }))
}

/**
 * The gravest word that forbids, on whichever line; undefined where there is none. A web page is nobody's reply, whatever its
 * lines begin with.
 */
export function readForbidding({ status, body }: UpdateResponse): Reply | undefined {
  if (isRedirect(status) || isTooLong(body) || isHtml(body)) return undefined
  const words = linesOf(body).flatMap((line) => {
    const reply = parseReply(line)
    return reply.ok && isForbidding(reply.value) ? [reply.value] : []
  })
  return words.toSorted((a, b) => severityOf(b.word) - severityOf(a.word))[0]
}

const isForbidding = ({ word }: Reply): boolean => severityOf(word) > 0
const isRedirect = (status: number): boolean => status >= 300 && status < 400
const isTooLong = (body: string): boolean => Buffer.byteLength(body) > MAX_REPLY_BYTES
const isHtml = (body: string): boolean =>
  /^\s*(<!doctype html|<html|<head|<\?xml|<meta|<script|<title)/i.test(body)

const linesOf = (body: string): readonly string[] =>
  body
    .slice(0, MAX_REPLY_BYTES + 1)
    .split('\n')
    // A NUL after the word is what some embedded servers end their text with.
    .map((line) => line.replaceAll('\0', ' ').trim())
    .filter((line) => line !== '')

interface Shape {
  readonly lines: number
  readonly count: number
  /** How many of the lines are words of the protocol. */
  readonly words: number
}

function notUnderstood({ status, body }: UpdateResponse, shape: Shape): UnrecognizedReply {
  // Portals redirect, or answer in place of everybody with 200; a 404 page is just a wrong address.
  const looksLikePortal = isRedirect(status) || (isHtml(body) && status === 200)
  const quote = quoteOf(body)
  const because = `${kindOf(status, body, shape)}${quote === '' ? '' : `: ${quote}`}`
  const isBusy = (status >= 500 || status === 429) && shape.words === 0
  return { because, looksLikePortal, ...(isBusy && { status }) }
}

function kindOf(status: number, body: string, { lines, count, words }: Shape): string {
  const http = `HTTP ${status}`
  if (isRedirect(status)) return `a redirect (${http})`
  if (isTooLong(body)) return `more than ${MAX_REPLY_BYTES / 1024} KiB (${http})`
  if (isHtml(body)) return `a web page (${http})`
  if (lines === 0) return `an empty answer (${http})`
  if (words < lines) return `text that is no reply word (${http})`
  if (status !== 200) return `a word of success with ${http}`
  return `${lines} ${lines === 1 ? 'line' : 'lines'} for ${count} ${count === 1 ? 'hostname' : 'hostnames'} (${http})`
}

const repeat = (reply: Reply, count: number): Reply[] => Array.from({ length: count }, () => reply)
/** Server side, the inverse: an account-level word stands once and alone, host-level words one a line, in order. */
export function writeResponse(replies: readonly Reply[]): UpdateResponse {
  const [first] = replies
  const alone = first !== undefined && isAccountWord(first.word) ? [first] : replies
  return {
    status: first === undefined ? 200 : statusOf(first.word),
    body: alone.map(formatReply).join('\n') + '\n',
  }
}
