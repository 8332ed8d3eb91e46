import type { ErrorName } from '../errors.ts'
import { type InvalidValue } from '../rdata/parse.ts'
import { quoted } from '../rdata/strings.ts'

/** What precedes a record that is only for Holdfast: a comment for name servers. */
export const OWN = ';holdfast '

/** One record or directive, over one line or several. */
export interface Entry {
  readonly tokens: readonly string[]
  readonly hasOwner: boolean
  /** Its first line. */
  readonly line: number
}

/** What is wrong in a master file. */
export interface MasterFault {
  readonly line: number
  readonly refused: MasterFaultName
  readonly detail: string
}

export type MasterFaultName =
  | InvalidValue['refused']
  | Extract<ErrorName, 'nameInvalid' | 'typeUnsupported' | 'ttlInvalid'>

const BYTE_ORDER_MARK = '\u00ef\u00bb\u00bf'

/**
 * The lines of a file, as text. A master file has no character set (RFC 1035 §5.1): an octet above 127 becomes \DDD, so
 * that it is stored as it is. Editors put a byte order mark before UTF-8, which is not of the file. The parts of the
 * file may end anywhere.
 */
export function* linesOfOctets(parts: Iterable<Uint8Array>): Generator<string> {
  let rest: string | undefined
  let isFirst = true
  for (const part of parts) {
    const lines = (
      (rest ?? '') + Buffer.from(part.buffer, part.byteOffset, part.length).toString('latin1')
    ).split('\n')
    rest = lines.pop()
    for (const line of lines) {
      yield lineOf(line, isFirst)
      isFirst = false
    }
  }
  if (rest !== undefined) yield lineOf(rest, isFirst)
}

function lineOf(octets: string, isFirst: boolean): string {
  const own = isFirst && octets.startsWith(BYTE_ORDER_MARK) ? octets.slice(BYTE_ORDER_MARK.length) : octets
  return own
    .replace(/\r$/, '')
    .replace(/\\[^\u0080-\u00ff]|\\?([\u0080-\u00ff])/g, (part, octet?: string) =>
      octet === undefined ? part : `\\${octet.charCodeAt(0)}`,
    )
}

/** Only blank and tab separate. A token may have a quoted part: KEY="VALUE" (RFC 9460 appendix A). */
const TOKEN =
  /"(?:[^"\\]|\\[^])*"|[()]|;[^]*|(?:[^ \t();"\\]|\\[^])+="(?:[^"\\]|\\[^])*"|(?:[^ \t();"\\]|\\[^])+|["\\]/g

/** Without the comment at the end. */
function tokensOf(line: string): readonly string[] {
  const tokens = [...line.matchAll(TOKEN)].map(([token]) => token)
  const end = tokens.findIndex((token) => token.startsWith(';'))
  return end < 0 ? tokens : tokens.slice(0, end)
}

/** A redirect as exports before had it: without quotes, also around ";" and parentheses. */
const BARE_REDIRECT = /^(\S+ \d+ IN _URL )([^"\s\\][^\s\\]*)$/

function ownRecord(line: string): string {
  const [, head, url] = BARE_REDIRECT.exec(line) ?? []
  return url === undefined ? line : `${head}${quoted(Buffer.from(url, 'latin1'))}`
}

interface OpenEntry {
  readonly tokens: string[]
  length: number
  readonly hasOwner: boolean
  readonly line: number
}

/** In characters of one record: the longest Rdata has 60,000 octets, each of which may be written as \DDD. */
const MAX_ENTRY = 256 * 1024

/** Parentheses join lines, and comments end. After a fault the rest is read all the same. */
export function* entriesOf(lines: Iterable<string>): Generator<Entry | MasterFault> {
  let depth = 0
  let open: OpenEntry | undefined
  let at = 0
  for (const raw of lines) {
    at++
    const line = raw.startsWith(OWN) ? ownRecord(raw.slice(OWN.length)) : raw
    open ??= { tokens: [], length: 0, hasOwner: /^[^ \t]/.test(line), line: at }
    open.length += line.length
    const tokens = open.length > MAX_ENTRY ? [] : tokensOf(line)
    depth += depthOf(tokens)
    const fault =
      open.length > MAX_ENTRY ? `it is longer than ${MAX_ENTRY} characters` : faultOf(tokens, depth)
    if (fault !== undefined) {
      yield unreadable(at, fault)
      depth = 0
      open = undefined
      continue
    }
    open.tokens.push(...tokens.filter((token) => token !== '(' && token !== ')'))
    if (depth > 0) continue
    // Blank and comment lines too: a reader may pause between them.
    yield open
    open = undefined
  }
  if (open !== undefined) yield unreadable(open.line, 'a parenthesis is not closed')
}

const unreadable = (line: number, detail: string): MasterFault => ({
  line,
  refused: 'rdataMalformed',
  detail,
})

const depthOf = (tokens: readonly string[]): number =>
  tokens.reduce((sum, token) => sum + (token === '(' ? 1 : token === ')' ? -1 : 0), 0)

function faultOf(tokens: readonly string[], depth: number): string | undefined {
  if (tokens.includes('"')) return 'a quote is not closed'
  if (tokens.includes('\\')) return 'a backslash at the end of the line has nothing to escape'
  return depth < 0 ? 'a closing parenthesis without an opening one' : undefined
}
