import type { TrailEntry } from '../../model/trail.ts'
import { isScoped } from '../../rules/permission.ts'
import type { TrailFilter, TrailPage, TrailPlace } from '../../store/account/trail.ts'
import { tagOfList } from '../answer/entity-tag.ts'
import { timeOf } from '../answer/show.ts'
import { TRAIL_FILTERS, type TrailFilterKey } from '../query/parameters.ts'
import { badQuery, combine, readLimit } from '../query/query.ts'
import { isObject, isText } from '../request/body.ts'
import type { RequestContext } from '../request/context.ts'
import { type Malformed, SCOPE_REFUSED } from '../request/faults.ts'
import { type Instant, parseInstant } from '../../../shared/base/time.ts'
import { asciiName, canonicalName, fqdnOf } from '../../model/dns-name.ts'

type TrailRead<T> = { readonly value: T } | Malformed
type Texts = Partial<Readonly<Record<TrailFilterKey, string>>>

const badFilter = (detail: string): Malformed => ({ malformed: [badQuery('filter', detail)] })

/** The conditions of `filter`, each with one value. */
function readTrailFilter({ query }: RequestContext): TrailRead<TrailFilter> {
  const { filter = {} } = query
  if (!isObject(filter)) return badFilter('use filter[KEY]=VALUE')
  for (const [key, value] of Object.entries(filter)) {
    const row = Object.hasOwn(TRAIL_FILTERS, key) ? TRAIL_FILTERS[key as TrailFilterKey] : undefined
    if (row === undefined) return badFilter(`filter[${key.slice(0, 40)}] is not a filter`)
    if (typeof value !== 'string' || !isText(value)) return badFilter(`filter[${key}] has one value, a text`)
    if (row.kind === 'time' && parseInstant(value) === undefined)
      return badFilter(`filter[${key}] is a time in UTC, such as 2031-01-31T00:00:00Z`)
  }
  return { value: filterFrom(filter) }
}

function filterFrom({ zone_name: zoneName, name, operation, actor, from, to }: Texts): TrailFilter {
  const zone = zoneName === undefined ? undefined : nameFrom(zoneName)
  const timeOfText = (text: string | undefined): Instant | undefined =>
    text === undefined ? undefined : parseInstant(text)
  const subject =
    name === undefined || zone === undefined ? name && nameFrom(name) : fqdnOf(nameFrom(name), zone)
  const conditions = { zone, subject, operation, actor, from: timeOfText(from), to: timeOfText(to) }
  return Object.fromEntries(Object.entries(conditions).filter(([, value]) => value !== undefined))
}

const nameFrom = (text: string): string => canonicalName(asciiName(text))

const PLACE = /^(\d{1,16})-(\d{1,16})$/

const formatPlace = ({ updates, others }: TrailPlace): string => `${updates}-${others}`

/** The inverse, of `after`; undefined without it. */
function readPlace({ query: { after } }: RequestContext): TrailRead<TrailPlace | undefined> {
  if (after === undefined) return { value: undefined }
  const [, ...numbers] = (typeof after === 'string' && PLACE.exec(after)) || []
  const [updates, others] = numbers.map(Number).filter((n) => Number.isSafeInteger(n))
  return updates === undefined || others === undefined
    ? { malformed: [badQuery('after', 'after is page.next of a page before')] }
    : { value: { updates, others } }
}

/** Who changed what, the newest first. An API key for a part of the account reads none of it: entries are also of keys. */
export async function listTrail(context: RequestContext) {
  const { caller, store } = context
  if (isScoped(caller)) return SCOPE_REFUSED
  const parsed = combine({
    limit: readLimit(context),
    place: readPlace(context),
    filter: readTrailFilter(context),
  })
  if ('malformed' in parsed) return parsed
  const { limit, place, filter } = parsed.value
  const from = place === undefined ? {} : { place }
  const { entries, next }: TrailPage =
    limit === 0
      ? { entries: [], ...(place && { next: place }) }
      : await store.trailPage(caller.account.id, { limit, filter, ...from })
  const page = { limit, next: next === undefined ? null : formatPlace(next) }
  const data = entries.map(showEntry)
  return { status: 200 as const, data, page, headers: { etag: tagOfList(data, page) } }
}

export const showEntry = ({ at, actor, peer, operation, subject, dnsType, before, after }: TrailEntry) => ({
  at: timeOf(at),
  actor,
  peer,
  operation,
  subject,
  dns_type: dnsType ?? null,
  before: before ?? null,
  after: after ?? null,
})
