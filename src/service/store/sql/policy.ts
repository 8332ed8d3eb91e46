import type { PolicyWrites } from '../records.ts'
import { isShown } from '../hidden.ts'
import { existing, select, selects } from '../select.ts'
import type { Bound } from '../values.ts'
import { noteChange } from './records.ts'
import type { Sql } from './statement.ts'
import { ZONES } from './zones.ts'

/** The columns that an operator may change, by property. */
const COLUMNS = {
  plan: {
    maxNames: 'max_names',
    maxRdata: 'max_rdata',
    maxKeys: 'max_keys',
    maxNameMetadata: 'max_name_metadata',
    maxRRSetMetadata: 'max_rrset_metadata',
    minTtl: 'min_ttl',
    fixedTtl: 'fixed_ttl',
    types: 'types',
    hasOffline: 'has_offline',
    hasWildcards: 'has_wildcards',
    needsFactor: 'needs_factor',
  },
  zone: {
    isShared: 'is_shared',
    isProhibited: 'is_prohibited',
    isWebsiteOnly: 'is_website_only',
    isClosedToNewNames: 'is_closed_to_new_names',
    isMembersOnly: 'is_members_only',
    hasNoNewRdata: 'has_no_new_rdata',
    hasWildcards: 'wildcards',
    hasOpenNesting: 'has_open_nesting',
    types: 'types',
    ownerOnlyTypes: 'owner_only_types',
    maxLabels: 'max_labels',
    minTtl: 'min_ttl',
    fixedTtl: 'fixed_ttl',
    defaultTtl: 'default_ttl',
    description: 'description',
    awaitsProof: 'awaits_proof',
  },
  account: {
    isWebsiteOnly: 'is_website_only',
    isSuspended: 'is_suspended',
    planId: 'plan_id',
    isOperator: 'is_operator',
    email: 'email',
  },
  name: { isProhibited: 'is_prohibited', isBlocked: 'is_blocked' },
  ddns_key: { isLocked: 'is_locked', isBlocked: 'is_blocked' },
} as const

/** Packed, as those of a counter that has counted nothing. */
const NO_BUCKETS = new Uint8Array()

const ID = { id: 'INTEGER' } as const

export const POLICY = selects({
  planNamed: select(ID, 'SELECT id FROM plan WHERE name = ?'),
  planOf: select({ plan_id: 'INTEGER' }, 'SELECT plan_id FROM account WHERE id = ?'),
  email: select({ email: 'TEXT' }, 'SELECT email FROM account WHERE id = ?'),
  accountNamed: select(ID, `SELECT id FROM account WHERE name = ? AND ${isShown('name')}`),
  passwordUpdaters: select(
    { n: 'INTEGER' },
    `SELECT count(*) AS n FROM account JOIN usage ON usage.subject = 'account:' || account.id
    WHERE plan_id = ? AND used_at >= ?`,
  ),
  countNames: select({ n: 'INTEGER' }, 'SELECT coalesce(sum(names), 0) AS n FROM holding WHERE zone_id = ?'),
})

const sqlValueOf = (value: unknown): Bound => {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (Array.isArray(value)) return value.join(' ')
  return value === undefined || value === null ? null : (value as Bound)
}

/** What only the operator changes, in SQL. */
export function sqlPolicy(sql: Sql): Omit<PolicyWrites, 'removeAccount'> {
  const change = async (
    table: keyof typeof COLUMNS,
    id: number,
    values: Readonly<Record<string, unknown>>,
  ): Promise<void> => {
    const columns: Readonly<Record<string, string>> = COLUMNS[table]
    for (const [key, value] of Object.entries(values)) {
      const column = columns[key]
      if (column === undefined) throw new Error(`${table} has no ${key}`)
      await sql(`UPDATE ${table} SET ${column} = ? WHERE id = ?`).run(sqlValueOf(value), id)
    }
  }
  return {
    changePlan: async (id, values) => change('plan', id, values),
    changeZone: async (id, values) => change('zone', id, values),
    async changeAccount(id, values) {
      const isOther = values.email !== undefined && (await sql(POLICY.email).get(id))?.email !== values.email
      await change('account', id, values)
      if (isOther) await unconfirm(sql, id)
    },
    async lockName(id, isProhibited) {
      await change('name', id, { isProhibited })
      await noteChange(sql, [id])
    },
    lockKey: async (id, isLocked) => change('ddns_key', id, { isLocked }),
    async blockName(id, isBlocked) {
      await change('name', id, { isBlocked })
      await noteChange(sql, [id])
    },
    blockKey: async (id, isBlocked) => change('ddns_key', id, { isBlocked }),
    ...accountPolicy(sql),
    ...zonePolicy(sql),
    async setMember(zoneId, accountId, isMember) {
      if (isMember)
        await sql('INSERT INTO zone_member (zone_id, account_id) VALUES (?, ?) ON CONFLICT DO NOTHING').run(
          zoneId,
          accountId,
        )
      else await sql('DELETE FROM zone_member WHERE zone_id = ? AND account_id = ?').run(zoneId, accountId)
    },
    async unblock({ kind, id }) {
      await sql(`UPDATE usage SET request_buckets = ?, refusal_buckets = ?, nondescriptive = 0, blocked_until = NULL
        WHERE subject = ?`).run(NO_BUCKETS, NO_BUCKETS, `${kind}:${id}`)
      await sql('DELETE FROM nochg WHERE subject = ?').run(`${kind}:${id}`)
    },
    async planNamed(name) {
      return (await sql(POLICY.planNamed).get(name))?.id
    },
    async countPasswordUpdaters(planId, since) {
      return existing(await sql(POLICY.passwordUpdaters).get(planId, since)).n
    },
    async planOf(accountId) {
      return existing(await sql(POLICY.planOf).get(accountId)).plan_id
    },
  }
}

const accountPolicy = (
  sql: Sql,
): Pick<PolicyWrites, 'accountNamed' | 'setAccountPassword' | 'changePassword' | 'removeApiKey'> => ({
  async accountNamed(name) {
    return (await sql(POLICY.accountNamed).get(name))?.id
  },
  async setAccountPassword(id, hash) {
    await sql('UPDATE account SET password_hash = ? WHERE id = ?').run(hash, id)
    await endSessions(sql, id)
  },
  async changePassword(id, { from, to }) {
    const statement = sql('UPDATE account SET password_hash = ? WHERE id = ? AND password_hash = ?')
    const isChanged = Number((await statement.run(to, id, from)).changes) === 1
    if (isChanged) await endSessions(sql, id)
    return isChanged
  },
  async removeApiKey(id, accountId) {
    const statement = sql(
      'DELETE FROM api_key WHERE id = ?1 AND (CAST(?2 AS BIGINT) IS NULL OR account_id = ?2)',
    )
    return (await statement.run(id, accountId ?? null)).changes === 1
  },
})

/** With another password, or another address, earlier links for a new password no longer work. */
async function endSessions(sql: Sql, accountId: number): Promise<void> {
  await sql('DELETE FROM session WHERE account_id = ?').run(accountId)
  await endResets(sql, accountId)
}

/** Invalidates links that were sent to the previous address. */
async function unconfirm(sql: Sql, accountId: number): Promise<void> {
  await sql('UPDATE account SET is_email_confirmed = 0 WHERE id = ?').run(accountId)
  await sql(`DELETE FROM one_time_code WHERE account_id = ? AND purpose IN ('reset', 'confirm')`).run(
    accountId,
  )
}

const endResets = async (sql: Sql, accountId: number): Promise<unknown> =>
  sql(`DELETE FROM one_time_code WHERE account_id = ? AND purpose = 'reset'`).run(accountId)

const zonePolicy = (
  sql: Sql,
): Pick<PolicyWrites, 'transferZone' | 'countNames' | 'setProved' | 'endProofs'> => ({
  async setProved({ id, name, createdAt }) {
    await sql('UPDATE zone SET awaits_proof = 0 WHERE id = ? AND name = ? AND created_at = ?').run(
      id,
      name,
      createdAt,
    )
  },
  async endProofs() {
    await sql('UPDATE zone SET awaits_proof = 0 WHERE awaits_proof = 1').run()
  },
  async transferZone(zoneId, accountId, now) {
    const { account_id: owner } = existing(await sql(ZONES.owner).get(zoneId))
    if (owner === accountId) return
    const own = '(SELECT id FROM name WHERE zone_id = ?1 AND account_id = ?2)'
    await sql(`UPDATE rdata SET key_id = NULL
      WHERE key_id IS NOT NULL AND rrset_id IN (SELECT id FROM rrset WHERE name_id IN ${own})`).run(
      zoneId,
      owner,
    )
    // What accounts hold is counted when rows come and go, so the rows are moved as a whole.
    await sql(`INSERT INTO holding SELECT ?3, block, zone_id, names, rdata FROM holding WHERE zone_id = ?1
      AND account_id = ?2
      ON CONFLICT (account_id, block, zone_id)
      DO UPDATE SET names = holding.names + excluded.names, rdata = holding.rdata + excluded.rdata`).run(
      zoneId,
      owner,
      accountId,
    )
    await sql('DELETE FROM holding WHERE zone_id = ? AND account_id = ?').run(zoneId, owner)
    await sql('UPDATE name SET account_id = ?3, key_id = NULL WHERE zone_id = ?1 AND account_id = ?2').run(
      zoneId,
      owner,
      accountId,
    )
    await sql('UPDATE zone SET account_id = ?, updated_at = ? WHERE id = ?').run(accountId, now, zoneId)
  },
  async countNames(zoneId) {
    return existing(await sql(POLICY.countNames).get(zoneId)).n
  },
})
