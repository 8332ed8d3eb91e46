import { APEX, fqdnOf, namesAbove } from '../../model/dns-name.ts'
import type { Position } from '../../model/query.ts'
import type { Account, Plan, Zone, ZoneRules } from '../../model/tree.ts'
import type { RecordReads } from '../records.ts'
import { columnList, type RowOf, select, selects } from '../select.ts'
import { isOn, optional, wordList } from '../values.ts'
import { clause, joined } from './clause.ts'
import { isShown } from '../hidden.ts'
import { orderedPage } from './paging.ts'
import { zonesInScope } from './scope.ts'
import type { Sql } from './statement.ts'
import { metadataFrom } from './name-rows.ts'

// biome-ignore format: a table
const PLAN = {
  name: 'TEXT', max_names: 'INTEGER', max_rdata: 'INTEGER', max_keys: 'INTEGER', max_name_metadata: 'INTEGER',
  max_rrset_metadata: 'INTEGER', min_ttl: 'INTEGER', fixed_ttl: 'INTEGER NULL', types: 'TEXT NULL', has_offline: 'FLAG',
  has_wildcards: 'FLAG', needs_factor: 'FLAG',
} as const
// biome-ignore format: a table
const ACCOUNT = {
  account_name: 'TEXT', is_website_only: 'FLAG', is_suspended: 'FLAG', is_operator: 'FLAG', email: 'TEXT', is_email_confirmed: 'FLAG',
  has_sanctions: 'FLAG', ...PLAN,
} as const

/** Without the columns that every change of the zone changes. */
// biome-ignore format: a table
const RULES = {
  id: 'INTEGER', name: 'TEXT', account_id: 'INTEGER', is_shared: 'FLAG', is_prohibited: 'FLAG', is_website_only: 'FLAG',
  is_closed_to_new_names: 'FLAG', is_members_only: 'FLAG', has_no_new_rdata: 'FLAG', has_open_nesting: 'FLAG',
  wildcards: 'FLAG NULL', default_ttl: 'INTEGER', created_at: 'TIME', types: 'TEXT NULL', owner_only_types: 'TEXT NULL',
  max_labels: 'INTEGER NULL', min_ttl: 'INTEGER NULL', fixed_ttl: 'INTEGER NULL',
} as const
const ZONE = {
  ...RULES,
  description: 'TEXT',
  awaits_proof: 'FLAG',
  updated_at: 'TIME',
  serial: 'INTEGER',
} as const
const ZONE_ROWS = `SELECT ${columnList(RULES)}, description, awaits_proof, updated_at, (SELECT serial FROM dns_zone
  WHERE dns_zone.id = zone.id) AS serial FROM zone`

export const ZONES = selects({
  account: select(
    ACCOUNT,
    `SELECT account.name AS account_name, is_website_only, is_suspended, is_operator, email, is_email_confirmed,
      CASE WHEN EXISTS (SELECT 1 FROM sanction WHERE account_id = account.id) THEN 1 ELSE 0 END AS has_sanctions,
      ${columnList(PLAN, 'plan')}
      FROM account JOIN plan ON plan.id = plan_id WHERE account.id = ?`,
  ),
  rules: select(RULES, `SELECT ${columnList(RULES)} FROM zone WHERE id = ?`),
  owner: select({ account_id: 'INTEGER' }, 'SELECT account_id FROM zone WHERE id = ?'),
  zones: select(ZONE, ZONE_ROWS),
  named: select(ZONE, `${ZONE_ROWS} WHERE name = ? AND ${isShown('name')}`),
  longest: select(
    ZONE,
    `${ZONE_ROWS} WHERE name IN (SELECT value FROM json_each(?)) AND ${isShown('name')} ORDER BY length(name) DESC LIMIT 1`,
  ),
  count: select({ n: 'INTEGER' }, 'SELECT count(*) AS n FROM zone'),
  awaiting: select(
    ZONE,
    `${ZONE_ROWS} WHERE awaits_proof = 1 AND zone.id < ? AND ${isShown('name')} ORDER BY zone.id DESC LIMIT ?`,
  ),
  metadata: select(
    { key: 'TEXT', value: 'TEXT' },
    'SELECT key, value FROM zone_metadata WHERE zone_id = ? ORDER BY key',
  ),
  member: select(
    { found: 'INTEGER' },
    'SELECT 1 AS found FROM zone_member WHERE zone_id = ? AND account_id = ?',
  ),
})

type ReadsOf<K extends keyof RecordReads> = Pick<RecordReads, K>

/** Accounts and zones, in SQL. */
export const sqlZones = (
  sql: Sql,
): ReadsOf<
  'account' | 'zoneNamed' | 'zoneRules' | 'isMember' | 'zonesOf' | 'zoneContaining' | 'zoneInside'
> => ({
  async account(id) {
    const row = await sql(ZONES.account).get(id)
    return row === undefined ? undefined : accountFrom(id, row)
  },
  async zoneNamed(name) {
    const row = await sql(ZONES.named).get(name)
    return row === undefined ? undefined : zoneFrom(sql, row)
  },
  async zoneRules(id) {
    const row = await sql(ZONES.rules).get(id)
    return row === undefined ? undefined : rulesFrom(row)
  },
  async isMember(zoneId, accountId) {
    return (await sql(ZONES.member).get(zoneId, accountId)) !== undefined
  },
  async zonesOf(accountId, { page, scope = {}, isShared, search }) {
    const own = clause('account_id = ?', accountId)
    const kind = isShared === undefined ? own : clause('is_shared = ?', isShared ? 1 : 0)
    const parts = [
      clause(isShown('name')),
      kind,
      ...(isShared === false ? [own] : []),
      zonesInScope(scope),
      ...(search === undefined ? [] : [clause('instr(name, ?) > 0', search)]),
    ]
    const list = {
      rows: ZONES.zones,
      count: ZONES.count,
      where: joined('AND', parts, 'TRUE'),
      order: 'name',
      after: ([name = null]: Position) => clause('name > ?', name),
      positionOf: ({ name }: RowOf<typeof ZONE>) => [name],
    }
    const { items, ...place } = await orderedPage(sql, list, page)
    return { items: await Promise.all(items.map(async (row) => zoneFrom(sql, row))), ...place }
  },
  async zoneContaining(fqdn) {
    return longest(sql, [fqdn, ...namesAbove(fqdn)])
  },
  async zoneInside(zone, name) {
    if (name === APEX) return undefined
    return longest(
      sql,
      [name, ...namesAbove(name)].map((one) => fqdnOf(one, zone.name)),
    )
  },
})

/** The zone with the longest of these names. */
async function longest(sql: Sql, names: readonly string[]): Promise<Zone | undefined> {
  const row = await sql(ZONES.longest).get(JSON.stringify(names))
  return row === undefined ? undefined : zoneFrom(sql, row)
}

function accountFrom(id: number, row: RowOf<typeof ACCOUNT>): Account {
  const plan: Plan = {
    name: row.name,
    maxNames: row.max_names,
    maxRdata: row.max_rdata,
    maxKeys: row.max_keys,
    maxNameMetadata: row.max_name_metadata,
    maxRRSetMetadata: row.max_rrset_metadata,
    minTtl: row.min_ttl,
    hasOffline: isOn(row.has_offline),
    hasWildcards: isOn(row.has_wildcards),
    ...optional('fixedTtl', row.fixed_ttl),
    ...optional('types', wordList(row.types)),
    ...(isOn(row.needs_factor) && { needsFactor: true }),
  }
  return {
    id,
    name: row.account_name,
    plan,
    isWebsiteOnly: isOn(row.is_website_only),
    isSuspended: isOn(row.is_suspended),
    ...(isOn(row.is_operator) && { isOperator: true }),
    ...(row.email !== '' && { email: row.email }),
    ...(isOn(row.is_email_confirmed) && { isEmailConfirmed: true }),
    ...(isOn(row.has_sanctions) && { hasSanctions: true }),
  }
}

export async function zoneFrom(sql: Sql, row: RowOf<typeof ZONE>): Promise<Zone> {
  return {
    ...rulesFrom(row),
    description: row.description,
    ...(isOn(row.awaits_proof) && { awaitsProof: true }),
    serial: row.serial,
    metadata: metadataFrom(await sql(ZONES.metadata).all(row.id)),
    updatedAt: row.updated_at,
  }
}

const rulesFrom = (row: RowOf<typeof RULES>): ZoneRules => ({
  id: row.id,
  name: row.name,
  accountId: row.account_id,
  isShared: isOn(row.is_shared),
  isProhibited: isOn(row.is_prohibited),
  isWebsiteOnly: isOn(row.is_website_only),
  isClosedToNewNames: isOn(row.is_closed_to_new_names),
  isMembersOnly: isOn(row.is_members_only),
  hasNoNewRdata: isOn(row.has_no_new_rdata),
  hasOpenNesting: isOn(row.has_open_nesting),
  defaultTtl: row.default_ttl,
  createdAt: row.created_at,
  ...optional('types', wordList(row.types)),
  ...optional('ownerOnlyTypes', wordList(row.owner_only_types)),
  ...optional('hasWildcards', row.wildcards === null ? null : isOn(row.wildcards)),
  ...optional('maxLabels', row.max_labels),
  ...optional('minTtl', row.min_ttl),
  ...optional('fixedTtl', row.fixed_ttl),
})
