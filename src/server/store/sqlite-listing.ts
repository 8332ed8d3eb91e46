import type { SQLInputValue } from 'node:sqlite'
import type { Direction, Expression, ListedPage, NameFilter, NameQuery, Page, Sort } from '../model/query.ts'
import type { ListedName } from './records.ts'
import { nameFrom } from './sqlite-rows.ts'
import type { Sql } from './sqlite-values.ts'

/** A condition in SQL; every value is bound. */
interface Clause {
  readonly sql: string
  readonly values: readonly SQLInputValue[]
}

const clause = (sql: string, ...values: readonly SQLInputValue[]): Clause => ({ sql, values })
const joined = (word: 'AND' | 'OR', parts: readonly Clause[], empty: string): Clause =>
  parts.length === 0
    ? clause(empty)
    : clause(parts.map(({ sql }) => `(${sql})`).join(` ${word} `), ...parts.flatMap(({ values }) => values))

/**
 * Names as a query wants them, and how many there are in all. First the ids of the page, out of an index where there is
 * one, then what is at them: a page costs what is on it, and not what is before it.
 */
export function namesBy(sql: Sql, query: NameQuery, many = MANY): ListedPage<ListedName> {
  // One moment for the count and for the page.
  sql('SAVEPOINT listing').run()
  try {
    const scope = scopeOf(sql, query)
    const held = heldIn(sql, scope.held)
    const wanted = conditions(query, held > many)
    const where = joined('AND', [...scope.conditions, ...wanted], 'TRUE')
    const isWhole = wanted.length === 0
    const total = isWhole ? held : countOf(sql, where)
    const part = pageOf(query.page, total)
    const start = isWhole && query.sort.length === 0 ? blockAt(sql, scope.held, part.offset) : undefined
    const ids = idsOf(sql, where, query.sort, { ...part, total, ...(start !== undefined && { start }) })
    return { items: ids.map((id) => listedAt(sql, id)), total }
  } finally {
    sql('RELEASE listing').run()
  }
}

/** Whose names, as a condition on `name` and as one on `holding`. */
interface Scope {
  readonly conditions: readonly Clause[]
  readonly held: Clause
}

function scopeOf(sql: Sql, { accountId, zoneId, onlyZones }: NameQuery): Scope {
  const owner =
    zoneId === undefined
      ? undefined
      : sql('SELECT account_id FROM zone WHERE id = ?').get(zoneId)?.['account_id']
  const parts: readonly Clause[] = [
    // Of a zone of one's own, everybody's.
    ...(owner === accountId ? [] : [clause('%.account_id = ?', accountId)]),
    ...(zoneId === undefined ? [] : [clause('%.zone_id = ?', zoneId)]),
    ...(onlyZones === undefined
      ? []
      : [clause(`%.zone_id IN (SELECT id FROM zone WHERE name IN (${marks(onlyZones)}))`, ...onlyZones)]),
  ]
  const of = (table: string): readonly Clause[] =>
    parts.map(({ sql: text, values }) => clause(text.replace('%', table), ...values))
  return { conditions: of('name'), held: joined('AND', of('holding'), 'TRUE') }
}

const heldIn = (sql: Sql, held: Clause): number =>
  Number(sql(`SELECT sum(names) AS n FROM holding WHERE ${held.sql}`).get(...held.values)?.['n'] ?? 0)

const countOf = (sql: Sql, where: Clause): number =>
  Number(sql(`SELECT count(*) AS n FROM ${NAMES} WHERE ${where.sql}`).get(...where.values)?.['n'])

const NAMES = 'name JOIN zone ON zone.id = name.zone_id'

const pageOf = ({ offset, limit }: Page, total: number): Page => ({
  offset,
  limit: Math.max(0, Math.min(limit, total - offset)),
})

/** Where a page begins: so many names on from the first id of a block. */
interface Start {
  readonly from: number
  readonly offset: number
}

const BLOCK = 1024

/** The block that an offset is in, where names stand in the order of their ids. */
function blockAt(sql: Sql, held: Clause, offset: number): Start | undefined {
  const row = sql(
    `SELECT block, before FROM
      (SELECT block, sum(sum(names)) OVER (ORDER BY block) - sum(names) AS before FROM holding WHERE ${held.sql} GROUP BY block)
      WHERE before <= ? ORDER BY block DESC LIMIT 1`,
  ).get(...held.values, offset)
  if (row === undefined) return undefined
  return { from: Number(row['block']) * BLOCK, offset: offset - Number(row['before']) }
}

interface Part extends Page {
  readonly total: number
  readonly start?: Start
}

/** The ids of a page, walked to from the nearer end. */
function idsOf(
  sql: Sql,
  where: Clause,
  sort: readonly Sort[],
  { offset, limit, total, start }: Part,
): readonly number[] {
  const ids = (
    order: readonly Sort[],
    direction: Direction,
    skipped: number,
    from?: number,
  ): readonly number[] => {
    const far = from === undefined ? where : joined('AND', [where, clause('name.id >= ?', from)], 'TRUE')
    const tables = needsZone(far, order) ? NAMES : 'name'
    return sql(
      `SELECT name.id AS id FROM ${tables} WHERE ${far.sql} ORDER BY ${orderOf(order, direction)} LIMIT ? OFFSET ?`,
    )
      .all(...far.values, limit, skipped)
      .map((row) => Number(row['id']))
  }
  if (start !== undefined) return ids(sort, 'asc', start.offset, start.from)
  const behind = total - offset - limit
  return offset <= behind ? ids(sort, 'asc', offset) : ids(sort.map(turned), 'desc', behind).toReversed()
}

const needsZone = (where: Clause, order: readonly Sort[]): boolean =>
  /\bzone\./.test(where.sql) || order.some(({ key }) => key === 'zone_name' || key === 'zone_is_shared')

const turned = ({ key, direction }: Sort): Sort => ({ key, direction: direction === 'asc' ? 'desc' : 'asc' })

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

/** With more names than this it is quicker to find what a filter wants by its own index than to look at every name. */
const MANY = 2000

/** What a query leaves out of its scope. `isMany`: see MANY. */
function conditions({ filter, ...query }: NameQuery, isMany: boolean): readonly Clause[] {
  const { zoneMetadata, metadata, rrsetMetadata } = query
  return [
    ...filters(filter, isMany),
    ...(zoneMetadata
      ? [expressed(zoneMetadata, { table: 'zone_metadata', id: 'name.zone_id', isMany })]
      : []),
    ...(metadata ? [expressed(metadata, { table: 'name_metadata', id: 'name.id', isMany })] : []),
    // All of an expression is about one RRSet.
    ...(rrsetMetadata
      ? [within(expressed(rrsetMetadata, { table: 'rrset_metadata', id: 'rrset.id', isMany }))]
      : []),
  ]
}

const marks = (values: readonly unknown[]): string => values.map(() => '?').join(', ')

const within = ({ sql, values }: Clause): Clause =>
  clause(`EXISTS (SELECT 1 FROM rrset WHERE rrset.name_id = name.id AND (${sql}))`, ...values)

const RDATA = 'SELECT 1 FROM rrset JOIN rdata ON rdata.rrset_id = rrset.id WHERE rrset.name_id = name.id'

/** A name at which there is some Rdata of a kind that has an index of its own. */
const withRdata = (which: string, isMany: boolean): string =>
  isMany
    ? `name.id IN (SELECT rrset.name_id FROM rdata JOIN rrset ON rrset.id = rdata.rrset_id WHERE ${which})`
    : `EXISTS (${RDATA} AND ${which})`

function filters(filter: NameFilter, isMany: boolean): readonly Clause[] {
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
    ...list(filter.rdata, (all) => withRdata(`rdata.value IN (${all})`, isMany)),
    ...(isZoneShared === undefined ? [] : [clause('zone.is_shared = ?', isZoneShared ? 1 : 0)]),
    ...(isDynupdate === undefined ? [] : [clause(isDynupdate ? isTarget : `NOT ${isTarget}`)]),
    ...(updateGroups === undefined ? [] : [inGroups(updateGroups, isMany)]),
  ]
}

/** The name itself, or some of its Rdata. */
function inGroups(groups: readonly string[], isMany: boolean): Clause {
  const keys = `IN (SELECT id FROM ddns_key WHERE username IN (${marks(groups)}))`
  const whole = isMany ? `name.id IN (SELECT id FROM name WHERE key_id ${keys})` : `name.key_id ${keys}`
  return clause(`${whole} OR ${withRdata(`rdata.key_id ${keys}`, isMany)}`, ...groups, ...groups)
}

interface Subject {
  readonly table: 'zone_metadata' | 'name_metadata' | 'rrset_metadata'
  /** Of what the metadata is about. */
  readonly id: string
  readonly isMany: boolean
}

function expressed(expression: Expression, subject: Subject): Clause {
  const each = (parts: readonly Expression[]): readonly Clause[] =>
    parts.map((one) => expressed(one, subject))
  if ('and' in expression) return joined('AND', each(expression.and), 'TRUE')
  if ('or' in expression) return joined('OR', each(expression.or), 'FALSE')
  const { table, id, isMany } = subject
  const which = `key = ? AND ${expression.op === 'exact' ? 'value = ?' : 'instr(value, ?) > 0'}`
  const of = table.replace('metadata', 'id')
  return clause(
    isMany
      ? `${id} IN (SELECT ${of} FROM ${table} WHERE ${which})`
      : `EXISTS (SELECT 1 FROM ${table} WHERE ${of} = ${id} AND ${which})`,
    expression.key,
    expression.value,
  )
}

/**
 * Of several values of one name the least counts upwards, and the greatest downwards. The id makes every page stable.
 * `walk` says from which end: downwards everything is turned round, and what counts stays what it was.
 */
function orderOf(sort: readonly Sort[], walk: Direction): string {
  const parts = sort.map(({ key, direction }) => {
    const pick = direction === walk ? 'min' : 'max'
    const of = (column: string): string =>
      `(SELECT ${pick}(${column}) FROM rrset LEFT JOIN rdata ON rdata.rrset_id = rrset.id WHERE rrset.name_id = name.id)`
    const columns = {
      zone_name: 'zone.name',
      name: 'name.name',
      // A dot sorts after a hyphen; the end of a label comes before everything.
      name_labels_reversed: "replace(name.labels_reversed, '.', char(1))",
      dns_type: of('rrset.dns_type'),
      rdata: of('rdata.value'),
      label: of('lower(rdata.label)'),
      zone_is_shared: 'zone.is_shared',
      created_at: 'name.created_at',
    }
    return `${columns[key]} ${direction === 'asc' ? 'ASC' : 'DESC'}`
  })
  return [...parts, `name.id ${walk === 'asc' ? 'ASC' : 'DESC'}`].join(', ')
}
