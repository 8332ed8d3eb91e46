import { type ErrorName, type Refusal, refuse } from '../errors/errors.ts'

/** RFC 1035 §2.3.4, in octets on the wire: length bytes and the root's zero included. */
const MAX_LABEL_BYTES = 63
const MAX_NAME_BYTES = 255

export const APEX = '@'
export const WILDCARD = '*'

/** Lower case (RFC 4343), without trailing dot. */
export const canonicalName = (text: string): string => text.toLowerCase().replace(/\.$/, '')

export const wireLength = (fqdn: string): number => fqdn.length + 2

type NameFault = Extract<
  ErrorName,
  'nameInvalid' | 'labelCharactersInvalid' | 'wildcardNotTerminal' | 'tooManyLabels'
>

/** What is wrong with the name of a new record; in the order in which it is told. `name` is relative to the zone. */
export function nameFault(name: unknown, zone: string, maxLabels: number): Refusal<NameFault> | undefined {
  if (typeof name !== 'string' || name === '') return refuse('nameInvalid', 'a name is missing')
  if (name === APEX) return undefined
  const labels = name.toLowerCase().split('.')
  const broken = labels.find(
    (label) => label === '' || Buffer.byteLength(label) > MAX_LABEL_BYTES || /^-|-$/.test(label),
  )
  if (broken !== undefined)
    return refuse(
      'nameInvalid',
      broken === ''
        ? 'a label is empty'
        : `'${broken.slice(0, 70)}' is too long, or begins or ends with a hyphen`,
    )
  if (wireLength(`${name}.${zone}`) > MAX_NAME_BYTES)
    return refuse('nameInvalid', 'the whole name is longer than 255 octets')
  const odd = labels.find((label) => label !== WILDCARD && !/^[a-z0-9_-]+$/.test(label))
  if (odd !== undefined)
    return refuse(
      'labelCharactersInvalid',
      `'${odd.slice(0, 70)}' holds something else than letters, digits, hyphens and underscores`,
    )
  if (labels.slice(1).includes(WILDCARD))
    return refuse('wildcardNotTerminal', 'the wildcard is not the leftmost label')
  if (labels.length > maxLabels)
    return refuse('tooManyLabels', `${labels.length} labels, and this zone takes ${maxLabels}`)
  return undefined
}

/** A domain name as it stands in Rdata: any labels of the allowed set, not only below our zones. */
export function parseTarget(text: string): string | undefined {
  const name = canonicalName(text)
  const labels = name.split('.')
  const isGood =
    name !== '' &&
    wireLength(name) <= MAX_NAME_BYTES &&
    labels.every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label)) &&
    !/^\d+$/.test(labels.at(-1) ?? '')
  return isGood ? name : undefined
}

/** RFC 952 and RFC 1123 §2.1: a host's name has no underscore. */
export const parseHost = (text: string): string | undefined => {
  const name = parseTarget(text)
  return name === undefined || name.includes('_') ? undefined : name
}

/** "@" and "a.b" in "example.test" as whole names, and back. */
export const fqdnOf = (name: string, zone: string): string => (name === APEX ? zone : `${name}.${zone}`)

/** The part below the zone; undefined for a name that is not in it. */
export function relativeTo(fqdn: string, zone: string): string | undefined {
  if (fqdn === zone) return APEX
  return fqdn.endsWith(`.${zone}`) ? fqdn.slice(0, -zone.length - 1) : undefined
}

/** RFC 4592: the name that a wildcard hangs under. */
export const parentOf = (name: string): string => {
  const [, ...rest] = name.split('.')
  return rest.length === 0 ? APEX : rest.join('.')
}
