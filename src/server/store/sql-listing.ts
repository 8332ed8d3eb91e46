import type { Direction, Expression, ListedPage, NameFilter, NameQuery, Page, Sort } from '../model/query.ts'
import type { ListedName } from './records.ts'
import { namesFrom } from './sql-rows.ts'
import { type Clause, clause, joined } from './sql-clause.ts'
import { inNames } from './sql-scope.ts'
import { ids, isOn, asList, number, type Row, type Sql, textValue } from './sql-values.ts'

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
    const scope = await scopeOf(sql, query)
    const scopeSize = await countInScope(sql, scope)
    const filters = filterClauses(query, scopeSize > indexThreshold)
    const where = joined('AND', [...scope.conditions, ...filters], 'TRUE')
    const isUnfiltered = filters.length === 0
    const total = isUnfiltered ? scopeSize : await countOf(sql, where)
    const page = clampedPage(query.page, total)
    const start = isUnfiltered && query.sort.length === 0 ? await blockAt(sql, scope, page.offset) : undefined
    const part = { ...page, total, ...(start !== undefined && { start }) }
    const wanted = await idsOf(sql, { where, sort: query.sort }, part)
    return { items: await listedNames(sql, wanted), total }
  })
}

/** Which names a query covers before its filters, as conditions on `name` and as one on `holding`. */
interface Scope {
  readonly conditions: readonly Clause[]
  readonly onHolding: Clause
}

async function scopeOf(sql: Sql, { accountId, zoneId, scope = {} }: NameQuery): Promise<Scope> {
  const owner =
    zoneId === undefined
      ? undefined
      : (await sql('SELECT account_id FROM zone WHERE id = ?').get(zoneId))?.['account_id']
  const parts: readonly Clause[] = [
    // The owner of a zone sees the names of all accounts.
    ...(owner === accountId ? [] : [clause('%.account_id = ?', accountId)]),
    ...(zoneId === undefined ? [] : [clause('%.zone_id = ?', zoneId)]),
    ...(scope.zones === undefined
      ? []
      : [clause(`%.zone_id IN (SELECT id FROM zone WHERE name IN (${marks(scope.zones)}))`, ...scope.zones)]),
  ]
  const of = (table: string): readonly Clause[] =>
    parts.map(({ sql: text, values }) => clause(text.replace('%', table), ...values))
  return { conditions: of('name'), onHolding: joined('AND', of('holding'), 'TRUE') }
}

const countInScope = async (sql: Sql, { onHolding: where }: Scope): Promise<number> =>
  Number(
    (await sql(`SELECT sum(names) AS n FROM holding WHERE ${where.sql}`).get(...where.values))?.['n'] ?? 0,
  )

const countOf = async (sql: Sql, where: Clause): Promise<number> =>
  Number((await sql(`SELECT count(*) AS n FROM ${NAMES} WHERE ${where.sql}`).get(...where.values))?.['n'])

const NAMES = 'name JOIN zone ON zone.id = name.zone_id'

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
  const row = await sql(
    `SELECT block, before FROM
      (SELECT block, sum(sum(names)) OVER (ORDER BY block) - sum(names) AS before FROM holding WHERE ${where.sql} GROUP BY block) AS blocks
      WHERE before <= ? ORDER BY block DESC LIMIT 1`,
  ).get(...where.values, offset)
  if (row === undefined) return undefined
  return { from: Number(row['block']) * BLOCK, offset: offset - Number(row['before']) }
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
    const tables = needsZone(selection) ? NAMES : 'name'
    const order = orderOf(selection.sort, { scan: direction, isFew: total <= FEW && start === undefined })
    return (
      await sql(
        `SELECT name.id AS id FROM ${tables} WHERE ${selection.where.sql} ORDER BY ${order} LIMIT ? OFFSET ?`,
      ).all(...selection.where.values, limit, skipped)
    ).map((row) => Number(row['id']))
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

const needsZone = ({ where, sort }: Selection): boolean =>
  /\bzone\./.test(where.sql) || sort.some(({ key }) => key === 'zone_name' || key === 'zone_is_shared')

const reversed = ({ key, direction }: Sort): Sort => ({
  key,
  direction: direction === 'asc' ? 'desc' : 'asc',
})

async function listedNames(sql: Sql, wanted: readonly number[]): Promise<readonly ListedName[]> {
  const rows = await sql(
    `SELECT name.*, zone.name AS zone_name, zone.is_shared AS zone_is_shared FROM ${NAMES} WHERE name.id IN ${ids()}`,
  ).all(asList(wanted))
  const found = new Map(rows.map((row) => [number(row['id']), row]))
  const ordered = wanted.flatMap((id) => {
    const row = found.get(id)
    return row === undefined ? [] : [row]
  })
  const names = await namesFrom(sql, ordered)
  return ordered.flatMap((row, at) => {
    const name = names[at]
    return name === undefined ? [] : [{ zone: zoneOf(row), name }]
  })
}

const zoneOf = (row: Row): ListedName['zone'] => ({
  id: number(row['zone_id']),
  name: textValue(row['zone_name']),
  isShared: isOn(row['zone_is_shared']),
})

/** Above this number of names in scope, an index on the filtered values is faster than a test of every name. */
const INDEX_THRESHOLD = 2000

/** The conditions of a query. `usesIndex`: see INDEX_THRESHOLD. */
function filterClauses({ filter, scope, ...query }: NameQuery, usesIndex: boolean): readonly Clause[] {
  const { zoneMetadata, metadata, rrsetMetadata } = query
  return [
    ...(scope?.names === undefined ? [] : [inNames(scope.names)]),
    ...nameFilters(filter, usesIndex),
    ...(zoneMetadata
      ? [expressed(zoneMetadata, { table: 'zone_metadata', id: 'name.zone_id', usesIndex })]
      : []),
    ...(metadata ? [expressed(metadata, { table: 'name_metadata', id: 'name.id', usesIndex })] : []),
    // One RRSet must match the whole expression.
    ...(rrsetMetadata
      ? [inSomeRRSet(expressed(rrsetMetadata, { table: 'rrset_metadata', id: 'rrset.id', usesIndex }))]
      : []),
  ]
}

const marks = (values: readonly unknown[]): string => values.map(() => '?').join(', ')

const inSomeRRSet = ({ sql, values }: Clause): Clause =>
  clause(`EXISTS (SELECT 1 FROM rrset WHERE rrset.name_id = name.id AND (${sql}))`, ...values)

const RDATA = 'SELECT 1 FROM rrset JOIN rdata ON rdata.rrset_id = rrset.id WHERE rrset.name_id = name.id'

const NAME_OF_RDATA = 'SELECT rrset.name_id FROM rdata JOIN rrset ON rrset.id = rdata.rrset_id'

/** Names with Rdata that meet a condition for which there is an index. */
const withRdata = (condition: string, usesIndex: boolean): string =>
  usesIndex ? `name.id IN (${NAME_OF_RDATA} WHERE ${condition})` : `EXISTS (${RDATA} AND ${condition})`

function nameFilters(filter: NameFilter, usesIndex: boolean): readonly Clause[] {
  const list = (values: readonly string[] | undefined, make: (marks: string) => string): readonly Clause[] =>
    values === undefined ? [] : [clause(make(marks(values)), ...values)]
  const { isZoneShared, isDynupdate, updateGroups } = filter
  const isTarget = `(name.key_id IS NOT NULL OR EXISTS (${RDATA} AND rdata.key_id IS NOT NULL))`
  return [
    ...list(filter.names, (all) => `name.name IN (${all})`),
    ...list(filter.zoneNames, (all) => `zone.name IN (${all})`),
    ...list(
      filter.dnsTypes,
      (all) => `EXISTS (SELECT 1 FROM rrset WHERE name_id = name.id AND dns_type IN (${all}))`,
    ),
    // Labels are compared without case.
    ...list(
      filter.labels?.map((label) => label.toLowerCase()),
      (all) => `EXISTS (${RDATA} AND lower(rdata.label) IN (${all}))`,
    ),
    ...list(filter.rdata, (all) => withRdata(`rdata.value IN (${all})`, usesIndex)),
    ...(isZoneShared === undefined ? [] : [clause('zone.is_shared = ?', isZoneShared ? 1 : 0)]),
    ...(isDynupdate === undefined ? [] : [clause(isDynupdate ? isTarget : `NOT ${isTarget}`)]),
    ...(updateGroups === undefined ? [] : [inGroups(updateGroups, usesIndex)]),
  ]
}

/** Names that are targets of these groups as a whole, or by some of their Rdata. Beneath an OR PostgreSQL uses no index. */
function inGroups(groups: readonly string[], usesIndex: boolean): Clause {
  const keys = `IN (SELECT id FROM ddns_key WHERE username IN (${marks(groups)}))`
  const [asWhole, byRdata] = [`key_id ${keys}`, `rdata.key_id ${keys}`]
  return clause(
    usesIndex
      ? `name.id IN (SELECT id FROM name WHERE ${asWhole} UNION ALL ${NAME_OF_RDATA} WHERE ${byRdata})`
      : `name.${asWhole} OR ${withRdata(byRdata, false)}`,
    ...groups,
    ...groups,
  )
}

interface MetadataTable {
  readonly table: 'zone_metadata' | 'name_metadata' | 'rrset_metadata'
  /** The column with the id of the metadata's owner. */
  readonly id: string
  readonly usesIndex: boolean
}

function expressed(expression: Expression, target: MetadataTable): Clause {
  const each = (parts: readonly Expression[]): readonly Clause[] => parts.map((one) => expressed(one, target))
  if ('and' in expression) return joined('AND', each(expression.and), 'TRUE')
  if ('or' in expression) return joined('OR', each(expression.or), 'FALSE')
  const { table, id, usesIndex } = target
  const condition = `key = ? AND ${expression.op === 'exact' ? 'value = ?' : 'instr(value, ?) > 0'}`
  const of = table.replace('metadata', 'id')
  return clause(
    usesIndex
      ? `${id} IN (SELECT ${of} FROM ${table} WHERE ${condition})`
      : `EXISTS (SELECT 1 FROM ${table} WHERE ${of} = ${id} AND ${condition})`,
    expression.key,
    expression.value,
  )
}

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
