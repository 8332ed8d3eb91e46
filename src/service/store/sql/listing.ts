import type { Direction, ListedPage, NameQuery, Page, Position, Sort } from '../../model/query.ts'
import type { ListedName, NameSummary } from '../records.ts'
import { filterClauses, INDEX_THRESHOLD } from './filters.ts'
import { type Clause, clause, joined, marks } from './clause.ts'
import { orderOf, partsAfter, POSITION_COLUMNS, POSITION_LIST, positionFrom } from './orders.ts'
import { isInShownZone } from '../hidden.ts'
import { existing, select, selects } from '../select.ts'
import { isOn } from '../values.ts'
import { asList, ids as idList, type Sql } from './statement.ts'
import { ZONES } from './zones.ts'
import { nameFrom, type NameRow, NAMES, partsOf, SUMMARIES, summariesFrom } from './name-rows.ts'

const ID = { id: 'INTEGER' } as const
const COUNT = { n: 'INTEGER' } as const
const NAME_AND_ZONE = 'name JOIN zone ON zone.id = name.zone_id'

export const LISTING = selects({
  ids: select(ID, 'SELECT name.id AS id FROM name'),
  idsWithZone: select(ID, `SELECT name.id AS id FROM ${NAME_AND_ZONE}`),
  count: select(COUNT, `SELECT count(*) AS n FROM ${NAME_AND_ZONE}`),
  position: select(POSITION_COLUMNS, `SELECT ${POSITION_LIST} FROM ${NAME_AND_ZONE}`),
  countInScope: select(COUNT, 'SELECT coalesce(sum(names), 0) AS n FROM holding'),
  blockBefore: select(
    { block: 'INTEGER', before: 'INTEGER' },
    `SELECT block, before FROM
      (SELECT block, sum(sum(names)) OVER (ORDER BY block) - sum(names) AS before FROM holding
        WHERE TRUE GROUP BY block) AS blocks
      WHERE before <= ? ORDER BY block DESC LIMIT 1`,
  ),
})

/**
 * One page of the names that match a query, and the number of all matches. Selects the ids of the page first, by an
 * index if there is one, then reads these names: the cost of a page does not depend on the pages before it.
 */
export async function namesBy(
  sql: Sql,
  query: NameQuery,
  indexThreshold = INDEX_THRESHOLD,
): Promise<ListedPage<ListedName>> {
  return sql.atOneMoment(async () => {
    const { ids, ...place } = await foundBy(sql, query, indexThreshold)
    return { items: await listedNames(sql, ids), ...place }
  })
}

/** In names: to sort or filter more of them takes longer than other requests may wait. */
const LONG = 5000

/** Whether a statement of this listing may take long. */
export const isLong = async (sql: Sql, query: NameQuery): Promise<boolean> =>
  (query.sort.length > 0 || filterClauses(query, false).length > 0) &&
  (await countInScope(sql, await scopeOf(sql, query))) > LONG

/** The same page, as summaries. */
export async function summariesBy(sql: Sql, query: NameQuery): Promise<ListedPage<NameSummary>> {
  return sql.atOneMoment(async () => {
    const { ids, ...place } = await foundBy(sql, query, INDEX_THRESHOLD)
    const found = summariesFrom(await sql(SUMMARIES.all).all(asList(ids)))
    return { items: inOrder(ids, found, ({ name }) => name.id), ...place }
  })
}

async function foundBy(
  sql: Sql,
  query: NameQuery,
  indexThreshold: number,
): Promise<Omit<Found, 'hasMore'> & { readonly next: Position | undefined }> {
  const scope = await scopeOf(sql, query)
  const filters = await filtersOf(sql, query, { scope, indexThreshold })
  const { hasMore, ...found } =
    filters.length === 0
      ? await pageOf(sql, query, scope)
      : await matchesOf(sql, query, [...scope.conditions, ...filters])
  const last = hasMore ? found.ids.at(-1) : undefined
  return { ...found, next: last === undefined ? undefined : await positionOf(sql, last, query.sort) }
}

async function positionOf(sql: Sql, id: number, sort: readonly Sort[]): Promise<Position> {
  if (sort.length === 0) return [id]
  const row = existing(await sql(LISTING.position.with(' WHERE name.id = ?')).get(id))
  return [...positionFrom(row, sort), id]
}

/** The ids of a page, and the number of all names of the list. */
interface Found {
  readonly ids: readonly number[]
  readonly total: number
  /** Whether names follow this page. */
  readonly hasMore: boolean
}

interface FilterOptions {
  readonly scope: Scope
  readonly indexThreshold: number
}

/** Where an index does not matter, nor does the number of names in the scope. */
async function filtersOf(
  sql: Sql,
  query: NameQuery,
  { scope, indexThreshold }: FilterOptions,
): Promise<readonly Clause[]> {
  const [byTest, byIndex] = [filterClauses(query, false), filterClauses(query, true)]
  const isSame = byTest.every((one, at) => one.sql === byIndex[at]?.sql)
  return isSame || (await countInScope(sql, scope)) <= indexThreshold ? byTest : byIndex
}

/** Of all names in the scope. */
async function pageOf(sql: Sql, { page, sort }: NameQuery, scope: Scope): Promise<Found> {
  const where = joined('AND', scope.conditions, 'TRUE')
  const { after } = page
  const [total, start] = await Promise.all([
    countInScope(sql, scope),
    sort.length === 0 && after === undefined ? blockAt(sql, scope, page.offset) : undefined,
  ])
  if (after !== undefined) return foundAfter(sql, { where, sort }, { ...page, after, total })
  const part = { ...clampedPage(page, total), total, ...(start !== undefined && { start }) }
  return foundAt(await idsOf(sql, { where, sort }, part), page, total)
}

const foundAt = (ids: readonly number[], { offset }: Page, total: number): Found => ({
  ids,
  total,
  hasMore: offset + ids.length < total,
})

interface PageAfter extends Page {
  readonly after: Position
  readonly total: number
}

async function foundAfter(
  sql: Sql,
  { where, sort }: Selection,
  { after, limit, total }: PageAfter,
): Promise<Found> {
  const found: number[] = []
  for (const part of partsAfter(sort, after)) {
    const order = orderOf(part.sort, { scan: 'asc', isFew: total <= FEW })
    const selection = { where: joined('AND', [where, part.where], 'TRUE'), sort: part.sort }
    const rest = idsIn(selection).with(` WHERE ${selection.where.sql} ORDER BY ${order} LIMIT ?`)
    const rows = await sql(rest).all(...selection.where.values, limit + 1 - found.length)
    found.push(...rows.map(({ id }) => id))
    if (found.length > limit) break
  }
  return { ids: found.slice(0, limit), total, hasMore: found.length > limit }
}

/** Of the names that match filters: few of them are found, counted and sorted by one statement. */
async function matchesOf(sql: Sql, { page, sort }: NameQuery, conditions: readonly Clause[]): Promise<Found> {
  const where = joined('AND', conditions, 'TRUE')
  const { after, offset, limit } = page
  const few = await fewOf(sql, { where, sort })
  const total = few?.length ?? (await countOf(sql, where))
  if (after !== undefined) {
    const among = few === undefined ? where : clause(`name.id IN ${idList()}`, asList(few))
    return foundAfter(sql, { where: among, sort }, { ...page, after, total })
  }
  const ids =
    few?.slice(offset, offset + limit) ??
    (await idsOf(sql, { where, sort }, { ...clampedPage(page, total), total }))
  return foundAt(ids, page, total)
}

/** Which names a query covers before its filters, as conditions on `name` and as one on `holding`. */
interface Scope {
  readonly conditions: readonly Clause[]
  readonly onHolding: Clause
}

async function scopeOf(sql: Sql, { accountId, zoneId, scope = {} }: NameQuery): Promise<Scope> {
  const owner = zoneId === undefined ? undefined : (await sql(ZONES.owner).get(zoneId))?.account_id
  const parts: readonly Clause[] = [
    // The owner of a zone sees the names of all accounts.
    ...(owner === accountId ? [] : [clause('%.account_id = ?', accountId)]),
    zoneId === undefined ? clause(isInShownZone('%.zone_id')) : clause('%.zone_id = ?', zoneId),
    ...(scope.zones === undefined
      ? []
      : [clause(`%.zone_id IN (SELECT id FROM zone WHERE name IN (${marks(scope.zones)}))`, ...scope.zones)]),
  ]
  const of = (table: string): readonly Clause[] =>
    parts.map(({ sql: text, values }) => clause(text.replace('%', table), ...values))
  return { conditions: of('name'), onHolding: joined('AND', of('holding'), 'TRUE') }
}

const countInScope = async (sql: Sql, { onHolding: where }: Scope): Promise<number> =>
  existing(await sql(LISTING.countInScope.with(` WHERE ${where.sql}`)).get(...where.values)).n

const countOf = async (sql: Sql, where: Clause): Promise<number> =>
  existing(await sql(LISTING.count.with(` WHERE ${where.sql}`)).get(...where.values)).n

const clampedPage = ({ offset, limit }: Page, total: number): Page => ({
  offset,
  limit: Math.max(0, Math.min(limit, total - offset)),
})

/** Where a page begins: `offset` names after the id `from`, which is the first of a block. */
interface Start {
  readonly from: number
  readonly offset: number
}

/** Names per row of `holding`, as in its triggers. */
const BLOCK = 1024

/** The block that contains an offset, in the order of ids. */
async function blockAt(sql: Sql, { onHolding: where }: Scope, offset: number): Promise<Start | undefined> {
  const row = await sql(LISTING.blockBefore.where(where.sql)).get(...where.values, offset)
  return row && { from: row.block * BLOCK, offset: offset - row.before }
}

interface ListingPart extends Page {
  readonly total: number
  readonly start?: Start
}

interface Selection {
  readonly where: Clause
  readonly sort: readonly Sort[]
}

/** So many are found by the filter and then sorted: to walk through all names in their order would take longer. */
const FEW = 1000

/** All ids in their order; undefined if there are more than a few. */
async function fewOf(sql: Sql, selection: Selection): Promise<readonly number[] | undefined> {
  const { where, sort } = selection
  const base = idsIn(selection)
  const some = base.with(` WHERE ${where.sql} LIMIT ${FEW + 1}`)
  const query =
    sort.length === 0
      ? some
      : base.with(` WHERE name.id IN (${some.text}) ORDER BY ${orderOf(sort, { scan: 'asc', isFew: true })}`)
  const found = (await sql(query).all(...where.values)).map(({ id }) => id)
  if (found.length > FEW) return undefined
  return sort.length === 0 ? found.toSorted((a, b) => a - b) : found
}

/** The ids of a page, read from the nearer end of the list. */
async function idsOf(
  sql: Sql,
  { where, sort }: Selection,
  { offset, limit, total, start }: ListingPart,
): Promise<readonly number[]> {
  const read = async (
    selection: Selection,
    direction: Direction,
    skipped: number,
  ): Promise<readonly number[]> => {
    const order = orderOf(selection.sort, { scan: direction, isFew: total <= FEW && start === undefined })
    const page = idsIn(selection).with(` WHERE ${selection.where.sql} ORDER BY ${order} LIMIT ? OFFSET ?`)
    return (await sql(page).all(...selection.where.values, limit, skipped)).map(({ id }) => id)
  }
  if (start !== undefined) {
    const fromBlock = joined('AND', [where, clause('name.id >= ?', start.from)], 'TRUE')
    return read({ where: fromBlock, sort }, 'asc', start.offset)
  }
  const after = Math.max(0, total - offset - limit)
  return offset <= after
    ? read({ where, sort }, 'asc', offset)
    : (await read({ where, sort: sort.map(reversed) }, 'desc', after)).toReversed()
}

const idsIn = (selection: Selection) => (needsZone(selection) ? LISTING.idsWithZone : LISTING.ids)

const needsZone = ({ where, sort }: Selection): boolean =>
  /\bzone\./.test(where.sql) || sort.some(({ key }) => key === 'zone_name' || key === 'zone_is_shared')

const reversed = ({ key, direction }: Sort): Sort => ({
  key,
  direction: direction === 'asc' ? 'desc' : 'asc',
})

async function listedNames(sql: Sql, wanted: readonly number[]): Promise<readonly ListedName[]> {
  const [rows, at] = await Promise.all([sql(NAMES.all).all(asList(wanted)), partsOf(sql, wanted)])
  return inOrder(wanted, rows, ({ id }) => id).map((row) => ({ zone: zoneOf(row), name: nameFrom(row, at) }))
}

function inOrder<R>(
  wanted: readonly number[],
  rows: readonly R[],
  idOf: (row: R) => number | undefined,
): readonly R[] {
  const found = new Map(rows.map((row) => [idOf(row), row]))
  return wanted.flatMap((id) => found.get(id) ?? [])
}

const zoneOf = (row: NameRow): ListedName['zone'] => ({
  id: row.zone_id,
  name: row.zone_name,
  isShared: isOn(row.zone_is_shared),
})
