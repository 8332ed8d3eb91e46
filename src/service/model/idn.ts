import { domainToUnicode } from 'node:url'

/**
 * Internationalized names (RFC 5890 §2.3.2): labels with other characters than ASCII in the form in which DNS has them,
 * such as `xn--mnchen-3ya`. A label without such a form stays as it is, and is refused where the characters of a label
 * are checked.
 */
export const asciiName = (name: string): string =>
  name.length <= MAX_LENGTH && NOT_ASCII.test(name) ? name.split('.').map(asciiLabel).join('.') : name

/** The same the other way, for people; what is no such name stays as it is. */
export function unicodeName(name: string): string {
  if (!name.includes('xn--')) return name
  return name
    .split('.')
    .map((label) => (label.startsWith('xn--') && domainToUnicode(label)) || label)
    .join('.')
}

/** In UTF-16 code units. A longer text is no name: one has 253 characters, and characters that the mapping ignores. */
const MAX_LENGTH = 1000

const NOT_ASCII = /[^\0-\x7f]/

/** Without characters that have a meaning in a URL. */
const CONVERTIBLE = /^[\w\u0080-\u{10ffff}-]+$/u

/** What follows the label keeps the parser of URLs from reading digits as an IPv4 address. */
const SUFFIX = '.invalid'

/** The host parser of URLs maps a label by UTS #46. A separator that it finds inside would be a label more. */
function asciiLabel(label: string): string {
  const url = `http://${label}${SUFFIX}`
  const isConvertible = NOT_ASCII.test(label) && CONVERTIBLE.test(label) && URL.canParse(url)
  const ascii = isConvertible ? new URL(url).host.slice(0, -SUFFIX.length) : ''
  return ascii === '' || ascii.includes('.') ? label : ascii
}
