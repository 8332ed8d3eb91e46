import { canonicalName } from '../../model/dns-name.ts'
import { asciiName } from '../../model/idn.ts'
import type { Expression, NameQuery, Page } from '../../model/query.ts'
import { RDATA_TYPES } from '../../model/rdata-values.ts'
import type { ListedName } from '../../store/records.ts'
import { recordScopeOf } from '../../rules/access.ts'
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
import { QUERY } from '../query/parameters.ts'
import { type RequestContext, refused } from '../request/context.ts'
import { lastUpdatesOf } from '../answer/last-update.ts'
import { showName, showSummary } from '../answer/show.ts'

/** The names of the account that match the query. */
export async function listNames(context: RequestContext) {
  const sort = readSort(context, QUERY.listNames.sort)
  if (isRefusal(sort)) return refused(sort)
  const parsed = combine({
    page: readPage(context, QUERY.listNames.page),
    view: readView(context),
    isExpanded: readExpand(context),
    filter: readFilter(context, QUERY.listNames.filter),
    zoneMetadata: readFilterExpression(context, 'zone_metadata'),
    metadata: readFilterExpression(context, 'metadata'),
    rrsetMetadata: readFilterExpression(context, 'rrset_metadata'),
  })
  if ('malformed' in parsed) return parsed
  const { page, view, isExpanded: withSettings, filter, ...expressions } = parsed.value
  const query = {
    accountId: context.caller.account.id,
    filter: canonical(filter),
    sort,
    page,
    scope: recordScopeOf(context.caller),
    ...defined(expressions),
  }
  if (view !== 'detail') {
    const { items, total } = await context.store.summariesBy(query)
    return listed(
      items.map((one) => showSummary(one, view, withSettings)),
      page,
      total,
    )
  }
  const { items, total } = await context.store.namesBy(query)
  return listed(await shownNames(context, items, withSettings), page, total)
}

/** Whole names, with their last updates. */
async function shownNames(
  context: RequestContext,
  items: readonly ListedName[],
  withSettings: boolean,
): Promise<readonly object[]> {
  const last = await lastUpdatesOf(
    context,
    items.map(({ name }) => name.id),
  )
  return items.map(({ zone, name }) => ({
    ...showName(zone, name, withSettings),
    last_update: last(name.id),
  }))
}

const listed = (data: readonly object[], page: Page, total: number) => ({
  status: 200 as const,
  data,
  page: { ...page, total },
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
const canonical = (filter: NameQuery['filter']): NameQuery['filter'] => ({
  ...filter,
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
  const sort = readSort(context, QUERY.listZoneNames.sort)
  if (isRefusal(sort)) return refused(sort)
  const parsed = combine({
    page: readPage(context, QUERY.listZoneNames.page),
    isExpanded: readExpand(context),
    metadata: readFilterExpression(context, 'metadata'),
  })
  if ('malformed' in parsed) return parsed
  const { page, isExpanded: withSettings, metadata } = parsed.value
  const { items, total } = await context.store.namesBy({
    accountId: context.caller.account.id,
    zoneId: zone.id,
    scope: recordScopeOf(context.caller),
    filter: {},
    sort,
    page,
    ...defined({ ...(metadata !== undefined && { metadata }) }),
  })
  return listed(await shownNames(context, items, withSettings), page, total)
}
