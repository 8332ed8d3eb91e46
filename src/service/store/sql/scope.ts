import { reversed } from '../../model/dns-name.ts'
import type { RecordScope } from '../../model/query.ts'
import { isShown } from '../hidden.ts'
import { type Clause, clause, joined } from './clause.ts'

/** Rows of `name` at or beneath one of these whole names; '/' is the character after '.'. */
export const inNames = (names: readonly string[]): Clause =>
  joined(
    'OR',
    names
      .map(reversed)
      .map((labels) =>
        clause(
          'name.labels_reversed = ? OR (name.labels_reversed > ? AND name.labels_reversed < ?)',
          labels,
          `${labels}.`,
          `${labels}/`,
        ),
      ),
    'FALSE',
  )

const inZones = (zones: readonly string[]): Clause =>
  clause('zone.name IN (SELECT value FROM json_each(?))', JSON.stringify(zones))

/** Rows of `zone` that contain one of these names, or are beneath one. */
const aroundNames = (names: readonly string[]): Clause =>
  clause(
    `EXISTS (SELECT 1 FROM json_each(?) WHERE value = zone.name
      OR length(value) > length(zone.name) AND substr(value, length(value) - length(zone.name)) = '.' || zone.name
      OR length(zone.name) > length(value) AND substr(zone.name, length(zone.name) - length(value)) = '.' || value)`,
    JSON.stringify(names),
  )

/** Rows of `zone` in which there can be names of the scope. */
export const zonesInScope = ({ zones, names }: RecordScope): Clause =>
  joined(
    'AND',
    [...(zones === undefined ? [] : [inZones(zones)]), ...(names === undefined ? [] : [aroundNames(names)])],
    'TRUE',
  )

/** Rows of `ddns_key` that have targets, whole names or one Rdata of them, all of which are in the scope. */
export function keysInScope({ zones, names }: RecordScope): Clause {
  if (zones === undefined && names === undefined) return clause('TRUE')
  const isTarget = clause(`name.id IN (SELECT id FROM name WHERE key_id = ddns_key.id
    UNION SELECT name_id FROM rrset JOIN rdata ON rdata.rrset_id = rrset.id WHERE rdata.key_id = ddns_key.id)`)
  const isInside = joined(
    'AND',
    [
      clause(isShown('zone.name')),
      ...(zones === undefined ? [] : [inZones(zones)]),
      ...(names === undefined ? [] : [inNames(names)]),
    ],
    'TRUE',
  )
  const targets = 'SELECT 1 FROM name JOIN zone ON zone.id = zone_id WHERE'
  return clause(
    `EXISTS (${targets} ${isTarget.sql}) AND NOT EXISTS (${targets} ${isTarget.sql} AND NOT (${isInside.sql}))`,
    ...isInside.values,
  )
}
