import type { Direction, Expression, ListedPage, NameFilter, NameQuery, Page, Sort } from '../model/query.ts'
import type { ListedName } from './records.ts'
import { nameFrom } from './sqlite-rows.ts'
import { type Clause, clause, joined } from './sqlite-clause.ts'
import { inNames } from './sqlite-scope.ts'
import type { Sql } from './sqlite-values.ts'

/**
 * One page of the names that match a query, and the number of all matches. Selects the ids of the page first, by an
 * index if there is one, then reads these names: the cost of a page does not depend on the pages before it.
 */
export function namesBy(
  sql: Sql,
  query: NameQuery,
  indexThreshold = INDEX_THRESHOLD,
): ListedPage<ListedName> {
  // The count and the page are read from one snapshot.
  sql('SAVEPOINT listing').run()
  try {
    const scope = scopeOf(sql, query)
    const scopeSize = countInScope(sql, scope)
    const filters = filterClauses(query, scopeSize > indexThreshold)
    const where = joined('AND', [...scope.conditions, ...filters], 'TRUE')
    const isUnfiltered = filters.length === 0
    const total = isUnfiltered ? scopeSize : countOf(sql, where)
    const page = clampedPage(query.page, total)
    const start = isUnfiltered && query.sort.length === 0 ? blockAt(sql, scope, page.offset) : undefined
    const part = { ...page, total, ...(start !== undefined && { start }) }
    const ids = idsOf(sql, { where, sort: query.sort }, part)
    return { items: ids.map((id) => listedAt(sql, id)), total }
  } finally {
    sql('RELEASE listing').run()
  }
}

/** Which names a query covers before its filters, as conditions on `name` and as one on `holding`. */
interface Scope {
  readonly conditions: readonly Clause[]
  readonly onHolding: Clause
}

function scopeOf(sql: Sql, { accountId, zoneId, scope = {} }: NameQuery): Scope {
  const owner =
    zoneId === undefined
      ? undefined
      : sql('SELECT account_id FROM zone WHERE id = ?').get(zoneId)?.['account_id']
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

const countInScope = (sql: Sql, { onHolding: where }: Scope): number =>
  Number(sql(`SELECT sum(names) AS n FROM holding WHERE ${where.sql}`).get(...where.values)?.['n'] ?? 0)

const countOf = (sql: Sql, where: Clause): number =>
  Number(sql(`SELECT count(*) AS n FROM ${NAMES} WHERE ${where.sql}`).get(...where.values)?.['n'])

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
function blockAt(sql: Sql, { onHolding: where }: Scope, offset: number): Start | undefined {
  const row = sql(
    `SELECT block, before FROM
      (SELECT block, sum(sum(names)) OVER (ORDER BY block) - sum(names) AS before FROM holding WHERE ${where.sql} GROUP BY block)
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

/** The ids of a page, read from the nearer end of the list. */
function idsOf(
  sql: Sql,
  { where, sort }: Selection,
  { offset, limit, total, start }: Part,
): readonly number[] {
  const ids = (selection: Selection, direction: Direction, skipped: number): readonly number[] => {
    const tables = needsZone(selection) ? NAMES : 'name'
    const order = orderOf(selection.sort, direction)
    return sql(
      `SELECT name.id AS id FROM ${tables} WHERE ${selection.where.sql} ORDER BY ${order} LIMIT ? OFFSET ?`,
    )
      .all(...selection.where.values, limit, skipped)
      .map((row) => Number(row['id']))
  }
  if (start !== undefined) {
    const fromBlock = joined('AND', [where, clause('name.id >= ?', start.from)], 'TRUE')
    return ids({ where: fromBlock, sort }, 'asc', start.offset)
  }
  const after = total - offset - limit
  return offset <= after
    ? ids({ where, sort }, 'asc', offset)
    : ids({ where, sort: sort.map(reversed) }, 'desc', after).toReversed()
}

const needsZone = ({ where, sort }: Selection): boolean =>
  /\bzone\./.test(where.sql) || sort.some(({ key }) => key === 'zone_name' || key === 'zone_is_shared')

const reversed = ({ key, direction }: Sort): Sort => ({
  key,
  direction: direction === 'asc' ? 'desc' : 'asc',
})

function listedAt(sql: Sql, id: number): ListedName {
  const row =
    sql(
      `SELECT name.*, zone.name AS zone_name, zone.is_shared AS zone_is_shared FROM ${NAMES} WHERE name.id = ?`,
    ).get(id) ?? {}
  return {
    zone: {
      id: Number(row['zone_id']),
      name: String(row['zone_name']),
      isShared: row['zone_is_shared'] === 1,
    },
    name: nameFrom(sql, row),
  }
}

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

/** Names with Rdata that meet a condition for which there is an index. */
const withRdata = (condition: string, usesIndex: boolean): string =>
  usesIndex
    ? `name.id IN (SELECT rrset.name_id FROM rdata JOIN rrset ON rrset.id = rdata.rrset_id WHERE ${condition})`
    : `EXISTS (${RDATA} AND ${condition})`

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
    ...list(filter.labels, (all) => `EXISTS (${RDATA} AND rdata.label IN (${all}))`),
    ...list(filter.rdata, (all) => withRdata(`rdata.value IN (${all})`, usesIndex)),
    ...(isZoneShared === undefined ? [] : [clause('zone.is_shared = ?', isZoneShared ? 1 : 0)]),
    ...(isDynupdate === undefined ? [] : [clause(isDynupdate ? isTarget : `NOT ${isTarget}`)]),
    ...(updateGroups === undefined ? [] : [inGroups(updateGroups, usesIndex)]),
  ]
}

/** Names that are targets of these groups as a whole, or by some of their Rdata. */
function inGroups(groups: readonly string[], usesIndex: boolean): Clause {
  const keys = `IN (SELECT id FROM ddns_key WHERE username IN (${marks(groups)}))`
  const asWhole = usesIndex ? `name.id IN (SELECT id FROM name WHERE key_id ${keys})` : `name.key_id ${keys}`
  return clause(`${asWhole} OR ${withRdata(`rdata.key_id ${keys}`, usesIndex)}`, ...groups, ...groups)
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
function orderOf(sort: readonly Sort[], scan: Direction): string {
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
    return `${columns[key]} ${direction === 'asc' ? 'ASC' : 'DESC'}`
  })
  return [...parts, `name.id ${scan === 'asc' ? 'ASC' : 'DESC'}`].join(', ')
}
