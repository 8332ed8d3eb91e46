import { type Result, err, ok } from '../base/result.ts'
import { type Reply, formatReply, parseReply } from './reply-codec.ts'
import { type ReplyWord, isAccountWord } from './reply.ts'

/** A reply body longer than this is not one: 20 hostnames need about 2 KiB. In bytes. */
export const LONGEST_BODY = 64 * 1024

/** What came over the wire; the body as text, cut off by the caller beyond LONGEST_BODY + 1 bytes. */
export interface Answer {
  readonly status: number
  readonly body: string
}

export interface NotUnderstood {
  readonly because: string
  /** HTML or a redirect: a captive portal's habit. */
  readonly looksLikePortal: boolean
}

/**
 * What came back for a request that named `count` hosts: one reply each, in the order they were named.
 * The words are read before the status: `401 badauth` is badauth, `500 911` is 911.
 */
export function readResponse(
  { status, body }: Answer,
  count: number,
): Result<readonly Reply[], NotUnderstood> {
  const lines = body
    .slice(0, LONGEST_BODY + 1)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const replies = isTooLong(body) ? [] : lines.slice(0, count + 1).map(parseReply)
  const words = replies.flatMap((reply) => (reply.ok ? [reply.value] : []))
  const [only, ...others] = words
  const isRedirect = status >= 300 && status < 400
  if (!isRedirect && words.length === replies.length && only !== undefined) {
    if (others.length === 0 && isAccountWord(only.word)) return ok(repeat(only, count))
    if (words.length === count) return ok(words)
  }
  // Spec, "Response texts": an HTTP 500 has the same retry rule as 911; 429 asks for the same patience.
  if ((status >= 500 || status === 429) && only === undefined) return ok(repeat({ word: '911' }, count))
  return err(
    notUnderstood(status, body, { lines: lines.length, count, known: words.length === replies.length }),
  )
}

interface Shape {
  readonly lines: number
  readonly count: number
  readonly known: boolean
}

function notUnderstood(status: number, body: string, { lines, count, known }: Shape): NotUnderstood {
  const isRedirect = status >= 300 && status < 400
  const isHtml = /^\s*(<!doctype html|<html|<head|<\?xml|<meta|<script|<title)/i.test(body)
  // Portals redirect, or answer in place of everybody with 200; a 404 page is just a wrong address.
  const looksLikePortal = isRedirect || (isHtml && status === 200)
  if (isRedirect) return { because: `a redirect (HTTP ${status})`, looksLikePortal }
  if (isTooLong(body)) return { because: `more than ${LONGEST_BODY / 1024} KiB`, looksLikePortal }
  if (isHtml) return { because: `a web page (HTTP ${status})`, looksLikePortal }
  if (lines === 0) return { because: `an empty answer (HTTP ${status})`, looksLikePortal }
  if (known)
    return { because: `${lines} reply lines for ${count} hostnames (HTTP ${status})`, looksLikePortal }
  return { because: `text that is no reply word (HTTP ${status})`, looksLikePortal }
}

const isTooLong = (body: string): boolean => body.length > LONGEST_BODY

const repeat = (reply: Reply, count: number): Reply[] => Array.from({ length: count }, () => reply)

/** Server side, the inverse: an account-level word stands once and alone, host-level words one a line, in order. */
export function writeResponse(replies: readonly Reply[]): Answer {
  const [first] = replies
  const alone = first !== undefined && isAccountWord(first.word) ? [first] : replies
  return {
    status: first === undefined ? 200 : statusOf(first.word),
    body: alone.map(formatReply).join('\n') + '\n',
  }
}

/** `badauth` is answered 401 because clients that wait for a challenge exist; everything else a client reads at 200. */
const STATUS: Partial<Record<ReplyWord, number>> = { badauth: 401, '911': 500 }
const statusOf = (word: ReplyWord): number => STATUS[word] ?? 200
