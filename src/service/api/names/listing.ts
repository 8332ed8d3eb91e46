import { asciiName, canonicalName } from '../../model/dns-name.ts'
import {
  type Expression,
  type NameFilter,
  type Sort,
  type SortValue,
  sortValueOf,
} from '../../model/query.ts'
import { storedStates } from '../../model/publication.ts'
import { RDATA_TYPES } from '../../model/rdata/types.ts'
import { isScoped, recordScopeOf } from '../../rules/permission.ts'
import type { ListedName } from '../../store/records.ts'
import { zoneToRead } from '../request/locate.ts'
import {
  combine,
  isRefusal,
  readExpand,
  readFilter,
  readFilterExpression,
  readPage,
  readSort,
  readView,
} from '../query/query.ts'
import type { Filters } from '../query/parameters.ts'
import { refused, type RequestContext } from '../request/context.ts'
import { lastUpdatesOf } from '../answer/last-update.ts'
import { wordsOfNames } from '../answer/publication.ts'
import { showName, showSummary } from '../answer/show.ts'
import { listResult } from '../answer/list.ts'

/** The names of the account that match the query. */
export async function listNames(context: RequestContext) {
  const sort = readSort(context)
  if (isRefusal(sort)) return refused(sort)
  const parsed = combine({
    page: readPage(context, positionOf(sort)),
    view: readView(context),
    isExpanded: readExpand(context),
    filter: readFilter(context),
    zoneMetadata: readFilterExpression(context, 'zone_metadata'),
    metadata: readFilterExpression(context, 'metadata'),
    rrsetMetadata: readFilterExpression(context, 'rrset_metadata'),
  })
  if ('malformed' in parsed) return parsed
  const { page, view, isExpanded: withSettings, filter, ...expressions } = parsed.value
  const query = { ...ofCaller(context, filter), sort, page, ...defined(expressions) }
  if (view !== 'detail') {
    const { items, ...place } = await context.store.summariesBy(query)
    const word = view === 'summary' ? await wordsOfNames(context, items) : undefined
    const rows = items.map((one) => ({
      ...showSummary(one, view, withSettings),
      ...(word !== undefined && { publication: word(one) }),
    }))
    return listResult(context, { page, ...place }, rows)
  }
  const { items, ...place } = await context.store.namesBy(query)
  return listResult(context, { page, ...place }, await shownNames(context, items, withSettings))
}

/** Whole names, with their last updates. */
async function shownNames(context: RequestContext, items: readonly ListedName[], withSettings: boolean) {
  const last = await lastUpdatesOf(
    context,
    items.map(({ name }) => name.id),
  )
  const word = await wordsOfNames(context, items)
  return items.map((item) => ({
    ...showName(item.zone, item.name, withSettings),
    publication: word(item),
    last_update: last(item.name.id),
  }))
}

/** What the position of a name has: the values by which it is sorted, and its id. */
const positionOf = (sort: readonly Sort[]): readonly SortValue[] => [
  ...sort.map(({ key }) => sortValueOf(key)),
  'number',
]

/** The part of a query that depends on the caller; an API key with scopes may not read DDNS keys. */
const ofCaller = ({ caller, service }: RequestContext, { publications, ...filter }: Filters) => ({
  accountId: caller.account.id,
  scope: recordScopeOf(caller),
  filter: {
    ...canonical(filter, !isScoped(caller)),
    ...(publications !== undefined && {
      states: storedStates(publications, { answerer: service.answerer, late: service.lateZones() }),
    }),
  },
})

const defined = ({
  zoneMetadata,
  metadata,
  rrsetMetadata,
}: Readonly<Partial<Record<'zoneMetadata' | 'metadata' | 'rrsetMetadata', Expression | undefined>>>) => ({
  ...(zoneMetadata !== undefined && { zoneMetadata }),
  ...(metadata !== undefined && { metadata }),
  ...(rrsetMetadata !== undefined && { rrsetMetadata }),
})

/** Names, types and values in the form in which they are stored. */
const canonical = ({ search, ...filter }: Omit<Filters, 'publications'>, isInKeys: boolean): NameFilter => ({
  ...filter,
  // An empty text is in every name.
  ...(search !== undefined &&
    search !== '' && { search: { name: asciiName(search).toLowerCase(), text: search, isInKeys } }),
  ...(filter.names && { names: filter.names.map((name) => asciiName(name).toLowerCase()) }),
  ...(filter.zoneNames && { zoneNames: filter.zoneNames.map((name) => canonicalName(asciiName(name))) }),
  ...(filter.rdata && { rdata: filter.rdata.flatMap(canonicalForms) }),
  ...(filter.dnsTypes && { dnsTypes: filter.dnsTypes.map((type) => type.toUpperCase()) }),
})

/** A value in the canonical form of every type that accepts it, and unchanged. */
const canonicalForms = (value: string): readonly string[] => [
  ...new Set([
    value,
    ...Object.values(RDATA_TYPES).flatMap(({ parse }) => {
      const parsed = parse(value)
      return parsed.ok ? [parsed.value] : []
    }),
  ]),
]

/** The names of one zone: all of them for its owner, their own for other accounts. */
export async function listZoneNames(context: RequestContext) {
  const zone = await zoneToRead(context)
  if ('refusals' in zone) return zone
  const sort = readSort(context)
  if (isRefusal(sort)) return refused(sort)
  const parsed = combine({
    page: readPage(context, positionOf(sort)),
    isExpanded: readExpand(context),
    filter: readFilter(context),
    metadata: readFilterExpression(context, 'metadata'),
    rrsetMetadata: readFilterExpression(context, 'rrset_metadata'),
  })
  if ('malformed' in parsed) return parsed
  const { page, isExpanded: withSettings, filter, ...expressions } = parsed.value
  const { items, ...place } = await context.store.namesBy({
    ...ofCaller(context, filter),
    zoneId: zone.id,
    sort,
    page,
    ...defined(expressions),
  })
  return listResult(context, { page, ...place }, await shownNames(context, items, withSettings))
}
