import { createHash } from 'node:crypto'
import type { Name, RRSet, Zone } from '../../model/tree.ts'
import { showName, showRRSet } from './show.ts'

/** A strong entity tag (RFC 9110 §8.8.3) of everything that the API shows. */
const tagOf = (shown: unknown): string =>
  `"${createHash('sha256').update(JSON.stringify(shown)).digest('base64url').slice(0, 22)}"`

/** The same with and without the offline settings, so that a change of them is noticed. */
export const tagOfName = (zone: Zone, name: Name): string => tagOf(showName(zone, name, true))
export const tagOfRRSet = (rrset: RRSet): string => tagOf(showRRSet(rrset))

/** In characters of a time in RFC 3339. */
const TO_THE_MINUTE = 16

/**
 * A weak tag of a page of a list, from its rows as they are shown: right on both stores, on every node and after a restart,
 * for any change, also by `holdfast admin` and by publishing. A counter of changes would save the statements that read the
 * page, but every way to write would have to raise it; of the work for a page, the digest is a small part. The last use of a
 * key counts to the minute: each update changes it, and a list that is polled would never be the same. So a response with
 * this tag may show a last use that is up to a minute old, which is why the tag is weak.
 */
export const tagOfList = (rows: readonly object[], page: object): string =>
  `W/${tagOf([rows.map((row) => withoutSeconds(row as Record<string, unknown>)), page])}`

const withoutSeconds = (row: Readonly<Record<string, unknown>>): object => {
  const { last_used_at: usedAt, last_update: update } = row
  const at = typeof update === 'object' && update !== null && 'at' in update ? update.at : undefined
  return {
    ...row,
    ...(typeof usedAt === 'string' && { last_used_at: usedAt.slice(0, TO_THE_MINUTE) }),
    ...(typeof at === 'string' && { last_update: at.slice(0, TO_THE_MINUTE) }),
  }
}

const ENTITY_TAG = /(?:W\/)?"[!#-~\u0080-\u00ff]*"/g

/** The tags of an If-Match or If-None-Match, or `*` (RFC 9110 §13.1.1); undefined for other text. */
export function parseTags(text: string): '*' | readonly string[] | undefined {
  if (text.trim() === '*') return '*'
  const tags = text.match(ENTITY_TAG) ?? []
  return tags.length > 0 && /^[\s,]*$/.test(text.replaceAll(ENTITY_TAG, '')) ? tags : undefined
}

const WEAK = /^W\//

/**
 * Whether the reader has this representation already (RFC 9110 §13.1.2,
 * §8.8.3.2: weak comparison). Other text is ignored.
 */
export function isNotModified(ifNoneMatch: string | undefined, tag: string | undefined): boolean {
  if (ifNoneMatch === undefined || tag === undefined) return false
  const tags = parseTags(ifNoneMatch) ?? []
  const own = tag.replace(WEAK, '')
  return tags === '*' || tags.some((one) => one.replace(WEAK, '') === own)
}
