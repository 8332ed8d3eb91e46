import type { SQLInputValue, StatementSync } from 'node:sqlite'
import type { Expression, Listed, NameFilter, NameQuery, Sort } from '../model/query.ts'
import type { ListedName } from './records.ts'
import { nameFrom } from './sqlite-records.ts'

type Sql = (text: string) => StatementSync

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

/** Names as a query wants them, and how many there are in all. */
export function namesBy(sql: Sql, query: NameQuery): Listed<ListedName> {
  const where = joined('AND', conditions(query), 'TRUE')
  const { offset, limit } = query.page
  const rows = sql(
    `SELECT name.*, zone.name AS zone_name, zone.is_shared AS zone_is_shared FROM name JOIN zone ON zone.id = name.zone_id
     WHERE ${where.sql} ORDER BY ${orderOf(query.sort)} LIMIT ? OFFSET ?`,
  ).all(...where.values, limit, offset)
  const total = sql(
    `SELECT count(*) AS n FROM name JOIN zone ON zone.id = name.zone_id WHERE ${where.sql}`,
  ).get(...where.values)?.['n']
  return {
    items: rows.map((row) => ({
      zone: {
        id: Number(row['zone_id']),
        name: String(row['zone_name']),
        isShared: row['zone_is_shared'] === 1,
      },
      name: nameFrom(sql, row),
    })),
    total: Number(total),
  }
}

function conditions({ accountId, zoneId, filter, ...query }: NameQuery): readonly Clause[] {
  const whose =
    zoneId === undefined
      ? clause('name.account_id = ?', accountId)
      : clause(
          'name.zone_id = ? AND (zone.account_id = ? OR name.account_id = ?)',
          zoneId,
          accountId,
          accountId,
        )
  return [
    whose,
    ...(query.onlyZones
      ? [clause(`zone.name IN (${query.onlyZones.map(() => '?').join(', ')})`, ...query.onlyZones)]
      : []),
    ...filters(filter),
    ...(query.zoneMetadata ? [expressed(query.zoneMetadata, 'zone_metadata', 'zone_id = name.zone_id')] : []),
    ...(query.metadata ? [expressed(query.metadata, 'name_metadata', 'name_id = name.id')] : []),
    // All of an expression is about one RRSet.
    ...(query.rrsetMetadata
      ? [within(expressed(query.rrsetMetadata, 'rrset_metadata', 'rrset_id = rrset.id'))]
      : []),
  ]
}

const within = ({ sql, values }: Clause): Clause =>
  clause(`EXISTS (SELECT 1 FROM rrset WHERE rrset.name_id = name.id AND (${sql}))`, ...values)

const RDATA = 'SELECT 1 FROM rrset JOIN rdata ON rdata.rrset_id = rrset.id WHERE rrset.name_id = name.id'

function filters(filter: NameFilter): readonly Clause[] {
  const list = (values: readonly string[] | undefined, make: (marks: string) => string): readonly Clause[] =>
    values === undefined ? [] : [clause(make(values.map(() => '?').join(', ')), ...values)]
  const group = `name.key_id IN (SELECT id FROM ddns_key WHERE username IN (%)) OR EXISTS (${RDATA} AND rdata.key_id IN (SELECT id FROM ddns_key WHERE username IN (%)))`
  const { isZoneShared, isDynupdate, updateGroups } = filter
  const isTarget = `(name.key_id IS NOT NULL OR EXISTS (${RDATA} AND rdata.key_id IS NOT NULL))`
  return [
    ...list(filter.names, (marks) => `name.name IN (${marks})`),
    ...list(filter.zoneNames, (marks) => `zone.name IN (${marks})`),
    ...list(
      filter.dnsTypes,
      (marks) => `EXISTS (SELECT 1 FROM rrset WHERE name_id = name.id AND dns_type IN (${marks}))`,
    ),
    ...list(filter.labels, (marks) => `EXISTS (${RDATA} AND rdata.label IN (${marks}))`),
    ...list(filter.rdata, (marks) => `EXISTS (${RDATA} AND rdata.value IN (${marks}))`),
    ...(isZoneShared === undefined ? [] : [clause('zone.is_shared = ?', isZoneShared ? 1 : 0)]),
    ...(isDynupdate === undefined ? [] : [clause(isDynupdate ? isTarget : `NOT ${isTarget}`)]),
    ...(updateGroups === undefined
      ? []
      : [
          clause(
            group.replaceAll('%', updateGroups.map(() => '?').join(', ')),
            ...updateGroups,
            ...updateGroups,
          ),
        ]),
  ]
}

function expressed(expression: Expression, table: string, of: string): Clause {
  if ('and' in expression)
    return joined(
      'AND',
      expression.and.map((one) => expressed(one, table, of)),
      'TRUE',
    )
  if ('or' in expression)
    return joined(
      'OR',
      expression.or.map((one) => expressed(one, table, of)),
      'FALSE',
    )
  const test = expression.op === 'exact' ? 'value = ?' : 'instr(value, ?) > 0'
  return clause(
    `EXISTS (SELECT 1 FROM ${table} WHERE ${of} AND key = ? AND ${test})`,
    expression.key,
    expression.value,
  )
}

/** Of several values of one name the least counts upwards, and the greatest downwards. The id makes every page stable. */
function orderOf(sort: readonly Sort[]): string {
  const parts = sort.map(({ key, direction }) => {
    const pick = direction === 'asc' ? 'min' : 'max'
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
  return [...parts, 'name.id ASC'].join(', ')
}
