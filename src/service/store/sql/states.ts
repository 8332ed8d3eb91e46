import type { NameState, StateFilter, ZoneState } from '../../model/publication.ts'
import type { StateReads } from '../records.ts'
import { existing, select, selects } from '../select.ts'
import { isShown } from '../hidden.ts'
import { type Clause, clause, joined } from './clause.ts'
import { DEFERRED, IS_FLUSHED, STUCK } from './dirty.ts'
import { IS_DIRTY } from './orders.ts'
import { asList, ids, type Sql } from './statement.ts'
import { zoneFrom, ZONES } from './zones.ts'

/** Record types that count as an address. The NS records of an apex belong to the zone. */
const HAS_ADDRESS = `EXISTS (SELECT 1 FROM rrset WHERE rrset.name_id = name.id
  AND (dns_type IN ('A', 'AAAA', 'ALIAS', 'CNAME', 'PTR', '_URL') OR (dns_type = 'NS' AND name.name <> '@')))`
const IS_STUCK = `EXISTS (SELECT 1 FROM dns_dirty
  WHERE dns_dirty.zone_id = name.zone_id AND dns_dirty.name = '${STUCK}' || name.name)`

const IS_DEFERRED = IS_STUCK.replace(STUCK, DEFERRED)

/** An expression for one of NAME_STATES; needs the tables name and zone. */
export const NAME_STATE = `CASE WHEN name.is_blocked = 1 OR name.is_prohibited = 1 THEN 'blocked'
  WHEN zone.awaits_proof = 1 THEN 'unproved' WHEN ${IS_STUCK} THEN 'stuck' WHEN name.is_offline = 1 THEN 'offline'
  WHEN NOT ${HAS_ADDRESS} THEN 'no_address'
  WHEN name.published_at IS NULL OR ${IS_DIRTY} OR ${IS_DEFERRED} THEN 'pending' ELSE 'published' END`

const CHANGED = `SELECT zone_id FROM dns_dirty WHERE name > '' AND ${IS_FLUSHED}`
/** An expression for a ZoneState; needs the table zone. */
export const ZONE_STATE = `CASE WHEN zone.awaits_proof = 1 THEN 'unproved'
  WHEN EXISTS (${CHANGED} AND zone_id = zone.id) THEN 'pending' ELSE 'published' END`

export const STATES = selects({
  names: select(
    { id: 'INTEGER', state: 'TEXT' },
    `SELECT name.id, ${NAME_STATE} AS state FROM name JOIN zone ON zone.id = name.zone_id WHERE name.id IN ${ids()}`,
  ),
  zones: select(
    { id: 'INTEGER', state: 'TEXT' },
    `SELECT zone.id, ${ZONE_STATE} AS state FROM zone WHERE zone.id IN ${ids()}`,
  ),
  changed: select(
    { zone_id: 'INTEGER' },
    `SELECT zone.id AS zone_id FROM zone WHERE id IN (${CHANGED}) AND awaits_proof = 0 AND ${isShown('name')}`,
  ),
  totals: select(
    { zones: 'INTEGER', unproved: 'INTEGER' },
    `SELECT count(*) AS zones, coalesce(sum(awaits_proof), 0) AS unproved FROM zone WHERE ${isShown('name')}`,
  ),
})

/** Publication states, in SQL. */
export const sqlStates = (sql: Sql): StateReads => ({
  async zonesAwaitingProof(limit, before = Number.MAX_SAFE_INTEGER) {
    const rows = await sql(ZONES.awaiting).all(before, limit)
    return Promise.all(rows.map(async (row) => zoneFrom(sql, row)))
  },
  async nameStatesOf(nameIds) {
    const rows = await sql(STATES.names).all(asList(nameIds))
    return new Map(rows.map(({ id, state }) => [id, state as NameState]))
  },
  async zoneStatesOf(zoneIds) {
    const rows = await sql(STATES.zones).all(asList(zoneIds))
    return new Map(rows.map(({ id, state }) => [id, state as ZoneState]))
  },
  async zoneTotals() {
    const { zones, unproved } = existing(await sql(STATES.totals).get())
    const changed = (await sql(STATES.changed).all()).map((row) => row.zone_id)
    return { zones, unproved, changed }
  },
})

/** Names in any of these states. */
export const inStates = (filters: readonly StateFilter[]): Clause =>
  joined(
    'OR',
    filters.flatMap(({ states, zones }) => {
      if (states.length === 0) return []
      const state = `${NAME_STATE} IN (${states.map((one) => `'${one}'`).join(', ')})`
      if (zones === undefined) return [clause(state)]
      const inZones = `name.zone_id ${zones.areIn ? 'IN' : 'NOT IN'} ${ids()}`
      return [clause(`${state} AND ${inZones}`, JSON.stringify(zones.ids))]
    }),
    'FALSE',
  )
