import { domainToUnicode } from 'node:url'

/** RFC 1035 §2.3.4, in octets on the wire, with the length bytes and the root label. */
export const MAX_LABEL_BYTES = 63
export const MAX_NAME_BYTES = 255

export const APEX = '@'
export const WILDCARD = '*'

/** Lower case (RFC 4343), without trailing dot. */
export const canonicalName = (text: string): string => text.toLowerCase().replace(/\.$/, '')

export const wireLength = (fqdn: string): number => fqdn.length + 2

/** Parses a domain name in Rdata, which may be outside our zones. */
export function parseTarget(text: string): string | undefined {
  const name = canonicalName(text)
  const labels = name.split('.')
  const isValid =
    name !== '' &&
    wireLength(name) <= MAX_NAME_BYTES &&
    labels.every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label)) &&
    !/^\d+$/.test(labels.at(-1) ?? '')
  return isValid ? name : undefined
}

/** The same for a host name, which has no underscore (RFC 952, RFC 1123 §2.1). */
export const parseHost = (text: string): string | undefined => {
  const name = parseTarget(text)
  return name === undefined || name.includes('_') ? undefined : name
}

/** "@" and "a.b" in "example.test" to fully qualified names. */
export const fqdnOf = (name: string, zone: string): string => (name === APEX ? zone : `${name}.${zone}`)

/** The names above this one, the nearest first. */
export const namesAbove = (name: string): readonly string[] => {
  const labels = name.split('.')
  return labels.slice(1).map((_, at) => labels.slice(at + 1).join('.'))
}

/** The labels from the root down, so that the names beneath one are next to it in order. */
export const reversed = (fqdn: string): string => fqdn.split('.').toReversed().join('.')

/** The inverse; undefined for a name outside the zone. */
export function relativeTo(fqdn: string, zone: string): string | undefined {
  if (fqdn === zone) return APEX
  return fqdn.endsWith(`.${zone}`) ? fqdn.slice(0, -zone.length - 1) : undefined
}

/** The name without its first label: for a wildcard, its closest encloser (RFC 4592 §3.3.1). */
export const parentOf = (name: string): string => {
  const [, ...rest] = name.split('.')
  return rest.length === 0 ? APEX : rest.join('.')
}

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
