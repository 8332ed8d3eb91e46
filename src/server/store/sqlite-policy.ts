import type { SQLInputValue } from 'node:sqlite'
import type { PolicyWrites } from './records.ts'
import type { Sql } from './sqlite-values.ts'

/** The columns that an operator may change, by property. */
const COLUMNS = {
  plan: {
    maxNames: 'max_names',
    maxRdata: 'max_rdata',
    maxNameMetadata: 'max_name_metadata',
    maxRRSetMetadata: 'max_rrset_metadata',
    minTtl: 'min_ttl',
    fixedTtl: 'fixed_ttl',
    types: 'types',
    hasOffline: 'has_offline',
    hasWildcards: 'has_wildcards',
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
  },
  account: { isWebsiteOnly: 'is_website_only', planId: 'plan_id' },
  name: { isProhibited: 'is_prohibited' },
  ddns_key: { isLocked: 'is_locked' },
} as const

const sqlValueOf = (value: unknown): SQLInputValue => {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (Array.isArray(value)) return value.join(' ')
  return value === undefined || value === null ? null : (value as SQLInputValue)
}

/** What only the operator changes, in SQL. */
export function sqlitePolicy(sql: Sql): PolicyWrites {
  const change = async (
    table: keyof typeof COLUMNS,
    id: number,
    values: Readonly<Record<string, unknown>>,
  ): Promise<void> => {
    const columns: Readonly<Record<string, string>> = COLUMNS[table]
    for (const [key, value] of Object.entries(values)) {
      const column = columns[key]
      if (column === undefined) throw new Error(`${table} has no ${key}`)
      sql(`UPDATE ${table} SET ${column} = ? WHERE id = ?`).run(sqlValueOf(value), id)
    }
  }
  return {
    changePlan: async (id, values) => change('plan', id, values),
    changeZone: async (id, values) => change('zone', id, values),
    changeAccount: async (id, values) => change('account', id, values),
    lockName: async (id, isProhibited) => change('name', id, { isProhibited }),
    lockKey: async (id, isLocked) => change('ddns_key', id, { isLocked }),
    async setMember(zoneId, accountId, isMember) {
      if (isMember)
        sql('INSERT OR IGNORE INTO zone_member (zone_id, account_id) VALUES (?, ?)').run(zoneId, accountId)
      else sql('DELETE FROM zone_member WHERE zone_id = ? AND account_id = ?').run(zoneId, accountId)
    },
    async unblock({ kind, id }) {
      sql('DELETE FROM usage WHERE subject = ?').run(`${kind}:${id}`)
      sql('DELETE FROM nochg WHERE subject = ?').run(`${kind}:${id}`)
    },
    async planNamed(name) {
      const id = sql('SELECT id FROM plan WHERE name = ?').get(name)?.['id']
      return typeof id === 'number' ? id : undefined
    },
    async planOf(accountId) {
      return Number(sql('SELECT plan_id FROM account WHERE id = ?').get(accountId)?.['plan_id'])
    },
  }
}
