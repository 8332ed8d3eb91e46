import type { TrailEntry } from '../../model/trail.ts'
import { isScoped } from '../../rules/access.ts'
import type { TrailPage } from '../../store/account/trail.ts'
import { tagOfList } from '../answer/entity-tag.ts'
import { timeOf } from '../answer/show.ts'
import { QUERY } from '../query/parameters.ts'
import { combine, readLimit } from '../query/query.ts'
import { formatPlace, readPlace, readTrailFilter } from '../query/trail.ts'
import { INSUFFICIENT_SCOPE, type RequestContext } from '../request/context.ts'

/** Who changed what, the newest first. An API key for a part of the account reads none of it: entries are also of keys. */
export async function listTrail(context: RequestContext) {
  const { caller, store } = context
  if (isScoped(caller)) return { malformed: [INSUFFICIENT_SCOPE] }
  const parsed = combine({
    limit: readLimit(context, QUERY.listTrail.cursor),
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
