import type { Direction, ListedPage, NameQuery, Page, Sort } from '../../model/query.ts'
import type { ListedName, NameSummary } from '../records.ts'
import { filterClauses, INDEX_THRESHOLD } from './filters.ts'
import { nameFrom, NAMES, type NameRow, partsOf, SUMMARIES, summariesFrom } from './name-rows.ts'
import { type Clause, clause, joined, marks } from './clause.ts'
import { isInShownZone } from '../hidden.ts'
import { existing, select, selects } from '../select.ts'
import { isOn } from '../values.ts'
import { asList, type Sql } from './statement.ts'
import { ZONES } from './zones.ts'

const ID = { id: 'INTEGER' } as const
const COUNT = { n: 'INTEGER' } as const
const NAME_AND_ZONE = 'name JOIN zone ON zone.id = name.zone_id'

export const LISTING = selects({
  ids: select(ID, 'SELECT name.id AS id FROM name'),
  idsWithZone: select(ID, `SELECT name.id AS id FROM ${NAME_AND_ZONE}`),
  count: select(COUNT, `SELECT count(*) AS n FROM ${NAME_AND_ZONE}`),
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
    const { ids, total } = await foundBy(sql, query, indexThreshold)
    return { items: await listedNames(sql, ids), total }
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
    const { ids, total } = await foundBy(sql, query, INDEX_THRESHOLD)
    const found = summariesFrom(await sql(SUMMARIES.all).all(asList(ids)))
    return { items: inOrder(ids, found, ({ name }) => name.id), total }
  })
}

async function foundBy(sql: Sql, query: NameQuery, indexThreshold: number): Promise<Found> {
  const scope = await scopeOf(sql, query)
  const filters = await filtersOf(sql, query, { scope, indexThreshold })
  return filters.length === 0
    ? pageOf(sql, query, scope)
    : matchesOf(sql, query, [...scope.conditions, ...filters])
}

/** The ids of a page, and the number of all names of the list. */
interface Found {
  readonly ids: readonly number[]
  readonly total: number
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
  const [total, start] = await Promise.all([
    countInScope(sql, scope),
    sort.length === 0 ? blockAt(sql, scope, page.offset) : undefined,
  ])
  const part = { ...clampedPage(page, total), total, ...(start !== undefined && { start }) }
  return { ids: await idsOf(sql, { where, sort }, part), total }
}

/** Of the names that match filters: few of them are found, counted and sorted by one statement. */
async function matchesOf(sql: Sql, { page, sort }: NameQuery, conditions: readonly Clause[]): Promise<Found> {
  const where = joined('AND', conditions, 'TRUE')
  const few = await fewOf(sql, { where, sort }, page)
  if (few !== undefined) return few
  const total = await countOf(sql, where)
  return { ids: await idsOf(sql, { where, sort }, { ...clampedPage(page, total), total }), total }
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

interface Part extends Page {
  readonly total: number
  readonly start?: Start
}

interface Selection {
  readonly where: Clause
  readonly sort: readonly Sort[]
}

/** So many are found by the filter and then sorted: to walk through all names in their order would take longer. */
const FEW = 1000

/** Undefined if there are more than a few. */
async function fewOf(sql: Sql, selection: Selection, { offset, limit }: Page): Promise<Found | undefined> {
  const { where, sort } = selection
  const base = idsIn(selection)
  const some = base.with(` WHERE ${where.sql} LIMIT ${FEW + 1}`)
  const query =
    sort.length === 0
      ? some
      : base.with(` WHERE name.id IN (${some.text}) ORDER BY ${orderOf(sort, { scan: 'asc', isFew: true })}`)
  const found = (await sql(query).all(...where.values)).map(({ id }) => id)
  if (found.length > FEW) return undefined
  const all = sort.length === 0 ? found.toSorted((a, b) => a - b) : found
  return { ids: all.slice(offset, offset + limit), total: all.length }
}

/** The ids of a page, read from the nearer end of the list. */
async function idsOf(
  sql: Sql,
  { where, sort }: Selection,
  { offset, limit, total, start }: Part,
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

/**
 * ORDER BY. Of several values of one name the smallest counts in ascending order, the greatest in descending order. The
 * id makes pages stable. `scan` is the end from which the list is read: with `desc`, `sort` is reversed already.
 */
function orderOf(
  sort: readonly Sort[],
  { scan, isFew }: { readonly scan: Direction; readonly isFew: boolean },
): string {
  const parts = sort.map(({ key, direction }) => {
    const pick = direction === scan ? 'min' : 'max'
    const of = (column: string): string =>
      `(SELECT ${pick}(${column}) FROM rrset LEFT JOIN rdata ON rdata.rrset_id = rrset.id WHERE rrset.name_id = name.id)`
    const columns = {
      zone_name: 'zone.name',
      name: 'name.name',
      // In ASCII a dot sorts after a hyphen, but the end of a label must sort first.
      name_labels_reversed: "replace(name.labels_reversed, '.', char(1))",
      dns_type: of('rrset.dns_type'),
      rdata: of('rdata.value'),
      label: of('lower(rdata.label)'),
      zone_is_shared: 'zone.is_shared',
      created_at: 'name.created_at',
    }
    return `${columns[key]} ${direction === 'asc' ? 'ASC NULLS FIRST' : 'DESC NULLS LAST'}`
  })
  // With a plus, the order is not that of an index.
  return [...parts, `${isFew ? '+' : ''}name.id ${scan === 'asc' ? 'ASC' : 'DESC'}`].join(', ')
}
