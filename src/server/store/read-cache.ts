import type { Login, StoredName } from '../model/rows.ts'
import type { CounterWrites } from './sqlite-counts.ts'
import type { StoreReads, StoreWrites } from './store.ts'

/** More names, and more logins, are not remembered at a time: a name is about a third of a KiB. */
const MAX_CACHED = 100_000

type Tables = Omit<StoreWrites, keyof CounterWrites>

export interface ReadCache extends Tables {
  /** Somebody else has written, or what was read was taken back. */
  invalidateAll(): void
}

/**
 * What every update asks, answered from memory for as long as nothing is written that could change it. Whatever writes
 * forgets everything; an update, which writes all day, changes what is remembered of its name, or forgets that alone.
 */
export function readCache(tables: Tables, questions: readonly string[]): ReadCache {
  const logins = new Map<string, Login>()
  const names = new Map<string, readonly StoredName[]>()

  const forgetAll = (): void => {
    logins.clear()
    names.clear()
  }
  const known: Pick<StoreReads, 'login' | 'namesCalled'> = {
    async login(username) {
      const kept = logins.get(username)
      if (kept !== undefined) return kept
      const login = await tables.login(username)
      if (login !== undefined && logins.size < MAX_CACHED) logins.set(username, login)
      return login
    },
    async namesCalled(fqdn) {
      const kept = names.get(fqdn)
      if (kept !== undefined) return kept
      const found = await tables.namesCalled(fqdn)
      // There is no end of names that nobody has.
      const [first] = found
      if (first !== undefined && names.size < MAX_CACHED) names.set(first.fqdn, found)
      return found
    },
  }
  const changing: Pick<StoreWrites, 'setValue' | 'setOnly' | 'setOffline' | 'nextSerial'> = {
    async setValue(name, rdataId, value, now) {
      const kept = names.get(name.fqdn)
      if (kept !== undefined)
        names.set(
          name.fqdn,
          kept.map((one) => withValue(one, rdataId, value)),
        )
      return tables.setValue(name, rdataId, value, now)
    },
    async setOnly(name, ...rest) {
      names.delete(name.fqdn)
      return tables.setOnly(name, ...rest)
    },
    async setOffline(name, ...rest) {
      names.delete(name.fqdn)
      return tables.setOffline(name, ...rest)
    },
    nextSerial: tables.nextSerial,
  }
  return { ...forgetful(tables, questions, forgetAll), ...known, ...changing, invalidateAll: forgetAll }
}

const withValue = (name: StoredName, rdataId: number, value: string): StoredName => ({
  ...name,
  rdata: name.rdata.map((one) => (one.id === rdataId ? { ...one, value } : one)),
})

/** The same, where everything that is no question forgets first: what is added later forgets too. */
function forgetful(tables: Tables, questions: readonly string[], forgetAll: () => void): Tables {
  const entries = Object.entries(tables).map(([name, ask]): [string, unknown] => [
    name,
    questions.includes(name)
      ? ask
      : (...given: readonly unknown[]): unknown => {
          forgetAll()
          return (ask as (...all: readonly unknown[]) => unknown)(...given)
        },
  ])
  return Object.fromEntries(entries) as unknown as Tables
}
