import { rrsetOf } from '../../model/tree.ts'
import { isObject } from '../request/body.ts'
import type { RequestContext } from '../request/context.ts'
import { nameToRead, pathType } from '../request/locate.ts'
import { faulty, type Malformed } from '../request/faults.ts'
import { parseTags, tagOfName, tagOfRRSet } from './entity-tag.ts'

const AT_HEADER = { location: 'header' } as const
const INVALID = faulty('ifMatchInvalid', {
  detail: 'If-Match is * or a list of entity tags in quotes, as in the ETag of a response',
  ...AT_HEADER,
})
const FAILED = faulty('preconditionFailed', {
  detail: 'no tag of If-Match is that of the stored data; read it again',
  ...AT_HEADER,
})
const EXISTS = faulty('preconditionFailed', {
  detail: 'If-None-Match is *, and it is there already',
  ...AT_HEADER,
})

/**
 * Why a write must not be done (RFC 9110 §13.1.1). It runs in the transaction of the write. A caller that may not read the
 * name gets the refusal of the operation instead, so that a precondition tells nothing about names of other accounts.
 */
export async function preconditionFault(
  context: RequestContext,
  { ifMatch, ifNoneMatch }: Conditions,
): Promise<Malformed | undefined> {
  // RFC 9110 §13.1.2: what must be new is not written over. Other tags are for reads.
  const mustBeNew = ifNoneMatch?.trim() === '*' && context.params['name'] !== undefined
  if (mustBeNew && (await tagsAt(context))?.exists === true) return EXISTS
  if (ifMatch === undefined) return undefined
  const tags = parseTags(ifMatch)
  if (tags === undefined) return INVALID
  const current = await tagsAt(context)
  if (current === undefined) return undefined
  const isMet = tags === '*' ? current.exists : tags.some((tag) => current.tags.includes(tag))
  return isMet ? undefined : FAILED
}

/** The headers of a write. */
interface Conditions {
  readonly ifMatch?: string | undefined
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
