import { instant } from '../../../base/time.ts'
import { fqdnOf, reversed } from '../../model/dns-name.ts'
import type { RecordReads } from '../records.ts'
import { namesBy } from './listing.ts'
import { sqlPointers } from './pointers.ts'
import { clause, joined } from './clause.ts'
import { keysInScope, zonesInScope } from './scope.ts'
import { accountFrom, apiKeyFrom, keyFrom, NAME_ROWS, namesFrom, zoneFrom, zoneRulesFrom } from './rows.ts'
import { number, textValue } from '../values.ts'
import { BENEATH, type Sql } from './statement.ts'

/** The reads of the management API in SQL. */
export const sqlRecords = (sql: Sql): RecordReads => ({
  ...zones(sql),
  ...names(sql),
  ...around(sql),
  ...sqlPointers(sql),
  ...keys(sql),
  namesBy: async (query) => namesBy(sql, query),
})

type Part<K extends keyof RecordReads> = Pick<RecordReads, K>

export const ACCOUNT_BY_ID = `SELECT account.name AS account_name, is_website_only, is_suspended, plan.*
  FROM account JOIN plan ON plan.id = plan_id WHERE account.id = ?`
export const ZONE_BY_ID = 'SELECT * FROM zone WHERE id = ?'

const zones = (
  sql: Sql,
): Part<'account' | 'zoneNamed' | 'zoneRules' | 'isMember' | 'zonesOf' | 'zoneContaining'> => ({
  async account(id) {
    const row = await sql(ACCOUNT_BY_ID).get(id)
    return row === undefined ? undefined : accountFrom(id, row)
  },
  async zoneNamed(name) {
    const row = await sql('SELECT * FROM zone WHERE name = ?').get(name)
    return row === undefined ? undefined : zoneFrom(sql, row)
  },
  async zoneRules(id) {
    const row = await sql(ZONE_BY_ID).get(id)
    return row === undefined ? undefined : zoneRulesFrom(row)
  },
  async isMember(zoneId, accountId) {
    return (
      (await sql('SELECT 1 AS found FROM zone_member WHERE zone_id = ? AND account_id = ?').get(
        zoneId,
        accountId,
      )) !== undefined
    )
  },
  async zonesOf(accountId, { page, scope = {}, isShared }) {
    const own = clause('account_id = ?', accountId)
    const kind = isShared === undefined ? own : clause('is_shared = ?', isShared ? 1 : 0)
    const parts = [kind, ...(isShared === false ? [own] : []), zonesInScope(scope)]
    const { sql: where, values } = joined('AND', parts, 'TRUE')
    const rows = await sql(`SELECT * FROM zone WHERE ${where} ORDER BY name LIMIT ? OFFSET ?`).all(
      ...values,
      page.limit,
      page.offset,
    )
    const total = (await sql(`SELECT count(*) AS n FROM zone WHERE ${where}`).get(...values))?.['n']
    return { items: await Promise.all(rows.map(async (row) => zoneFrom(sql, row))), total: number(total) }
  },
  async zoneContaining(fqdn) {
    const labels = fqdn.split('.')
    for (let at = 0; at < labels.length; at++) {
      const row = await sql('SELECT * FROM zone WHERE name = ?').get(labels.slice(at).join('.'))
      if (row !== undefined) return zoneFrom(sql, row)
    }
    return undefined
  },
})

const names = (
  sql: Sql,
): Part<'countNamesOfOthers' | 'hasLockedNames' | 'nameAt' | 'namesAfter' | 'holdingsOf'> => ({
  async countNamesOfOthers(zoneId, accountId) {
    const row = await sql('SELECT sum(names) AS n FROM holding WHERE zone_id = ? AND account_id <> ?').get(
      zoneId,
      accountId,
    )
    return number(row?.['n'] ?? 0)
  },
  async hasLockedNames(zoneId) {
    return (
      (await sql('SELECT 1 AS found FROM name WHERE zone_id = ? AND is_prohibited = 1 LIMIT 1').get(
        zoneId,
      )) !== undefined
    )
  },
  async nameAt(zoneId, name) {
    const row = await sql(`${NAME_ROWS} WHERE name.zone_id = ? AND name.name = ?`).get(zoneId, name)
    return row === undefined ? undefined : (await namesFrom(sql, [row]))[0]
  },
  async namesAfter(of, after, limit) {
    const [column, id] = 'zoneId' in of ? ['zone_id', of.zoneId] : ['account_id', of.accountId]
    const rows = sql(`${NAME_ROWS} WHERE name.${column} = ? AND name.id > ? ORDER BY name.id LIMIT ?`)
    return namesFrom(sql, await rows.all(id, after, limit))
  },
  async holdingsOf(accountId) {
    const row = await sql(
      'SELECT sum(names) AS names, sum(rdata) AS rdata FROM holding WHERE account_id = ?',
    ).get(accountId)
    return { names: number(row?.['names'] ?? 0), rdata: number(row?.['rdata'] ?? 0) }
  },
})

const around = (sql: Sql): Part<'neighboursOf' | 'hasOthersBeneath'> => ({
  async neighboursOf(zone, { name, accountId }) {
    const labels = name.split('.')
    const above = labels.slice(1).map((_, at) => labels.slice(at + 1).join('.'))
    const rows = [
      ...(await sql(
        'SELECT name, account_id FROM name WHERE zone_id = ? AND name IN (SELECT value FROM json_each(?))',
      ).all(zone.id, JSON.stringify(above))),
      ...(await sql(
        `SELECT name, account_id FROM name WHERE ${BENEATH} AND zone_id = ?2 AND account_id <> ?3 LIMIT 1`,
      ).all(reversed(fqdnOf(name, zone.name)), zone.id, accountId)),
    ]
    return rows.map((row) => ({ name: textValue(row['name']), accountId: number(row['account_id']) }))
  },
  async hasOthersBeneath(fqdn, accountId) {
    const zones = sql(`SELECT 1 AS found FROM zone WHERE length(name) > length(CAST(?1 AS TEXT))
      AND substr(name, length(name) - length(CAST(?1 AS TEXT))) = '.' || CAST(?1 AS TEXT) AND account_id <> ?2 LIMIT 1`)
    const beneath = sql(
      `SELECT 1 AS found FROM name WHERE (labels_reversed = ?1 OR ${BENEATH}) AND account_id <> ?2 LIMIT 1`,
    )
    return (
      (await zones.get(fqdn, accountId)) !== undefined ||
      (await beneath.get(reversed(fqdn), accountId)) !== undefined
    )
  },
})

const keys = (sql: Sql): Part<'keyNamed' | 'keysOf' | 'apiKeysOf' | 'clientsOf'> => ({
  async keyNamed(username) {
    const row = await sql(`${KEYS} WHERE username = ?`).get(username)
    return row === undefined ? undefined : keyFrom(sql, row)
  },
  async keysOf(accountId, { description, createdAt = 'asc', page }) {
    const where =
      'WHERE account_id = ?1 AND (CAST(?2 AS TEXT) IS NULL OR instr(lower(description), lower(CAST(?2 AS TEXT) COLLATE BINARY)) > 0)'
    const order = createdAt === 'asc' ? 'ORDER BY created_at, id' : 'ORDER BY created_at DESC, id DESC'
    const fragment = description ?? null
    const rows = sql(`${KEYS} ${where} ${order} LIMIT ?3 OFFSET ?4`)
    const total = (await sql(`SELECT count(*) AS n FROM ddns_key ${where}`).get(accountId, fragment))?.['n']
    const found = await rows.all(accountId, fragment, page.limit, page.offset)
    return {
      items: await Promise.all(found.map(async (row) => keyFrom(sql, row))),
      total: number(total),
    }
  },
  async apiKeysOf(accountId, { offset, limit }) {
    const rows = sql('SELECT * FROM api_key WHERE account_id = ? ORDER BY id LIMIT ? OFFSET ?')
    const total = (await sql('SELECT count(*) AS n FROM api_key WHERE account_id = ?').get(accountId))?.['n']
    return {
      items: (await rows.all(accountId, limit, offset)).map((row) => ({
        ...apiKeyFrom(row),
        description: textValue(row['description']),
        createdAt: instant(number(row['created_at'])),
      })),
      total: number(total),
    }
  },
  async clientsOf(accountId, { offset, limit }, scope = {}) {
    const inScope = keysInScope(scope)
    const from = `FROM usage JOIN ddns_key ON subject = 'key:' || ddns_key.id WHERE account_id = ? AND ${inScope.sql}`
    const rows = await sql(
      `SELECT username, agent, peer, reply, used_at ${from} ORDER BY used_at DESC, username LIMIT ? OFFSET ?`,
    ).all(accountId, ...inScope.values, limit, offset)
    return {
      items: rows.map((row) => ({
        username: textValue(row['username']),
        agent: textValue(row['agent']),
        address: textValue(row['peer']),
        reply: textValue(row['reply']),
        usedAt: instant(number(row['used_at'])),
      })),
      total: number((await sql(`SELECT count(*) AS n ${from}`).get(accountId, ...inScope.values))?.['n']),
    }
  },
})

const KEYS = `SELECT ddns_key.*, (SELECT used_at FROM usage WHERE subject = 'key:' || ddns_key.id) AS used_at FROM ddns_key`
