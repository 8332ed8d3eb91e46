import type { CounterWrites } from '../counter-rows.ts'
import type { Sql } from '../sql/statement.ts'
import type { StoreWrites } from '../store.ts'

/** Any number, the same in every process. */
const SWEEP_LOCK = 4_613_028

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
  const ofAccount =
    <A extends readonly unknown[], T>(read: (id: number, ...more: A) => Promise<T>) =>
    async (id: number, ...more: A): Promise<T> => {
      await sql('SELECT id FROM account WHERE id = ? FOR NO KEY UPDATE').run(id)
      return read(id, ...more)
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
    async flushedZone(id) {
      await sql('SELECT id FROM dns_zone WHERE id = ? FOR NO KEY UPDATE').run(id)
      return tables.flushedZone(id)
    },
    async replaceByDraft(draftId, unchanged, now) {
      await lockZones('id IN (SELECT of_zone FROM zone_draft WHERE id = ?)', draftId)
      return tables.replaceByDraft(draftId, unchanged, now)
    },
    sweepHidden: async (...step) => inItsTurn(sql, async () => tables.sweepHidden(...step)),
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
    holdingsOf: ofAccount(tables.holdingsOf),
    apexHoldingsOf: ofAccount(tables.apexHoldingsOf),
    keysOf: ofAccount(tables.keysOf),
    apiKeysOf: ofAccount(tables.apiKeysOf),
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

/** One process at a time: the lock ends with its transaction. */
async function inItsTurn<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
  await sql(`SELECT pg_advisory_xact_lock(${SWEEP_LOCK})`).run()
  return work()
}
