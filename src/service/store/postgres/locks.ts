import type { CounterWrites } from '../counter-rows.ts'
import type { StoredName } from '../../model/rows.ts'
import type { Sql } from '../sql/statement.ts'
import type { StoreWrites } from '../store.ts'

/** Any number, the same in every process. */
const SWEEP_LOCK = 4_613_028

type Tables = Omit<StoreWrites, keyof CounterWrites | 'passBlock' | 'databaseIdentity'>

const zoneCount = (names: readonly StoredName[]): number => new Set(names.map(({ zoneId }) => zoneId)).size

/** Locks zones, and resolves with their number. */
const zoneLock =
  (sql: Sql) =>
  async (where: string, value: string | number): Promise<number> => {
    const locked = await sql(`SELECT id FROM zone WHERE ${where} ORDER BY id FOR NO KEY UPDATE`).run(value)
    return Number(locked.changes)
  }

/** An import may have replaced a zone while its lock was awaited: the new one has another id. */
async function ofLocked<T>(
  lock: () => Promise<number>,
  read: () => Promise<T>,
  zonesIn: (found: T) => number,
): Promise<T> {
  for (;;) {
    const locked = await lock()
    const found = await read()
    if (zonesIn(found) <= locked) return found
  }
}

/** Another zone may contain a name when the lock of the first one comes. */
async function lockedAsFound<T extends { readonly id: number }>(
  lockZones: ReturnType<typeof zoneLock>,
  find: () => Promise<T | undefined>,
): Promise<T | undefined> {
  for (;;) {
    const found = await find()
    if (found === undefined) return undefined
    await lockZones('id = ?', found.id)
    const again = await find()
    if (again?.id === found.id) return again
  }
}

/** Locks the zones of the hostnames before the counters, as every other transaction does. */
export const LOCK_ZONES = `SELECT id FROM zone WHERE id IN (SELECT zone_id FROM name WHERE fqdn = ANY($1::text[]))
  ORDER BY id FOR NO KEY UPDATE`

/**
 * A rule reads several rows and then writes one, so two concurrent processes could break it together. Every change to a
 * zone, or to what an account holds, therefore locks its row first and reads in a later statement, because each
 * statement sees what was committed before it (PostgreSQL, "Read Committed Isolation Level"). Locks are taken in the
 * order of zones, accounts, names.
 */
export function withLocks(tables: Tables, sql: Sql): Tables {
  const lockZones = zoneLock(sql)
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
    async lockOfDraft(draftId) {
      await lockZones('id IN (SELECT of_zone FROM zone_draft WHERE id = ?)', draftId)
      return tables.lockOfDraft(draftId)
    },
    sweepHidden: async (...step) => inItsTurn(sql, async () => tables.sweepHidden(...step)),
    async zoneNamed(name) {
      return ofLocked(
        async () => lockZones('name = ?', name),
        async () => tables.zoneNamed(name),
        (zone) => (zone === undefined ? 0 : 1),
      )
    },
    zoneContaining: async (fqdn) => lockedAsFound(lockZones, async () => tables.zoneContaining(fqdn)),
    async namesByFqdn(fqdn) {
      return ofLocked(
        async () => lockZones('id IN (SELECT zone_id FROM name WHERE fqdn = ?)', fqdn),
        async () => tables.namesByFqdn(fqdn),
        zoneCount,
      )
    },
    async namesOfKey(keyId) {
      await lockZones('id IN (SELECT zone_id FROM name WHERE key_id = ?)', keyId)
      return tables.namesOfKey(keyId)
    },
    holdingsOf: ofAccount(tables.holdingsOf),
    apexHoldingsOf: ofAccount(tables.apexHoldingsOf),
    keysOf: ofAccount(tables.keysOf),
    apiKeysOf: ofAccount(tables.apiKeysOf),
    apiKeyOf: ofAccount(tables.apiKeyOf),
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
