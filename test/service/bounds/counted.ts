import { StatementSync } from 'node:sqlite'
import type { Store, StoreReads } from '../../../src/service/store/store.ts'

/** What a request asked of its store. */
export interface Work {
  /** Calls, and the objects of their results. */
  readonly reads: number
  /** By the name of the method, the most first: for a failure. */
  readonly most: string
}

export interface Counted {
  readonly store: Store
  /** The work since the last call of this. */
  readonly take: () => Work
}

/** The same store, which counts what each transaction asks. */
export function countedStore(store: Store): Counted {
  const counts = new Map<string, number>()
  const add = (method: string, n: number): void => void counts.set(method, (counts.get(method) ?? 0) + n)
  const counting = <R extends object>(reads: R): R =>
    new Proxy(reads, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name)
        if (typeof method !== 'function' || typeof name !== 'string') return method
        return (...args: readonly unknown[]): unknown => {
          const result: unknown = Reflect.apply(method, target, args)
          add(name, 1)
          return result instanceof Promise
            ? result.then((value: unknown) => {
                add(name, objectsIn(value))
                return value
              })
            : result
        }
      },
    })
  const over: Partial<Store> = {
    read: async (work) => store.read(async (r) => work(counting(r))),
    write: async (work, about) => store.write(async (w) => work(counting(w)), about),
    snapshot: async (work) => store.snapshot(async (r) => work(counting(r as StoreReads))),
  }
  return {
    store: new Proxy(store, {
      get: (target, name) => {
        const own: unknown = Reflect.get(over, name) ?? Reflect.get(target, name)
        return typeof own === 'function' && !(name in over) ? own.bind(target) : own
      },
    }),
    take: () => {
      const all = [...counts].toSorted(([, a], [, b]) => b - a)
      counts.clear()
      return {
        reads: all.reduce((sum, [, n]) => sum + n, 0),
        most: all
          .slice(0, 4)
          .map(([name, n]) => `${name} ${n}`)
          .join(', '),
      }
    },
  }
}

/** The objects in a result, at any depth: a page, its names, their RRSets, and the records of these. */
function objectsIn(value: unknown): number {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return 0
  const parts: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
  return parts.reduce<number>((sum, one) => sum + objectsIn(one), Array.isArray(value) ? 0 : 1)
}

const STATEMENT_METHODS = ['get', 'all', 'run'] as const

/**
 * Counts the statements that SQLite runs meanwhile, with their rows: what a method of the store does inside, such as one
 * statement for each item of a list.
 */
export async function statementsDuring(work: () => Promise<unknown>): Promise<number> {
  const prototype: Record<(typeof STATEMENT_METHODS)[number], unknown> = StatementSync.prototype
  let count = 0
  const own = STATEMENT_METHODS.map((name) => [name, prototype[name]] as const)
  for (const [name, method] of own)
    prototype[name] = function (this: StatementSync, ...args: readonly unknown[]): unknown {
      const result: unknown = Reflect.apply(method as (...all: readonly unknown[]) => unknown, this, args)
      count += 1 + (Array.isArray(result) ? result.length : 0)
      return result
    }
  try {
    await work()
  } finally {
    for (const [name, method] of own) prototype[name] = method
  }
  return count
}
