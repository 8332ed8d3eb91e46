import { err, ok, type Result } from '../../shared/base/result.ts'
import { parseAddress } from '../../shared/base/address.ts'
import { isListable, parseHostname } from '../../shared/base/hostname.ts'

const MAX_LABEL_LENGTH = 63
const MAX_NAME_LENGTH = 253

/** What is wrong with a hostname, with a predicate for the complaint. The first matching row wins. */
// biome-ignore format: a table
const FLAWS: readonly (readonly [matches: (text: string) => boolean, problem: (text: string) => string])[] = [
  [(text) => text.includes('://'),                   (text) => `is a URL; write only the name${bareName(text)}`],
  [(text) => parseAddress(text.replaceAll(/[[\]]/g, '')) !== undefined, () => 'is an address, not a hostname; set an address to publish as myip'],
  [(text) => /\s/.test(text),                        () => 'contains a blank'],
  [(text) => /[/:]/.test(text),                      () => 'contains a slash or a colon; write only the name'],
  [(text) => text.startsWith('.'),                   () => 'begins with a dot'],
  [(text) => text === '@',                           () => 'stands for a zone itself; write the name of the zone, such as example.com'],
  [(text) => text.startsWith('@.'),                  (text) => `begins with @, which stands for the zone itself; write ${text.slice(2)}`],
  [(text) => /\.\d+\.?$/.test(text),                () => 'ends with a number, as no domain does'],
  [(text) => text.includes('..'),                    () => 'has two dots in a row'],
  [(text) => text.length > MAX_NAME_LENGTH,          (text) => `has ${text.length} characters; the maximum is ${MAX_NAME_LENGTH}`],
  [(text) => longestLabel(text) > MAX_LABEL_LENGTH,  (text) => `has a label of ${longestLabel(text)} characters; the maximum is ${MAX_LABEL_LENGTH}`],
  [(text) => /(^|\.)-|-(\.|$)/.test(text),           () => 'has a label that begins or ends with a hyphen'],
]

const longestLabel = (text: string): number => Math.max(...text.split('.').map((label) => label.length))
const bareName = (text: string): string => (URL.canParse(text) ? `, ${new URL(text).hostname}` : '')

/** A hostname or group in the form of the protocol: lower case (RFC 4343), ASCII (RFC 5891), no trailing dot. */
export function readHostname(value: string): Result<string, string> {
  const flaw = FLAWS.find(([matches]) => matches(value))
  if (flaw !== undefined) return err(flaw[1](value))
  const text = /[^\0-\x7f]/.test(value) ? toAscii(value) : value
  if (text === undefined || !isListable(text)) return err('is not a valid hostname or group')
  return ok(parseHostname(text) ?? text.toLowerCase().replace(/\.$/, ''))
}

/** The same, or a label with blanks: whether the service has labels depends on the account. */
export const readHostnameOrLabel = (value: string): Result<string, string> =>
  value.length <= MAX_LABEL_LENGTH && /^\w[\w.-]*( [\w.-]+)+$/.test(value) ? ok(value) : readHostname(value)

/** IDNA by way of the URL Standard; undefined where the name has no ASCII form. */
const toAscii = (text: string): string | undefined =>
  URL.canParse(`http://${text}`) ? new URL(`http://${text}`).hostname : undefined
