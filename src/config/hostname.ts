import { err, ok, type Result } from '../base/result.ts'
import { parseAddress } from '../net/address.ts'
import { isListable, parseHostname } from '../net/hostname.ts'

const LONGEST_LABEL = 63

/** What is wrong with a text as a hostname: the first row that holds. */
// biome-ignore format: a table
const FLAWS: readonly (readonly [has: (text: string) => boolean, says: (text: string) => string])[] = [
  [(text) => text.includes('://'),                   (text) => `is a URL; write the name alone${bareName(text)}`],
  [(text) => parseAddress(text.replaceAll(/[[\]]/g, '')) !== undefined, () => 'is an address and not a hostname; an address to publish goes into myip'],
  [(text) => /\s/.test(text),                        () => 'holds a blank'],
  [(text) => /[/:]/.test(text),                      () => 'holds a slash or a colon; write the name alone'],
  [(text) => text.startsWith('.'),                   () => 'begins with a dot'],
  [(text) => text.includes('..'),                    () => 'has two dots in a row'],
  [(text) => text.length > 253,                      (text) => `has ${text.length} characters; a name has at most 253`],
  [(text) => longestOf(text) > LONGEST_LABEL,        (text) => `has a label of ${longestOf(text)} characters; ${LONGEST_LABEL} is the most`],
  [(text) => /(^|\.)-|-(\.|$)/.test(text),           () => 'has a label that begins or ends with a hyphen'],
]

const longestOf = (text: string): number => Math.max(...text.split('.').map((label) => label.length))
const bareName = (text: string): string => (URL.canParse(text) ? `, ${new URL(text).hostname}` : '')

/** A name or a group as it goes over the wire: lower case (RFC 4343), ASCII (RFC 5891), no trailing dot. */
export function readHostname(value: string): Result<string, string> {
  const flaw = FLAWS.find(([has]) => has(value))
  if (flaw !== undefined) return err(flaw[1](value))
  const text = /[^\0-\x7f]/.test(value) ? toAscii(value) : value
  if (text === undefined || !isListable(text)) return err('is no hostname or group')
  return ok(parseHostname(text) ?? text.toLowerCase())
}

/** IDNA as the URL Standard has it; undefined where the name cannot be written so. */
const toAscii = (text: string): string | undefined =>
  URL.canParse(`http://${text}`) ? new URL(`http://${text}`).hostname : undefined
