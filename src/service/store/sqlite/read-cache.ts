import type { Instant } from '../../../shared/base/time.ts'
import type { Login, StoredName } from '../../model/rows.ts'
import type { Account, ZoneRules } from '../../model/tree.ts'
import type { CounterWrites } from '../counter-rows.ts'
import type { PublishWrites } from '../published.ts'
import type { StoreWrites, ValueChange } from '../store.ts'

/** Entries of each map: a name takes about a third of a KiB. */
const MAX_CACHED = 100_000

type Tables = Omit<StoreWrites, keyof CounterWrites | 'passBlock' | 'databaseIdentity'>

/** What a flush asks and writes changes nothing that is cached here, and it happens up to 50 times a second. */
const OF_FLUSHES: readonly (keyof PublishWrites)[] = [
  ...(['storedStates', 'publishedOf', 'dirtyNames', 'aliased', 'aliasesOf', 'deferAliases'] as const),
  ...(['zonesBeneath', 'namesFrom', 'deferNamesFrom'] as const),
  ...(['replacePublished', 'addStep', 'pruneJournal', 'setPublished', 'setStuck', 'retryStuck'] as const),
  ...(['flushedZone', 'growDraft'] as const),
]

export interface ReadCache extends Tables {
  /** Another process wrote, or a transaction was rolled back. */
  invalidateAll(): void
}

/** Values by their key, up to a number. Absent ones are not kept: their number has no bound. */
class Lookup<K, V> {
  readonly #kept = new Map<K, V>()

  get(key: K): V | undefined {
    return this.#kept.get(key)
  }

  keep(key: K, value: V): V {
    if (this.#kept.size < MAX_CACHED) this.#kept.set(key, value)
    return value
  }

  drop(key: K): void {
    this.#kept.delete(key)
  }

  clear(): void {
    this.#kept.clear()
  }
}

/** What every update looks up: logins and names by their spelling, accounts and the rules of zones by id. */
class LookupCache {
  readonly logins = new Lookup<string, Login>()
  readonly names = new Lookup<string, readonly StoredName[]>()
  readonly accounts = new Lookup<number, Account>()
  readonly zones = new Lookup<number, ZoneRules>()
  /** When each zone was last touched: under load many updates happen in one millisecond. */
  readonly #touched = new Map<number, Instant>()

  changeValue(fqdn: string, change: ValueChange): void {
    const cached = this.names.get(fqdn)
    if (cached === undefined) return
    const changed = cached.map((name) => withValue(name, change))
    this.names.drop(fqdn)
    this.names.keep(fqdn, changed)
  }

  /** Whether this is another moment than that of the last call for the zone. */
  isNewTouch(zoneId: number, now: Instant): boolean {
    if (this.#touched.get(zoneId) === now) return false
    this.#touched.set(zoneId, now)
    return true
  }

  invalidateAll(): void {
    for (const cache of [this.logins, this.names, this.accounts, this.zones, this.#touched]) cache.clear()
  }
}

/**
 * The lookups of every update, cached until a write may change them. A write invalidates everything, except those of an
 * update: they are frequent, and change or invalidate only the name that they write.
 */
export function readCache(tables: Tables, reads: readonly string[]): ReadCache {
  const cache = new LookupCache()
  return {
    ...invalidating(tables, [...reads, ...OF_FLUSHES], cache),
    login: async (username) => cache.logins.get(username) ?? loaded(cache.logins, username, tables.login),
    namesByFqdn: async (fqdn) => cache.names.get(fqdn) ?? loadedNames(cache, fqdn, tables),
    account: async (id) => cache.accounts.get(id) ?? loaded(cache.accounts, id, tables.account),
    zoneRules: async (id) => cache.zones.get(id) ?? loaded(cache.zones, id, tables.zoneRules),
    async setValue(name, change, now) {
      cache.changeValue(name.fqdn, change)
      return tables.setValue(name, change, now)
    },
    async setSingleValue(name, record, now) {
      cache.names.drop(name.fqdn)
      return tables.setSingleValue(name, record, now)
    },
    async setOffline(name, isOffline, now) {
      cache.names.drop(name.fqdn)
      return tables.setOffline(name, isOffline, now)
    },
    async touchZone(zoneId, now) {
      if (cache.isNewTouch(zoneId, now)) await tables.touchZone(zoneId, now)
    },
    touchApiKey: tables.touchApiKey,
    touchSession: tables.touchSession,
    addTrail: tables.addTrail,
    pruneTrail: tables.pruneTrail,
    setFact: tables.setFact,
    factOr: tables.factOr,
    invalidateAll: () => cache.invalidateAll(),
  }
}

async function loaded<K, V>(
  cache: Lookup<K, V>,
  key: K,
  load: (key: K) => Promise<V | undefined>,
): Promise<V | undefined> {
  const value = await load(key)
  return value === undefined ? undefined : cache.keep(key, value)
}

/** Kept by the spelling of the store, which a change of the name has too. */
async function loadedNames(
  { names }: LookupCache,
  fqdn: string,
  tables: Tables,
): Promise<readonly StoredName[]> {
  const found = await tables.namesByFqdn(fqdn)
  const [first] = found
  return first === undefined ? found : names.keep(first.fqdn, found)
}

const withValue = (name: StoredName, { rdataId, value }: ValueChange): StoredName => ({
  ...name,
  rdata: name.rdata.map((one) => (one.id === rdataId ? { ...one, value } : one)),
})

/** The same tables, where every method that is not a read invalidates the cache: methods added later do so too. */
function invalidating(tables: Tables, reads: readonly string[], cache: LookupCache): Tables {
  const entries = Object.entries(tables).map(([name, method]): [string, unknown] => [
    name,
    reads.includes(name)
      ? method
      : (...args: readonly unknown[]): unknown => {
          cache.invalidateAll()
          return (method as (...all: readonly unknown[]) => unknown)(...args)
        },
  ])
  return Object.fromEntries(entries) as unknown as Tables
}
