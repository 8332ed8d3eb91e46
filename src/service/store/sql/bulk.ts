import type { Instant } from '../../../shared/base/time.ts'
import { fqdnOf, reversed } from '../../model/dns-name.ts'
import type { Metadata, Name, RRSet } from '../../model/tree.ts'
import { type BulkWrites, type SweptPlace, UNRENDERED_FACT } from '../bulk.ts'
import { HIDDEN_NAME, IS_HIDDEN } from '../hidden.ts'
import type { PolicyWrites, RecordWrites } from '../records.ts'
import { existing, insert, select, selects } from '../select.ts'
import { RECORD_CHANGES } from './records.ts'
import { asList, ids, type Sql } from './statement.ts'

/** Deleted with their account at once. */
const OF_ACCOUNT = [
  ...(['session', 'one_time_code', 'second_factor', 'api_key', 'tsig_key'] as const),
  ...(['sanction', 'sign_in', 'account_event'] as const),
]

type SweptTable = 'dns_rr' | 'dns_dirty' | 'name'
type SweptColumn = 'owner' | 'name'
/** The last of so many rows of a zone. */
const lastOf = (table: SweptTable, column: SweptColumn) =>
  select(
    { last: 'TEXT NULL' },
    `SELECT max(${column}) AS last FROM
      (SELECT ${column} FROM ${table} WHERE zone_id = ?1 AND ${column} >= ?2 ORDER BY ${column} LIMIT ?3) AS part`,
  )
/** Those of a zone from one to another. */
const removeRows = (table: SweptTable, column: SweptColumn): string =>
  `DELETE FROM ${table} WHERE zone_id = ?1 AND ${column} >= ?2 AND ${column} <= ?3`

export const BULK = selects({
  lastRow: lastOf('dns_rr', 'owner'),
  lastDirty: lastOf('dns_dirty', 'name'),
  lastName: lastOf('name', 'name'),
  addDraft: insert(`INSERT INTO zone (name, account_id, created_at, updated_at)
    SELECT '#draft ' || id, account_id, created_at, updated_at FROM zone WHERE id = ?`),
  draftOf: select({ id: 'INTEGER' }, 'SELECT id FROM zone_draft WHERE of_zone = ?'),
  draft: select(
    { of_zone: 'INTEGER', name: 'TEXT', updated_at: 'TIME', serial: 'INTEGER' },
    `SELECT of_zone, name, updated_at, serial FROM zone_draft JOIN zone ON zone.id = of_zone
      JOIN dns_zone ON dns_zone.id = of_zone WHERE zone_draft.id = ?`,
  ),
  addName:
    insert(`INSERT INTO name (zone_id, account_id, name, fqdn, labels_reversed, is_prohibited, is_blocked, is_offline,
      offline_settings, key_id, is_implicit, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`),
  addRRSet: insert(`INSERT INTO rrset (name_id, dns_type, ttl, is_system, created_at, updated_at)
      VALUES (?, ?, ?, ?, ?, ?)`),
  unpublished: select({ n: 'INTEGER' }, 'SELECT count(*) AS n FROM dns_dirty WHERE zone_id = ?'),
  zonesOfAccount: select({ id: 'INTEGER' }, 'SELECT id FROM zone WHERE account_id = ?'),
  hiddenZone: select(
    { id: 'INTEGER' },
    `SELECT id FROM zone WHERE ${IS_HIDDEN} AND id NOT IN (SELECT id FROM zone_draft) ORDER BY id LIMIT 1`,
  ),
  hiddenAccount: select(
    { id: 'INTEGER' },
    `SELECT id FROM account WHERE ${IS_HIDDEN} AND id NOT IN (SELECT account_id FROM zone WHERE ${IS_HIDDEN})
      ORDER BY id LIMIT 1`,
  ),
})

/** The columns of a zone that the operator and its owner set. */
const SETTINGS = `account_id, is_shared, is_prohibited, is_website_only, is_closed_to_new_names, is_members_only,
  has_no_new_rdata, types, owner_only_types, max_labels, min_ttl, fixed_ttl, default_ttl, created_at, wildcards,
  has_open_nesting, description, awaits_proof`
/** Names in zones of others that go with their account at once; more go in steps. */
const MAX_AT_ONCE = 1000
/** Steps of the journal, which are large. */
const MAX_STEPS = 10

type BulkChanges = BulkWrites & Pick<RecordWrites, 'removeZone'> & Pick<PolicyWrites, 'removeAccount'>

/** What changes many names, in steps (decision 0050). */
export const sqlBulk = (sql: Sql): BulkChanges => ({
  async addDraft(zoneId, lease, now) {
    await giveUp(sql, now)
    if ((await sql(BULK.draftOf).get(zoneId)) !== undefined) return undefined
    const { id } = existing(await sql(BULK.addDraft).get(zoneId))
    await sql('INSERT INTO zone_draft (id, of_zone, lease_until) VALUES (?, ?, ?)').run(id, zoneId, lease)
    return id
  },
  async fillDraft(draftId, names, lease) {
    const draft = await sql(BULK.draft).get(draftId)
    if (draft === undefined) return false
    await sql('UPDATE zone_draft SET lease_until = ? WHERE id = ?').run(lease, draftId)
    await Promise.all(
      names.map(async (name) => addName(sql, name, { zoneId: draftId, zoneName: draft.name })),
    )
    return true
  },
  async countUnpublished(draftId) {
    return existing(await sql(BULK.unpublished).get(draftId)).n
  },
  async changeDraft(draftId, changes, lease) {
    const draft = await sql(BULK.draft).get(draftId)
    if (draft === undefined) return false
    await sql('UPDATE zone_draft SET lease_until = ? WHERE id = ?').run(lease, draftId)
    for (const { name, to } of changes) {
      await sql('DELETE FROM name WHERE zone_id = ? AND name = ?').run(draftId, name)
      if (to !== undefined) await addName(sql, to, { zoneId: draftId, zoneName: draft.name })
    }
    return true
  },
  async lockOfDraft(draftId) {
    return (await sql(BULK.draft).get(draftId))?.of_zone
  },
  async replaceByDraft(draftId, now) {
    const draft = await sql(BULK.draft).get(draftId)
    if (draft !== undefined) await replace(sql, { ...draft, id: draftId }, now)
  },
  removeZone: async (zoneId) => hideZones(sql, [zoneId]),
  async removeAccount(id) {
    await hideZones(
      sql,
      (await sql(BULK.zonesOfAccount).all(id)).map((zone) => zone.id),
    )
    await hideAccount(sql, id)
  },
  async sweepHidden(limit, now, from) {
    await giveUp(sql, now)
    const zone = await sql(BULK.hiddenZone).get()
    if (zone !== undefined)
      return sweepZone(sql, limit, from?.zoneId === zone.id ? from : beginningOf(zone.id))
    const account = await sql(BULK.hiddenAccount).get()
    if (account === undefined) return undefined
    await sweepAccount(sql, account.id, limit)
    return from ?? beginningOf(NO_ZONE)
  },
})

/** Drafts whose lease is over. */
async function giveUp(sql: Sql, now: Instant): Promise<void> {
  const over = '(SELECT id FROM zone_draft WHERE lease_until < ?)'
  await sql(`DELETE FROM dns_zone WHERE id IN ${over}`).run(now)
  await sql(`DELETE FROM holding WHERE zone_id IN ${over}`).run(now)
  await sql(`UPDATE zone SET name = ${HIDDEN_NAME} WHERE id IN ${over}`).run(now)
  await sql('DELETE FROM zone_draft WHERE lease_until < ?').run(now)
}

interface DraftZone {
  readonly zoneId: number
  /** When readers see it. */
  readonly zoneName: string
}

async function addName(sql: Sql, name: Name, { zoneId, zoneName }: DraftZone): Promise<void> {
  const fqdn = fqdnOf(name.name, zoneName)
  const place = [zoneId, name.accountId, name.name, fqdn, reversed(fqdn)]
  const flags = [name.isProhibited, name.isBlocked, name.isOffline].map((isSet) => (isSet ? 1 : 0))
  const offline = name.offlineSettings === undefined ? null : JSON.stringify(name.offlineSettings)
  const rest = [
    await keyIdOf(sql, name.updateGroup),
    name.isImplicit === true ? 1 : 0,
    name.createdAt,
    name.updatedAt,
  ]
  const { id } = existing(await sql(BULK.addName).get(...place, ...flags, offline, ...rest))
  await addMetadata(sql, 'name', { id, metadata: name.metadata })
  for (const rrset of name.rrsets) await addRRSet(sql, id, rrset)
}

async function addRRSet(sql: Sql, nameId: number, rrset: RRSet): Promise<void> {
  const { dnsType, ttl, isSystem, createdAt, updatedAt } = rrset
  const values = [nameId, dnsType, ttl, isSystem ? 1 : 0, createdAt, updatedAt]
  const { id } = existing(await sql(BULK.addRRSet).get(...values))
  await addMetadata(sql, 'rrset', { id, metadata: rrset.metadata })
  for (const { label, value, updateGroup, isSystem: isOwn } of rrset.rdata) {
    const keyId = await keyIdOf(sql, updateGroup)
    await sql(ADD_RDATA).run(id, label, value, keyId, isOwn ? 1 : 0, createdAt, updatedAt)
  }
}

const ADD_RDATA = `INSERT INTO rdata (rrset_id, label, value, key_id, is_system, created_at, updated_at)
  VALUES (?, ?, ?, ?, ?, ?, ?)`

async function addMetadata(
  sql: Sql,
  of: 'name' | 'rrset',
  { id, metadata }: { readonly id: number; readonly metadata: Metadata },
): Promise<void> {
  for (const [key, value] of Object.entries(metadata))
    await sql(`INSERT INTO ${of}_metadata (${of}_id, key, value) VALUES (?, ?, ?)`).run(id, key, value)
}

const keyIdOf = async (sql: Sql, username: string | undefined): Promise<number | null> =>
  username === undefined ? null : ((await sql(RECORD_CHANGES.keyId).get(username))?.id ?? null)

interface DraftRow {
  readonly id: number
  readonly of_zone: number
  readonly name: string
  /** Of the zone. */
  readonly serial: number
}

/** Name servers transfer the whole zone then: the draft has no journal. */
async function replace(
  sql: Sql,
  { id, of_zone: zoneId, name, serial }: DraftRow,
  now: Instant,
): Promise<void> {
  await sql('DELETE FROM dns_zone WHERE id = ?').run(zoneId)
  await sql('DELETE FROM holding WHERE zone_id = ?').run(zoneId)
  await sql(`UPDATE zone SET name = ${HIDDEN_NAME} WHERE id = ?`).run(zoneId)
  await sql(`UPDATE zone SET (${SETTINGS}) = (SELECT ${SETTINGS} FROM zone AS old WHERE old.id = ?1),
    name = ?2, updated_at = ?3 WHERE id = ?4`).run(zoneId, name, now, id)
  for (const table of ['zone_member', 'zone_metadata'])
    await sql(`UPDATE ${table} SET zone_id = ? WHERE zone_id = ?`).run(id, zoneId)
  // As in RFC 1982, newer than that of the zone.
  await sql(`UPDATE dns_zone SET apex = ?1, serial = CASE WHEN ((serial - ?2) & 4294967295) BETWEEN 1 AND 2147483647
    THEN serial ELSE (?2 + 1) & 4294967295 END WHERE id = ?3`).run(name, serial, id)
  if (existing(await sql(BULK.unpublished).get(id)).n > 0)
    await sql(`INSERT INTO fact VALUES ('${UNRENDERED_FACT}', '') ON CONFLICT DO NOTHING`).run()
  await sql(`INSERT INTO dns_dirty VALUES (?, '') ON CONFLICT DO NOTHING`).run(id)
  // The names beneath zones that have come since these were rendered.
  await sql(`INSERT INTO dns_dirty SELECT 0, apex FROM dns_zone WHERE length(apex) > length(CAST(?1 AS TEXT))
    AND substr(apex, length(apex) - length(CAST(?1 AS TEXT))) = '.' || CAST(?1 AS TEXT) ON CONFLICT DO NOTHING`).run(
    name,
  )
  await sql('DELETE FROM zone_draft WHERE id = ?').run(id)
}

async function hideZones(sql: Sql, zones: readonly number[]): Promise<void> {
  const wanted = asList(zones)
  await sql(`INSERT INTO dns_gone SELECT apex, serial FROM dns_zone WHERE id IN ${ids()}
    ON CONFLICT (apex) DO UPDATE SET serial = excluded.serial`).run(wanted)
  await sql(`DELETE FROM dns_zone WHERE id IN ${ids()}`).run(wanted)
  await sql(`INSERT INTO dns_dirty SELECT 0, name FROM zone WHERE id IN ${ids()} ON CONFLICT DO NOTHING`).run(
    wanted,
  )
  await sql(`DELETE FROM holding WHERE zone_id IN ${ids()}`).run(wanted)
  await sql(`UPDATE zone SET name = ${HIDDEN_NAME} WHERE id IN ${ids()}`).run(wanted)
  await sql(`UPDATE zone_draft SET lease_until = 0 WHERE of_zone IN ${ids()}`).run(wanted)
}

async function hideAccount(sql: Sql, id: number): Promise<void> {
  const subjects = `(SELECT 'key:' || id FROM ddns_key WHERE account_id = ?1 UNION SELECT 'account:' || ?1)`
  for (const table of ['usage', 'nochg'])
    await sql(`DELETE FROM ${table} WHERE subject IN ${subjects}`).run(id)
  for (const table of OF_ACCOUNT) await sql(`DELETE FROM ${table} WHERE account_id = ?`).run(id)
  await sql('DELETE FROM zone_member WHERE account_id = ?').run(id)
  // Names refer to keys, so the keys stay until the names are gone. No password has an empty hash.
  const none = new Uint8Array()
  await sql(`UPDATE ddns_key SET username = ${HIDDEN_NAME}, password_hash = ? WHERE account_id = ?`).run(
    none,
    id,
  )
  await sql(`UPDATE account SET name = ${HIDDEN_NAME}, password_hash = ?, is_suspended = 1 WHERE id = ?`).run(
    none,
    id,
  )
  await removeNamesOf(sql, id, MAX_AT_ONCE)
}

/** Of an account, in zones that readers see; by the blocks of `holding`, which has no others. */
const removeNamesOf = async (sql: Sql, accountId: number, limit: number): Promise<number> =>
  Number(
    (
      await sql(`DELETE FROM name WHERE id IN (SELECT name.id FROM holding
        JOIN name ON name.id >= block * 1024 AND name.id < (block + 1) * 1024
          AND name.account_id = holding.account_id AND name.zone_id = holding.zone_id
        WHERE holding.account_id = ? LIMIT ?)`).run(accountId, limit)
    ).changes,
  )

/** What is published goes first, then the names, and the zone itself at the end. */
const SWEEPS = [
  { end: BULK.lastRow, remove: removeRows('dns_rr', 'owner') },
  { end: BULK.lastDirty, remove: removeRows('dns_dirty', 'name') },
  { end: BULK.lastName, remove: removeRows('name', 'name') },
] as const
/** Of what is no zone. */
const NO_ZONE = 0
const beginningOf = (zoneId: number): SweptPlace => ({ zoneId, table: 0, last: '' })

/** Resolves with where to go on; once more from the beginning before the zone itself goes. */
async function sweepZone(sql: Sql, limit: number, { zoneId, table, last }: SweptPlace): Promise<SweptPlace> {
  const steps = `DELETE FROM dns_journal WHERE zone_id = ?1 AND n <
    (SELECT min(n) FROM dns_journal WHERE zone_id = ?1) + ${MAX_STEPS}`
  if ((await sql(steps).run(zoneId)).changes > 0) return { zoneId, table, last }
  for (const [at, { end, remove }] of SWEEPS.entries()) {
    if (at < table) continue
    const from = at === table ? last : ''
    const found = existing(await sql(end).get(zoneId, from, limit)).last
    if (found === null) continue
    await sql(remove).run(zoneId, from, found)
    return { zoneId, table: at, last: found }
  }
  if (table > 0 || last !== '') return beginningOf(zoneId)
  await sql('DELETE FROM zone WHERE id = ?').run(zoneId)
  await sql(`DELETE FROM dns_gone WHERE apex = '#' || CAST(? AS TEXT)`).run(zoneId)
  return beginningOf(NO_ZONE)
}

async function sweepAccount(sql: Sql, id: number, limit: number): Promise<void> {
  if ((await removeNamesOf(sql, id, limit)) > 0) return
  await sql('DELETE FROM account WHERE id = ?').run(id)
}
