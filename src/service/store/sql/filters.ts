import type { Expression, NameFilter, NameQuery, NameSearch } from '../../model/query.ts'
import { type Clause, clause, contains, joined, marks } from './clause.ts'
import { inNames } from './scope.ts'
import { inStates } from './states.ts'

/** Above this number of names in scope, an index on the filtered values is faster than a test of every name. */
export const INDEX_THRESHOLD = 2000

/** The conditions of a query. `usesIndex`: see INDEX_THRESHOLD. */
export function filterClauses({ filter, scope, ...query }: NameQuery, usesIndex: boolean): readonly Clause[] {
  const { zoneMetadata, metadata, rrsetMetadata } = query
  return [
    ...(scope?.names === undefined ? [] : [inNames(scope.names)]),
    ...nameFilters(filter, usesIndex),
    ...(filter.search === undefined ? [] : [found(filter.search, query.accountId)]),
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
  const { isZoneShared, isDynupdate, isOffline, states, updateGroups } = filter
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
    ...(isOffline === undefined ? [] : [clause('name.is_offline = ?', isOffline ? 1 : 0)]),
    ...(states === undefined ? [] : [inStates(states)]),
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

/** The owner of a zone sees names with keys of other accounts, but not the descriptions of these keys. */
function found({ name, text, isInKeys }: NameSearch, accountId: number): Clause {
  const inDescription = contains('description', text)
  const keys = clause(
    `IN (SELECT id FROM ddns_key WHERE account_id = ? AND ${inDescription.sql})`,
    accountId,
    ...inDescription.values,
  )
  const ofKey = (column: string): readonly Clause[] =>
    isInKeys ? [clause(`${column} ${keys.sql}`, ...keys.values)] : []
  const address = clause(
    `rrset.dns_type IN ('A', 'AAAA') AND instr(rdata.value, lower(CAST(? AS TEXT))) > 0`,
    text,
  )
  const ofRdata = joined('OR', [address, ...ofKey('rdata.key_id')], 'FALSE')
  return joined(
    'OR',
    [
      clause('instr(name.fqdn, ?) > 0', name),
      ...ofKey('name.key_id'),
      clause(`EXISTS (${RDATA} AND (${ofRdata.sql}))`, ...ofRdata.values),
    ],
    'FALSE',
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
