import type { CounterWrites } from '../counter-rows.ts'
import type { Sql } from '../sql/statement.ts'
import type { StoreWrites } from '../store.ts'

type Tables = Omit<StoreWrites, keyof CounterWrites>

/**
 * A rule reads several rows and then writes one, so two concurrent processes could break it together. Every change to a
 * zone, or to what an account holds, therefore locks its row first and reads in a later statement, because each
 * statement sees what was committed before it (PostgreSQL, "Read Committed Isolation Level"). Locks are taken in the
 * order of zones, accounts, names.
 */
export function withLocks(tables: Tables, sql: Sql): Tables {
  const lockZones = async (condition: string, value: string | number): Promise<void> => {
    await sql(`SELECT id FROM zone WHERE ${condition} ORDER BY id FOR NO KEY UPDATE`).run(value)
  }
  const lockAccount = async (id: number): Promise<void> => {
    await sql('SELECT id FROM account WHERE id = ? FOR NO KEY UPDATE').run(id)
  }
  const lockCatalog = async (): Promise<void> => {
    await sql('SELECT id FROM dns_zone WHERE id = 0 FOR NO KEY UPDATE').run()
  }
  return {
    ...tables,
    async dirtyNames(limit) {
      // One process flushes at a time. The lock ends with the connection of its process.
      await lockCatalog()
      return tables.dirtyNames(limit)
    },
    async publishedZones(after, limit) {
      await sql('SELECT id FROM dns_zone WHERE id > ? ORDER BY id LIMIT ? FOR NO KEY UPDATE').run(
        after,
        limit,
      )
      return tables.publishedZones(after, limit)
    },
    async zoneNamed(name) {
      await lockZones('name = ?', name)
      return tables.zoneNamed(name)
    },
    async namesByFqdn(fqdn) {
      await lockZones('id IN (SELECT zone_id FROM name WHERE fqdn = ?)', fqdn)
      return tables.namesByFqdn(fqdn)
    },
    async namesOfKey(keyId) {
      await lockZones('id IN (SELECT zone_id FROM name WHERE key_id = ?)', keyId)
      return tables.namesOfKey(keyId)
    },
    async holdingsOf(accountId) {
      await lockAccount(accountId)
      return tables.holdingsOf(accountId)
    },
    async keysOf(accountId, query) {
      await lockAccount(accountId)
      return tables.keysOf(accountId, query)
    },
    async apiKeysOf(accountId, page) {
      await lockAccount(accountId)
      return tables.apiKeysOf(accountId, page)
    },
    async hasOthersBeneath(fqdn, accountId) {
      // Zones of which one contains the other are created one after the other.
      await lockCatalog()
      return tables.hasOthersBeneath(fqdn, accountId)
    },
    async publishedZone(apex) {
      await sql('SELECT id FROM dns_zone WHERE apex = ? FOR NO KEY UPDATE').run(apex)
      return tables.publishedZone(apex)
    },
  }
}
