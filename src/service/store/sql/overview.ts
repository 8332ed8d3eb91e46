import { formatInstant, instant } from '../../../shared/base/time.ts'
import { isInShownZone, isShown } from '../hidden.ts'
import { passedOn } from './account/sanctions.ts'
import type { Overview, OverviewFilter, OverviewQuery, OverviewRow } from '../overview.ts'
import {
  type Columns,
  type ColumnType,
  type RowOf,
  type Select,
  select,
  selects,
  type ValueOf,
} from '../select.ts'
import { NAME_STATE, ZONE_STATE } from './states.ts'
import type { Sql } from './statement.ts'

const HOLDINGS = (column: 'names' | 'rdata', of: 'account_id' | 'zone_id', id: string): string =>
  `(SELECT coalesce(sum(${column}), 0) FROM holding WHERE holding.${of} = ${id}
    AND ${isInShownZone('holding.zone_id')})`

interface OverviewList {
  /** The expression that each filter compares. */
  readonly filters: Partial<Readonly<Record<keyof OverviewFilter, string>>>
  /** A condition on the present time, which is ?1 there. */
  readonly since?: string
  /** Another condition. */
  readonly shown?: string
  /** Rows, where a list may be very long. */
  readonly limit?: number
  readonly order: string
}

// biome-ignore format: a table
const LISTS: { readonly [O in Overview]: OverviewList } = {
  plans:    { filters: { name: 'plan.name' }, order: 'plan.name' },
  accounts: { filters: { name: 'account.name', account: 'account.name', search: 'account.name' }, shown: isShown('account.name'), order: 'account.name' },
  zones:    { filters: { name: 'zone.name', zone: 'zone.name', account: 'account.name' }, shown: isShown('zone.name'), order: 'zone.name' },
  names:    { filters: { name: 'fqdn', zone: 'zone.name', account: 'account.name' }, shown: isShown('zone.name'), order: 'zone.name, labels_reversed' },
  keys:     { filters: { name: 'username', account: 'account.name' }, since: '?1 >= 0', shown: isShown('username'), order: 'username' },
  apiKeys:  { filters: { name: 'CAST(api_key.id AS TEXT)', account: 'account.name' }, order: 'api_key.id' },
  blocks:   { filters: {}, since: `(reason = 'operator' OR blocked_until > ?1)`, order: 'reason, blocked_until, username' },
  lockouts: { filters: {}, since: 'blocked_until > ?1', order: 'blocked_until' },
  clients:  { filters: { name: 'username', account: 'account.name' }, order: 'username' },
  trail:    { filters: { name: 'subject', account: 'account.name' }, order: 'trail.at DESC, n DESC', limit: 1000 },
}

const OWNER = 'JOIN account ON account.id ='

// biome-ignore format: tables
export const OVERVIEW = selects({
  plans: select({
    name: 'TEXT', max_names: 'INTEGER', max_rdata: 'INTEGER', max_keys: 'INTEGER', max_name_metadata: 'INTEGER',
    max_rrset_metadata: 'INTEGER', min_ttl: 'INTEGER', fixed_ttl: 'INTEGER NULL', types: 'TEXT NULL', has_offline: 'FLAG',
    has_wildcards: 'FLAG', needs_factor: 'FLAG', accounts: 'INTEGER',
  },
    `SELECT plan.name, max_names, max_rdata, max_keys, max_name_metadata, max_rrset_metadata, min_ttl, fixed_ttl, types, has_offline,
      has_wildcards, needs_factor, (SELECT count(*) FROM account WHERE plan_id = plan.id AND ${isShown('account.name')}) AS accounts FROM plan`),
  accounts: select({
    name: 'TEXT', plan: 'TEXT', is_suspended: 'FLAG', is_website_only: 'FLAG', is_operator: 'FLAG', names: 'INTEGER', max_names: 'INTEGER',
    rdata: 'INTEGER', max_rdata: 'INTEGER', zones: 'INTEGER', keys: 'INTEGER', api_keys: 'INTEGER', created_at: 'TIME',
    has_factor: 'FLAG',
  },
    `SELECT account.name, plan.name AS plan, is_suspended, is_website_only, is_operator, ${HOLDINGS('names', 'account_id', 'account.id')} AS names,
      max_names, ${HOLDINGS('rdata', 'account_id', 'account.id')} AS rdata, max_rdata,
      (SELECT count(*) FROM zone WHERE account_id = account.id AND ${isShown('zone.name')}) AS zones,
      (SELECT count(*) FROM ddns_key WHERE account_id = account.id) AS keys,
      (SELECT count(*) FROM api_key WHERE account_id = account.id) AS api_keys, created_at,
      CASE WHEN EXISTS (SELECT 1 FROM second_factor WHERE account_id = account.id AND is_confirmed = 1 AND kind <> 'recovery') THEN 1 ELSE 0 END AS has_factor
      FROM account JOIN plan ON plan.id = plan_id`),
  zones: select({
    name: 'TEXT', account: 'TEXT', names: 'INTEGER', serial: 'INTEGER', is_shared: 'FLAG', is_prohibited: 'FLAG', is_website_only: 'FLAG',
    is_closed_to_new_names: 'FLAG', is_members_only: 'FLAG', has_no_new_rdata: 'FLAG', has_wildcards: 'FLAG NULL',
    has_open_nesting: 'FLAG', types: 'TEXT NULL', owner_only_types: 'TEXT NULL', max_labels: 'INTEGER NULL', min_ttl: 'INTEGER NULL',
    fixed_ttl: 'INTEGER NULL', default_ttl: 'INTEGER', created_at: 'TIME', updated_at: 'TIME', publication: 'TEXT',
  },
    `SELECT zone.name, account.name AS account, ${HOLDINGS('names', 'zone_id', 'zone.id')} AS names,
      (SELECT serial FROM dns_zone WHERE id = zone.id) AS serial, is_shared, is_prohibited,
      zone.is_website_only, is_closed_to_new_names, is_members_only, has_no_new_rdata, wildcards AS has_wildcards, has_open_nesting,
      types, owner_only_types, max_labels, min_ttl, fixed_ttl, default_ttl, zone.created_at, zone.updated_at,
      ${ZONE_STATE} AS publication
      FROM zone ${OWNER} zone.account_id`),
  names: select({
    name: 'TEXT', zone: 'TEXT', account: 'TEXT', is_locked: 'FLAG', is_blocked: 'FLAG', is_offline: 'FLAG', key: 'TEXT NULL',
    rdata: 'INTEGER', created_at: 'TIME', updated_at: 'TIME', published_at: 'TIME NULL', publication: 'TEXT',
  },
    `SELECT fqdn AS name, zone.name AS zone, account.name AS account, name.is_prohibited AS is_locked, is_blocked, is_offline,
      (SELECT username FROM ddns_key WHERE id = key_id) AS key,
      (SELECT count(*) FROM rrset JOIN rdata ON rdata.rrset_id = rrset.id WHERE name_id = name.id) AS rdata,
      name.created_at, name.updated_at, name.published_at, ${NAME_STATE} AS publication
      FROM name JOIN zone ON zone.id = zone_id ${OWNER} name.account_id`),
  keys: select({
    username: 'TEXT', account: 'TEXT', description: 'TEXT', is_locked: 'FLAG', is_blocked: 'FLAG', blocked_until: 'TIME NULL',
    targets: 'INTEGER', hash_key: 'INTEGER', created_at: 'TIME', last_used_at: 'TIME NULL',
  },
    `SELECT username, account.name AS account, description,
      CASE WHEN is_locked = 1 OR ${passedOn('is_locked')} THEN 1 ELSE 0 END AS is_locked,
      CASE WHEN is_blocked = 1 OR ${passedOn('is_blocked')} THEN 1 ELSE 0 END AS is_blocked,
      (SELECT blocked_until FROM usage WHERE subject = 'key:' || ddns_key.id AND blocked_until > ?1) AS blocked_until,
      (SELECT count(*) FROM name WHERE key_id = ddns_key.id AND ${isInShownZone('zone_id')})
        + (SELECT count(*) FROM rdata JOIN rrset ON rrset.id = rrset_id JOIN name ON name.id = name_id
          WHERE rdata.key_id = ddns_key.id AND ${isInShownZone('zone_id')}) AS targets,
      hash_key, ddns_key.created_at, (SELECT used_at FROM usage WHERE subject = 'key:' || ddns_key.id) AS last_used_at
      FROM ddns_key ${OWNER} account_id`),
  apiKeys: select({
    id: 'INTEGER', account: 'TEXT', description: 'TEXT', scopes: 'TEXT NULL', hash_key: 'INTEGER', created_at: 'TIME',
    expires_at: 'TIME NULL', last_used_at: 'TIME NULL',
  },
    `SELECT api_key.id, account.name AS account, description, scopes, hash_key, api_key.created_at, expires_at, last_used_at
      FROM api_key ${OWNER} account_id`),
  blocks: select({
    username: 'TEXT NULL', reason: 'TEXT', blocked_until: 'TIME NULL', last_used_at: 'TIME NULL', agent: 'TEXT NULL', address: 'TEXT NULL',
  },
    `SELECT username, reason, blocked_until, last_used_at, agent, address FROM (
      SELECT coalesce((SELECT username FROM ddns_key WHERE 'key:' || id = subject),
        (SELECT name FROM account WHERE 'account:' || id = subject)) AS username, 'abuse' AS reason, blocked_until,
        used_at AS last_used_at, agent, peer AS address FROM usage
      UNION ALL SELECT username, 'operator', NULL, NULL, NULL, NULL FROM ddns_key WHERE is_blocked = 1 AND ${isShown('username')}
      UNION ALL SELECT name, 'operator', NULL, NULL, NULL, NULL FROM account WHERE is_suspended = 1 AND ${isShown('name')}
      UNION ALL SELECT CASE subject WHEN '' THEN (SELECT name FROM account WHERE id = account_id) ELSE subject END,
        CASE is_blocked WHEN 1 THEN 'operator' ELSE 'abuse' END, blocked_until, NULL, NULL, NULL FROM sanction
        WHERE (is_blocked = 1 OR blocked_until IS NOT NULL) AND NOT EXISTS (SELECT 1 FROM ddns_key WHERE username = source)
      UNION ALL SELECT fqdn, 'operator', NULL, NULL, NULL, NULL FROM name WHERE is_blocked = 1 AND ${isInShownZone('zone_id')}
    ) AS block`),
  lockouts: select({ network: 'TEXT', endpoint: 'TEXT', blocked_until: 'TIME NULL' },
    `SELECT substr(peer, instr(peer, ' ') + 1) AS network, substr(peer, 1, instr(peer, ' ') - 1) AS endpoint, blocked_until
      FROM login_failure`),
  clients: select({ username: 'TEXT', account: 'TEXT', agent: 'TEXT', address: 'TEXT', reply: 'TEXT', last_used_at: 'TIME' },
    `SELECT username, account.name AS account, agent, peer AS address, reply, used_at AS last_used_at
      FROM usage JOIN ddns_key ON subject = 'key:' || ddns_key.id ${OWNER} account_id`),
  trail: select({
    at: 'TIME', account: 'TEXT NULL', by: 'TEXT', from: 'TEXT', operation: 'TEXT', name: 'TEXT', type: 'TEXT NULL', before: 'TEXT NULL',
    after: 'TEXT NULL',
  },
    `SELECT trail.at, account.name AS account, actor AS "by", peer AS "from", operation, subject AS name, dns_type AS type,
      went AS before, came AS after FROM trail LEFT JOIN account ON account.id = account_id`),
} satisfies { readonly [O in Overview]: unknown })

/** One list of the operator, in SQL. */
export async function sqlOverview(
  sql: Sql,
  of: Overview,
  { filter, now, limit = UNLIMITED }: OverviewQuery,
): Promise<readonly OverviewRow[]> {
  const { filters, since, shown: isShownHere, order, limit: own = UNLIMITED } = LISTS[of]
  const chosen = (Object.entries(filter) as [keyof OverviewFilter, string | undefined][]).flatMap(
    ([key, value]) =>
      value === undefined || filters[key] === undefined ? [] : [{ key, column: filters[key], value }],
  )
  const first = since === undefined ? 1 : 2
  const conditions = [
    ...(since === undefined ? [] : [since]),
    ...(isShownHere === undefined ? [] : [isShownHere]),
    ...chosen.map(({ key, column }, at) =>
      key === 'search' ? `instr(${column}, ?${first + at}) > 0` : `${column} = ?${first + at}`,
    ),
  ]
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
  const values = [...(since === undefined ? [] : [now]), ...chosen.map(({ value }) => value)]
  const list: Select<Columns> = OVERVIEW[of]
  const rows = await sql(list.with(` ${where} ORDER BY ${order} LIMIT ${Math.min(limit, own)}`)).all(
    ...values,
  )
  return rows.map((row) => shown(row, list.columns))
}

const UNLIMITED = Number.MAX_SAFE_INTEGER

const shown = (row: RowOf<Columns>, columns: Columns): OverviewRow =>
  Object.fromEntries(
    Object.entries(columns).map(([column, type]) => [column, shownValue(row[column] ?? null, type)]),
  )

function shownValue(value: ValueOf<ColumnType>, type: ColumnType): OverviewRow[string] {
  if (value === null) return null
  if (type.startsWith('FLAG')) return value === 1
  if (type.startsWith('TIME')) return formatInstant(instant(Number(value)))
  return typeof value === 'number' ? value : String(value)
}
