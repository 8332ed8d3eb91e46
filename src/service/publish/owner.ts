import { APEX } from '../model/dns-name.ts'

/** Between labels: lower than every character of a label, so that the names beneath one follow it. */
const SEPARATOR = '\u0001'

/** The key of a published name: labels reversed, relative to the zone. The apex is empty. */
export const ownerKey = (relative: string): string =>
  relative === APEX ? '' : relative.split('.').toReversed().join(SEPARATOR)

/** The inverse, as a whole name. */
export const ownerName = (key: string, apex: string): string =>
  key === '' ? apex : `${key.split(SEPARATOR).toReversed().join('.')}.${apex}`

/** The key of the name above; undefined for the apex. */
export function parentKey(key: string): string | undefined {
  if (key === '') return undefined
  const at = key.lastIndexOf(SEPARATOR)
  return at === -1 ? '' : key.slice(0, at)
}

export const childKey = (key: string, label: string): string =>
  key === '' ? label : `${key}${SEPARATOR}${label}`
