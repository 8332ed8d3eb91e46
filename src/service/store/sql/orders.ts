import {
  type Direction,
  type Position,
  SORT_KEYS,
  type Sort,
  type SortKey,
  sortValueOf,
} from '../../model/query.ts'
import type { Bound } from '../values.ts'
import { type Clause, clause, joined } from './clause.ts'

type Extreme = 'min' | 'max'

const ofRdata = (extreme: Extreme, column: string): string =>
  `(SELECT ${extreme}(${column}) FROM rrset LEFT JOIN rdata ON rdata.rrset_id = rrset.id WHERE rrset.name_id = name.id)`

/** The last change at a name: an update writes its time only to the Rdata. */
const LAST_CHANGE = `(SELECT max(coalesce(max(rrset.updated_at), 0), coalesce(max(rdata.updated_at), 0), name.updated_at)
  FROM rrset LEFT JOIN rdata ON rdata.rrset_id = rrset.id WHERE rrset.name_id = name.id)`

/** The last request of the DDNS keys that may update a name or one of its Rdata, as it is stored: within five seconds. */
const LAST_UPDATE = `(SELECT max(used_at) FROM (SELECT used_at FROM usage WHERE subject = 'key:' || name.key_id
  UNION ALL SELECT used_at FROM rrset JOIN rdata ON rdata.rrset_id = rrset.id
    JOIN usage ON subject = 'key:' || rdata.key_id WHERE rrset.name_id = name.id) AS use)`

/** The condition that a name has a change that is not published yet; another row of it is stuck or deferred. */
export const IS_DIRTY =
  'EXISTS (SELECT 1 FROM dns_dirty WHERE dns_dirty.zone_id = name.zone_id AND dns_dirty.name = name.name)'

/** By what each sort key sorts, in SQL. Of several values of one name, one counts. */
const ORDERS: { readonly [K in SortKey]: (extreme: Extreme) => string } = {
  zone_name: () => 'zone.name',
  name: () => 'name.name',
  // In ASCII a dot sorts after a hyphen, but the end of a label must sort first.
  name_labels_reversed: () => "replace(name.labels_reversed, '.', char(1))",
  dns_type: (extreme) => ofRdata(extreme, 'rrset.dns_type'),
  rdata: (extreme) => ofRdata(extreme, 'rdata.value'),
  label: (extreme) => ofRdata(extreme, 'lower(rdata.label)'),
  zone_is_shared: () => 'zone.is_shared',
  created_at: () => 'name.created_at',
  updated_at: () => LAST_CHANGE,
  published_at: () => `CASE WHEN ${IS_DIRTY} THEN NULL ELSE name.published_at END`,
  last_update_at: () => LAST_UPDATE,
}

interface OrderOptions {
  readonly scan: Direction
  readonly isFew: boolean
}

/**
 * ORDER BY. Of several values of one name the smallest counts in ascending order, the greatest in descending order. The
 * id makes pages stable. `scan` is the end from which the list is read: with `desc`, `sort` is reversed already.
 */
export function orderOf(sort: readonly Sort[], { scan, isFew }: OrderOptions): string {
  const parts = sort.map(({ key, direction }) => {
    const column = ORDERS[key](direction === scan ? 'min' : 'max')
    return `${column} ${direction === 'asc' ? 'ASC NULLS FIRST' : 'DESC NULLS LAST'}`
  })
  // With a plus, the order is not that of an index.
  return [...parts, `${isFew ? '+' : ''}name.id ${scan === 'asc' ? 'ASC' : 'DESC'}`].join(', ')
}

type PositionColumn = `${SortKey}_${Direction}`
const DIRECTIONS = ['asc', 'desc'] as const
const extremeOf = (direction: Direction): Extreme => (direction === 'asc' ? 'min' : 'max')

/** What the values of a position are read from: a column for each sort key and direction. */
export const POSITION_COLUMNS = Object.fromEntries(
  SORT_KEYS.flatMap((key) =>
    DIRECTIONS.map((direction) => [
      `${key}_${direction}`,
      sortValueOf(key).startsWith('text') ? 'TEXT NULL' : 'INTEGER NULL',
    ]),
  ),
) as Readonly<Record<PositionColumn, 'TEXT NULL' | 'INTEGER NULL'>>

export const POSITION_LIST = SORT_KEYS.flatMap((key) =>
  DIRECTIONS.map((direction) => `${ORDERS[key](extremeOf(direction))} AS ${key}_${direction}`),
).join(', ')

export const positionFrom = (
  row: Readonly<Record<PositionColumn, string | number | null>>,
  sort: readonly Sort[],
): Position => sort.map(({ key, direction }) => row[`${key}_${direction}`])

/** A part of the names after a position, and the order in which it is read. */
interface PartAfter {
  readonly where: Clause
  readonly sort: readonly Sort[]
}

interface SortTerm {
  readonly column: string
  readonly direction: Direction
  readonly isNullable: boolean
  readonly value: Bound
}

/**
 * The names after a position, as parts that follow each other: first those with the same values and a greater id, then those
 * with the same values but in the last key, and so on. Each part is one range of an index, if the order has one.
 */
export function partsAfter(sort: readonly Sort[], position: Position): readonly PartAfter[] {
  const terms: readonly SortTerm[] = [
    ...sort.map(
      ({ key, direction }, n): SortTerm => ({
        column: ORDERS[key](extremeOf(direction)),
        direction,
        isNullable: sortValueOf(key).endsWith('or null'),
        value: position[n] ?? null,
      }),
    ),
    { column: 'name.id', direction: 'asc', isNullable: false, value: position.at(-1) ?? null },
  ]
  return terms
    .flatMap((term, n) => {
      const beyond = beyondValue(term)
      const where = joined('AND', [...terms.slice(0, n).map(atValue), ...(beyond ?? [])], 'TRUE')
      return beyond === undefined ? [] : [{ where, sort: sort.slice(n) }]
    })
    .toReversed()
}

const atValue = ({ column, value }: SortTerm): Clause =>
  value === null ? clause(`${column} IS NULL`) : clause(`${column} = ?`, value)

/** Undefined if no value is beyond this one: NULL is the smallest. */
function beyondValue({ column, direction, isNullable, value }: SortTerm): readonly Clause[] | undefined {
  if (direction === 'asc')
    return [value === null ? clause(`${column} IS NOT NULL`) : clause(`${column} > ?`, value)]
  if (value === null) return undefined
  return [clause(isNullable ? `(${column} >= ?) IS NOT TRUE` : `${column} < ?`, value)]
}
