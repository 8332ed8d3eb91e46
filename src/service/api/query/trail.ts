import { type Instant, parseInstant } from '../../../shared/base/time.ts'
import { canonicalName, fqdnOf } from '../../model/dns-name.ts'
import { asciiName } from '../../model/idn.ts'
import type { TrailFilter, TrailPlace } from '../../store/account/trail.ts'
import { isObject, isText } from '../request/bodies.ts'
import type { RequestContext, RequestFault } from '../request/context.ts'
import { TRAIL_FILTERS, type TrailFilterKey } from './parameters.ts'
import { badQuery } from './query.ts'

type TrailRead<T> = { readonly value: T } | { readonly malformed: readonly RequestFault[] }
type Texts = Partial<Readonly<Record<TrailFilterKey, string>>>

const badFilter = (detail: string): { readonly malformed: readonly RequestFault[] } => ({
  malformed: [{ ...badQuery(detail), pointer: 'filter' }],
})

/** The conditions of `filter`, each with one value. */
export function readTrailFilter({ query }: RequestContext): TrailRead<TrailFilter> {
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

export const formatPlace = ({ updates, others }: TrailPlace): string => `${updates}-${others}`

/** The inverse, of `after`; undefined without it. */
export function readPlace({ query: { after } }: RequestContext): TrailRead<TrailPlace | undefined> {
  if (after === undefined) return { value: undefined }
  const [, ...numbers] = (typeof after === 'string' && PLACE.exec(after)) || []
  const [updates, others] = numbers.map(Number).filter((n) => Number.isSafeInteger(n))
  return updates === undefined || others === undefined
    ? { malformed: [{ ...badQuery('after is page.next of a page before'), pointer: 'after' }] }
    : { value: { updates, others } }
}
