import { Buffer } from 'node:buffer'
import { err, ok, type Result } from '../base/result.ts'
import { quoteOf } from './said-text.ts'
import { byFamily } from '../base/address.ts'
import { PLAIN_DIALECT, type ReplyDialect } from './dialect.ts'
import {
  isAccountWord,
  isAddressedWord,
  isChangeReply,
  type ReplyWord,
  severityOf,
  statusOf,
} from './reply.ts'
import { formatReply, parseReply, type Reply } from './reply-codec.ts'

/** The maximum length of a response body: 20 hostnames need about 2 KiB. */
export const MAX_REPLY_BYTES = 64 * 1024

/** A response of /nic/update. The caller reads at most MAX_REPLY_BYTES + 1 bytes of the body. */
interface UpdateResponse {
  readonly status: number
  readonly body: string
}

interface UnrecognizedReply {
  /** Describes the response, with HTTP status and the beginning of the body. */
  readonly because: string
  /** HTML or a redirect, as captive portals send. */
  readonly looksLikePortal: boolean
  /** A status that means "try again later": 429, 5xx. */
  readonly status?: number
}

/**
 * The replies to a request for `count` hostnames, in their order. A word that requires a client to wait or stop is
 * valid on any line and under any status except a redirect. Words of success are valid with status 200 only (spec,
 * "Response texts"), and only with one line per hostname. A dialect may differ.
 */
export function readResponse(
  response: UpdateResponse,
  count: number,
  dialect: ReplyDialect = PLAIN_DIALECT,
): Result<readonly Reply[], UnrecognizedReply> {
  const { status, body } = response
  const lines = linesOf(body, dialect)
  const replies = isRedirect(status) || isTooLong(body) ? [] : lines.map((line) => parseReply(line, dialect))
  const words = replies.flatMap((reply) => (reply.ok ? [reply.value] : []))
  // What follows a NUL is not text, and what comes before it is not all that was to be said: it confirms nothing.
  const isText = !body.includes('\0')
  const isComplete = words.length === replies.length && (isText || words.every(isRestriction))
  const answered = isComplete ? answeredBy(words, count, dialect) : undefined
  if (answered !== undefined && (status === 200 || words.every(isRestriction))) return ok(answered)
  const restriction = readRestriction(response, dialect)
  if (restriction !== undefined) return ok(repeat(restriction, count))
  const byText = status === 200 && isText ? textReplies(body, dialect)[0] : undefined
  if (byText !== undefined) return ok(repeat(byText, count))
  const byStatus = words.length === 0 ? dialect.statuses?.[status] : undefined
  if (byStatus !== undefined) return ok(repeat(replyOf(byStatus, status), count))
  // RFC 9110 §15.5.2: credentials missing or refused. Some services send the status without a reply word.
  if (status === 401 && words.length === 0) return ok(repeat({ word: 'badauth', said: 'HTTP 401' }, count))
  return err(unrecognized(response, { lines: lines.length, count, words: words.length }))
}

/**
 * The reply of the highest severity that requires a client to wait or stop, on any line; undefined where there is none.
 * An HTML page is never a reply, even if one of its lines begins with a reply word.
 */
export function readRestriction(
  { status, body }: UpdateResponse,
  dialect: ReplyDialect = PLAIN_DIALECT,
): Reply | undefined {
  const isMarkup = isHtml(body) && dialect.hasMarkup !== true
  if (isRedirect(status) || isTooLong(body) || isMarkup) return undefined
  const words = linesOf(body, dialect).flatMap((line) => {
    const reply = parseReply(line, dialect)
    return reply.ok ? [reply.value] : []
  })
  return [...words, ...textReplies(body, dialect)]
    .filter(isRestriction)
    .toSorted((a, b) => severityOf(b.word) - severityOf(a.word))[0]
}

/** What the texts of the dialect find, in the order of its table. */
const textReplies = (body: string, dialect: ReplyDialect): readonly Reply[] => {
  const text = linesOf(body, dialect).join(' ').replaceAll(/\s+/g, ' ')
  const isReply = !isTooLong(body) && (dialect.hasMarkup === true || !isHtml(body))
  return (dialect.texts ?? []).flatMap(({ text: pattern, like }) => {
    const [said] = isReply ? (pattern.exec(text) ?? []) : []
    if (said === undefined) return []
    return [isAddressedWord(like) ? { word: like, addresses: [] } : { word: like, said: said.toLowerCase() }]
  })
}

/** The reply of each hostname; undefined where their number does not fit. */
function answeredBy(
  words: readonly Reply[],
  count: number,
  { hasOneLine }: ReplyDialect,
): readonly Reply[] | undefined {
  if (words.length === count) return words
  if (hasOneLine === true && words.length === 1) return words.flatMap((reply) => repeat(reply, count))
  return count === 1 ? eachFamily(words) : undefined
}

/** Some services answer for one hostname with a line for each family: a change of one of them is a change. */
function eachFamily(words: readonly Reply[]): readonly Reply[] | undefined {
  const each = words.flatMap((reply) => ('addresses' in reply && reply.addresses.length === 1 ? [reply] : []))
  const addresses = each.flatMap((reply) => reply.addresses)
  const isOneEach = words.length === 2 && Object.keys(byFamily(addresses)).length === 2
  const word = each.some((reply) => isChangeReply(reply.word)) ? 'good' : 'nochg'
  return isOneEach ? [{ word, addresses }] : undefined
}

const replyOf = (word: ReplyWord, status: number): Reply =>
  isAddressedWord(word) ? { word, addresses: [] } : { word, said: `HTTP ${status}` }

/** A service that answers with pages writes its words between tags. */
const linesOf = (body: string, { hasMarkup }: ReplyDialect): readonly string[] =>
  replyLines(hasMarkup === true ? withoutTags(body) : body)

/** The text between HTML tags, one piece a line. */
const withoutTags = (body: string): string => body.replaceAll(/<[^<>]*>/g, '\n')

const isRestriction = ({ word }: Reply): boolean => severityOf(word) > 0
const isRedirect = (status: number): boolean => status >= 300 && status < 400
const isTooLong = (body: string): boolean => Buffer.byteLength(body) > MAX_REPLY_BYTES
/** A web page, which is no reply of a service. */
export const isHtml = (body: string): boolean =>
  /^\s*(<!doctype html|<html|<head|<\?xml|<meta|<script|<title)/i.test(body)

const replyLines = (body: string): readonly string[] =>
  body
    .slice(0, MAX_REPLY_BYTES + 1)
    .split('\n')
    // Some embedded servers end their text with a NUL.
    .map((line) => line.replaceAll('\0', ' ').trim())
    .filter((line) => line !== '')

interface LineCounts {
  /** Non-empty lines of the body. */
  readonly lines: number
  /** Hostnames of the request. */
  readonly count: number
  /** Lines that start with a reply word. */
  readonly words: number
}

function unrecognized({ status, body }: UpdateResponse, counts: LineCounts): UnrecognizedReply {
  // A portal redirects, or answers every request with 200. An HTML page with 404 means a wrong address.
  const looksLikePortal = isRedirect(status) || (isHtml(body) && status === 200)
  const quote = quoteOf(body)
  const because = `${describe({ status, body }, counts)}${quote === '' ? '' : `: ${quote}`}`
  const isBusy = (status >= 500 || status === 429) && counts.words === 0
  return { because, looksLikePortal, ...(isBusy && { status }) }
}

function describe({ status, body }: UpdateResponse, { lines, count, words }: LineCounts): string {
  const http = `HTTP ${status}`
  if (isRedirect(status)) return `a redirect, which is not followed (${http})`
  if (isTooLong(body)) return `more than ${MAX_REPLY_BYTES / 1024} KiB (${http})`
  if (isHtml(body)) return `a web page (${http})`
  if (lines === 0) return `an empty response (${http})`
  if (words === lines && body.includes('\0')) return `text with an octet that is none (${http})`
  if (words < lines) return `text that is not a reply word (${http})`
  if (status !== 200) return `a reply word for success with ${http}`
  return `${lines} ${lines === 1 ? 'line' : 'lines'} for ${count} ${count === 1 ? 'hostname' : 'hostnames'} (${http})`
}

const repeat = (reply: Reply, count: number): Reply[] => Array.from({ length: count }, () => reply)

/**
 * Server side: the inverse of `readResponse`. A word about the account is the only line, words about hostnames are one
 * per line, in order.
 */
export function writeResponse(replies: readonly Reply[]): UpdateResponse {
  const [first] = replies
  const lines = first !== undefined && isAccountWord(first.word) ? [first] : replies
  return {
    status: first === undefined ? 200 : statusOf(first.word),
    body: lines.map(formatReply).join('\n') + '\n',
  }
}
