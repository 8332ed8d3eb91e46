import { quoted } from './rdata-strings.ts'

/** What precedes a record that is only for Holdfast: a comment for name servers. */
export const OWN = ';holdfast '

/** One record or directive, over one line or several. */
export interface Entry {
  readonly tokens: readonly string[]
  readonly hasOwner: boolean
  /** Its first line. */
  readonly line: number
}

interface MasterFault {
  readonly line: number
  readonly fault: string
}

interface Entries {
  readonly entries: readonly Entry[]
  readonly faults: readonly MasterFault[]
}

const BYTE_ORDER_MARK = '\u00ef\u00bb\u00bf'

/**
 * The octets of a file as text. A master file has no character set (RFC 1035 §5.1): an octet above 127 becomes \DDD, so
 * that it is stored as it is. Editors put a byte order mark before UTF-8, which is not of the file.
 */
export function textOfOctets(octets: Uint8Array): string {
  const text = Buffer.from(octets).toString('latin1')
  const own = text.startsWith(BYTE_ORDER_MARK) ? text.slice(BYTE_ORDER_MARK.length) : text
  return own.replace(/\\[^\u0080-\u00ff]|\\?([\u0080-\u00ff])/g, (part, octet?: string) =>
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
  readonly hasOwner: boolean
  readonly line: number
}

/** Parentheses join lines, and comments end. After a fault the rest is read all the same. */
export function entriesOf(text: string): Entries {
  const entries: Entry[] = []
  const faults: MasterFault[] = []
  let depth = 0
  let open: OpenEntry | undefined
  for (const [at, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.startsWith(OWN) ? ownRecord(raw.slice(OWN.length)) : raw
    open ??= { tokens: [], hasOwner: /^[^ \t]/.test(line), line: at + 1 }
    const tokens = tokensOf(line)
    depth += depthOf(tokens)
    const fault = faultOf(tokens, depth)
    if (fault !== undefined) {
      faults.push({ line: at + 1, fault })
      depth = 0
      open = undefined
      continue
    }
    open.tokens.push(...tokens.filter((token) => token !== '(' && token !== ')'))
    if (depth > 0) continue
    if (open.tokens.length > 0) entries.push(open)
    open = undefined
  }
  if (open !== undefined) faults.push({ line: open.line, fault: 'a parenthesis is not closed' })
  return { entries, faults }
}

const depthOf = (tokens: readonly string[]): number =>
  tokens.reduce((sum, token) => sum + (token === '(' ? 1 : token === ')' ? -1 : 0), 0)

function faultOf(tokens: readonly string[], depth: number): string | undefined {
  if (tokens.includes('"')) return 'a quote is not closed'
  if (tokens.includes('\\')) return 'a backslash at the end of the line has nothing to escape'
  return depth < 0 ? 'a closing parenthesis without an opening one' : undefined
}
