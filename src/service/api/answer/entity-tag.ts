import { createHash } from 'node:crypto'
import { type Name, type RRSet, rrsetOf, type Zone } from '../../model/tree.ts'
import { isObject, type RequestContext, type RequestFault } from '../request/context.ts'
import { nameToRead, pathType } from '../request/locate.ts'
import { REQUEST_FAULTS } from '../request/faults.ts'
import { showName, showRRSet } from './show.ts'
import type { ListedPage, Page, Position } from '../../model/query.ts'
import { formatCursor, type ListOrder } from '../query/cursor.ts'

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

const AT_HEADER = { location: 'header' } as const
const INVALID: RequestFault = {
  ...REQUEST_FAULTS.ifMatchInvalid,
  detail: 'If-Match is * or a list of entity tags in quotes, as in the ETag of a response',
  ...AT_HEADER,
}
const FAILED: RequestFault = {
  ...REQUEST_FAULTS.preconditionFailed,
  detail: 'no tag of If-Match is that of the stored data; read it again',
  ...AT_HEADER,
}

const EXISTS: RequestFault = {
  ...REQUEST_FAULTS.preconditionFailed,
  detail: 'If-None-Match is *, and it is there already',
  ...AT_HEADER,
}

/**
 * Why a write must not be done (RFC 9110 §13.1.1). It runs in the transaction of the write. A caller that may not read the
 * name gets the refusal of the operation instead, so that a precondition tells nothing about names of other accounts.
 */
export async function preconditionFault(
  context: RequestContext,
  { ifMatch, ifNoneMatch }: Conditions,
): Promise<{ readonly malformed: readonly RequestFault[] } | undefined> {
  // RFC 9110 §13.1.2: what must be new is not written over. Other tags are for reads.
  const mustBeNew = ifNoneMatch?.trim() === '*' && context.params['name'] !== undefined
  if (mustBeNew && (await tagsAt(context))?.exists === true) return { malformed: [EXISTS] }
  if (ifMatch === undefined) return undefined
  const tags = parseTags(ifMatch)
  if (tags === undefined) return { malformed: [INVALID] }
  const current = await tagsAt(context)
  if (current === undefined) return undefined
  const isMet = tags === '*' ? current.exists : tags.some((tag) => current.tags.includes(tag))
  return isMet ? undefined : { malformed: [FAILED] }
}

/** The headers of a write. */
export interface Conditions {
  readonly ifMatch: string | undefined
  readonly ifNoneMatch?: string | undefined
}

interface CurrentTags {
  /** Whether there is what the path names. */
  readonly exists: boolean
  readonly tags: readonly string[]
}

/** Of a list of changes, the name, if all are of one. */
function onlyNameIn(body: unknown): string | undefined {
  const names = Array.isArray(body)
    ? (body as unknown[]).map((one) => (isObject(one) ? one['name'] : undefined))
    : []
  const [first] = names
  return typeof first === 'string' && names.every((one) => one === first) ? first : undefined
}

/** The tags of the name in the path and of the RRSet in the path; undefined if the caller may not know them. */
async function tagsAt(context: RequestContext): Promise<CurrentTags | undefined> {
  const own = context.params['name'] ?? onlyNameIn(context.body)
  if (own === undefined) return { exists: true, tags: [] }
  const place = await nameToRead({ ...context, params: { ...context.params, name: own } })
  if ('refusals' in place)
    return place.refusals.some(({ refused }) => refused === 'nameNotFound')
      ? { exists: false, tags: [] }
      : undefined
  const name = tagOfName(place.zone, place.name)
  if (context.params['dns_type'] === undefined) return { exists: true, tags: [name] }
  const rrset = rrsetOf(place.name, pathType(context) ?? '')
  return { exists: rrset !== undefined, tags: [name, ...(rrset === undefined ? [] : [tagOfRRSet(rrset)])] }
}

/** A page of a list, and the list that it is of. */
interface ShownPage extends Pick<ListedPage<unknown>, 'total' | 'next'> {
  readonly list: ListOrder
  readonly page: Page
}

/** The answer with a page of a list: its rows, its place, the cursor of the next page, and its entity tag. */
export function listResult<T extends object>(context: RequestContext, shown: ShownPage, data: readonly T[]) {
  const { list, total, next } = shown
  const { offset, limit } = shown.page
  const start = next && { offset: offset + data.length, after: next }
  const page = { offset, limit, total, next: start === undefined ? null : formatCursor(context, list, start) }
  return { status: 200 as const, data, page, headers: { etag: tagOfList(data, page) } }
}

interface RowOrder<R> {
  readonly isAfter: (row: R, position: Position) => boolean
  readonly positionOf: (row: R) => Position
}

/** A page of rows that are in memory, in their order. */
export function pageOfRows<R>(
  rows: readonly R[],
  { offset, limit, after }: Page,
  { isAfter, positionOf }: RowOrder<R>,
): ListedPage<R> {
  const rest = after === undefined ? rows.slice(offset) : rows.filter((row) => isAfter(row, after))
  const items = rest.slice(0, limit)
  const last = rest.length > limit ? items.at(-1) : undefined
  return { items, total: rows.length, next: last === undefined ? undefined : positionOf(last) }
}
