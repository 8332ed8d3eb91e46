import type { Instant } from '../../base/time.ts'
import type { Login, StoredName } from '../model/rows.ts'
import type { Account, ZoneRules } from '../model/tree.ts'
import type { CounterWrites } from './counter-rows.ts'
import type { PublishWrites } from './published.ts'
import type { StoreWrites, ValueChange } from './store.ts'

/** Entries of each map: a name takes about a third of a KiB. */
const MAX_CACHED = 100_000

type Tables = Omit<StoreWrites, keyof CounterWrites>

/** What a flush asks and writes changes nothing that is cached here, and it happens up to 50 times a second. */
const OF_FLUSHES: readonly (keyof PublishWrites)[] = [
  ...(['storedStates', 'publishedOf', 'dirtyNames', 'aliased', 'aliasesOf', 'deferAliases'] as const),
  ...(['zonesBeneath', 'namesFrom', 'deferNamesFrom'] as const),
  ...(['replacePublished', 'addStep', 'pruneJournal', 'setPublished', 'setStuck', 'retryStuck'] as const),
]

export interface ReadCache extends Tables {
  /** Another process wrote, or a transaction was rolled back. */
  invalidateAll(): void
}

/** What every update looks up: logins and names by their spelling, accounts and the rules of zones by id. Absent ones are not cached: their number has no bound. */
class LookupCache {
  readonly #logins = new Map<string, Login>()
  readonly #names = new Map<string, readonly StoredName[]>()
  readonly #accounts = new Map<number, Account>()
  readonly #zones = new Map<number, ZoneRules>()
  /** When each zone was last touched: under load many updates happen in one millisecond. */
  readonly #touched = new Map<number, Instant>()

  async login(username: string, load: (username: string) => Promise<Login | undefined>) {
    const cached = this.#logins.get(username)
    if (cached !== undefined) return cached
    const login = await load(username)
    if (login !== undefined && this.#logins.size < MAX_CACHED) this.#logins.set(username, login)
    return login
  }

  async names(fqdn: string, load: (fqdn: string) => Promise<readonly StoredName[]>) {
    const cached = this.#names.get(fqdn)
    if (cached !== undefined) return cached
    const names = await load(fqdn)
    const [first] = names
    if (first !== undefined && this.#names.size < MAX_CACHED) this.#names.set(first.fqdn, names)
    return names
  }

  async account(id: number, load: (id: number) => Promise<Account | undefined>) {
    return this.#byId(this.#accounts, id, load)
  }

  async zone(id: number, load: (id: number) => Promise<ZoneRules | undefined>) {
    return this.#byId(this.#zones, id, load)
  }

  async #byId<T>(cache: Map<number, T>, id: number, load: (id: number) => Promise<T | undefined>) {
    const cached = cache.get(id)
    if (cached !== undefined) return cached
    const loaded = await load(id)
    if (loaded !== undefined && cache.size < MAX_CACHED) cache.set(id, loaded)
    return loaded
  }

  changeValue(fqdn: string, change: ValueChange): void {
    const cached = this.#names.get(fqdn)
    if (cached !== undefined)
      this.#names.set(
        fqdn,
        cached.map((name) => withValue(name, change)),
      )
  }

  invalidateName(fqdn: string): void {
    this.#names.delete(fqdn)
  }

  /** Whether this is another moment than that of the last call for the zone. */
  isNewTouch(zoneId: number, now: Instant): boolean {
    if (this.#touched.get(zoneId) === now) return false
    this.#touched.set(zoneId, now)
    return true
  }

  invalidateAll(): void {
    for (const cache of [this.#logins, this.#names, this.#accounts, this.#zones, this.#touched]) cache.clear()
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
    login: async (username) => cache.login(username, tables.login),
    namesByFqdn: async (fqdn) => cache.names(fqdn, tables.namesByFqdn),
    account: async (id) => cache.account(id, tables.account),
    zoneRules: async (id) => cache.zone(id, tables.zoneRules),
    async setValue(name, change, now) {
      cache.changeValue(name.fqdn, change)
      return tables.setValue(name, change, now)
    },
    async setSingleValue(name, record, now) {
      cache.invalidateName(name.fqdn)
      return tables.setSingleValue(name, record, now)
    },
    async setOffline(name, isOffline, now) {
      cache.invalidateName(name.fqdn)
      return tables.setOffline(name, isOffline, now)
    },
    async touchZone(zoneId, now) {
      if (cache.isNewTouch(zoneId, now)) await tables.touchZone(zoneId, now)
    },
    touchApiKey: tables.touchApiKey,
    setFact: tables.setFact,
    factOr: tables.factOr,
    invalidateAll: () => cache.invalidateAll(),
  }
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
