import { formatInstant, instant } from '../../../base/time.ts'
import type { Overview, OverviewFilter, OverviewQuery, OverviewRow } from '../overview.ts'
import type { Row, Value } from '../values.ts'
import type { Sql } from './statement.ts'

const HOLDINGS = (column: 'names' | 'rdata', of: 'account_id' | 'zone_id', id: string): string =>
  `(SELECT coalesce(sum(${column}), 0) FROM holding WHERE holding.${of} = ${id})`

interface OverviewSql {
  readonly select: string
  /** The expression that each filter compares. */
  readonly filters: Partial<Readonly<Record<keyof OverviewFilter, string>>>
  /** A condition on the present time, which is ?1 there. */
  readonly since?: string
  readonly order: string
}

const OWNER = 'JOIN account ON account.id ='

// biome-ignore format: a table
const LISTS: { readonly [O in Overview]: OverviewSql } = {
  plans: {
    select: `plan.name, max_names, max_rdata, max_keys, max_name_metadata, max_rrset_metadata, min_ttl, fixed_ttl, types, has_offline,
      has_wildcards, (SELECT count(*) FROM account WHERE plan_id = plan.id) AS accounts FROM plan`,
    filters: { name: 'plan.name' }, order: 'plan.name',
  },
  accounts: {
    select: `account.name, plan.name AS plan, is_suspended, is_website_only, ${HOLDINGS('names', 'account_id', 'account.id')} AS names,
      max_names, ${HOLDINGS('rdata', 'account_id', 'account.id')} AS rdata, max_rdata,
      (SELECT count(*) FROM zone WHERE account_id = account.id) AS zones,
      (SELECT count(*) FROM ddns_key WHERE account_id = account.id) AS keys,
      (SELECT count(*) FROM api_key WHERE account_id = account.id) AS api_keys, created_at
      FROM account JOIN plan ON plan.id = plan_id`,
    filters: { name: 'account.name', account: 'account.name' }, order: 'account.name',
  },
  zones: {
    select: `zone.name, account.name AS account, ${HOLDINGS('names', 'zone_id', 'zone.id')} AS names, (SELECT serial FROM dns_zone WHERE id = zone.id) AS serial, is_shared, is_prohibited,
      zone.is_website_only, is_closed_to_new_names, is_members_only, has_no_new_rdata, wildcards AS has_wildcards, has_open_nesting,
      types, owner_only_types, max_labels, min_ttl, fixed_ttl, default_ttl, zone.created_at, zone.updated_at
      FROM zone ${OWNER} zone.account_id`,
    filters: { name: 'zone.name', zone: 'zone.name', account: 'account.name' }, order: 'zone.name',
  },
  names: {
    select: `fqdn AS name, zone.name AS zone, account.name AS account, name.is_prohibited AS is_locked, is_blocked, is_offline,
      (SELECT username FROM ddns_key WHERE id = key_id) AS key,
      (SELECT count(*) FROM rrset JOIN rdata ON rdata.rrset_id = rrset.id WHERE name_id = name.id) AS rdata,
      name.created_at, name.updated_at, name.published_at
      FROM name JOIN zone ON zone.id = zone_id ${OWNER} name.account_id`,
    filters: { name: 'fqdn', zone: 'zone.name', account: 'account.name' }, order: 'zone.name, labels_reversed',
  },
  keys: {
    select: `username, account.name AS account, description, is_locked, is_blocked,
      (SELECT blocked_until FROM usage WHERE subject = 'key:' || ddns_key.id AND blocked_until > ?1) AS blocked_until,
      (SELECT count(*) FROM name WHERE key_id = ddns_key.id) + (SELECT count(*) FROM rdata WHERE key_id = ddns_key.id) AS targets,
      hash_key, ddns_key.created_at, (SELECT used_at FROM usage WHERE subject = 'key:' || ddns_key.id) AS last_used_at
      FROM ddns_key ${OWNER} account_id`,
    filters: { name: 'username', account: 'account.name' }, since: '?1 >= 0', order: 'username',
  },
  apiKeys: {
    select: `api_key.id, account.name AS account, description, scopes, hash_key, api_key.created_at, expires_at, last_used_at
      FROM api_key ${OWNER} account_id`,
    filters: { name: 'CAST(api_key.id AS TEXT)', account: 'account.name' }, order: 'api_key.id',
  },
  blocks: {
    select: `coalesce((SELECT username FROM ddns_key WHERE 'key:' || id = subject),
      (SELECT name FROM account WHERE 'account:' || id = subject)) AS username, blocked_until, used_at AS last_used_at, agent, peer AS address
      FROM usage`,
    filters: {}, since: 'blocked_until > ?1', order: 'blocked_until',
  },
  lockouts: {
    select: `substr(peer, instr(peer, ' ') + 1) AS network, substr(peer, 1, instr(peer, ' ') - 1) AS endpoint, blocked_until
      FROM login_failure`,
    filters: {}, since: 'blocked_until > ?1', order: 'blocked_until',
  },
  clients: {
    select: `username, account.name AS account, agent, peer AS address, reply, used_at AS last_used_at
      FROM usage JOIN ddns_key ON subject = 'key:' || ddns_key.id ${OWNER} account_id`,
    filters: { name: 'username', account: 'account.name' }, order: 'username',
  },
}

/** One list of the operator, in SQL. */
export async function sqlOverview(
  sql: Sql,
  of: Overview,
  { filter, now, limit = UNLIMITED }: OverviewQuery,
): Promise<readonly OverviewRow[]> {
  const { select, filters, since, order } = LISTS[of]
  const chosen = (Object.entries(filter) as [keyof OverviewFilter, string | undefined][]).flatMap(
    ([key, value]) =>
      value === undefined || filters[key] === undefined ? [] : [{ column: filters[key], value }],
  )
  const first = since === undefined ? 1 : 2
  const conditions = [
    ...(since === undefined ? [] : [since]),
    ...chosen.map(({ column }, at) => `${column} = ?${first + at}`),
  ]
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
  const values = [...(since === undefined ? [] : [now]), ...chosen.map(({ value }) => value)]
  return (await sql(`SELECT ${select} ${where} ORDER BY ${order} LIMIT ${limit}`).all(...values)).map(shown)
}

const UNLIMITED = Number.MAX_SAFE_INTEGER

const shown = (row: Row): OverviewRow =>
  Object.fromEntries(Object.entries(row).map(([column, value]) => [column, shownValue(column, value)]))

function shownValue(column: string, value: Value): string | number | boolean | null {
  if (value === null || value === undefined) return null
  if (/_(at|until)$/.test(column)) return formatInstant(instant(Number(value)))
  if (/^(is|has)_/.test(column)) return value === 1
  return typeof value === 'number' ? value : String(value)
}
