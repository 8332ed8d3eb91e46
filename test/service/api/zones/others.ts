import type { Store, StoreWrites } from '../../../../src/service/store/store.ts'

/** What other requests change while one is under way. */
export interface Meanwhile {
  /** Once, when the snapshot is read from which the import is planned. */
  readonly afterPlan?: (w: StoreWrites) => Promise<void>
  /** Before each transaction of the import. */
  readonly beforeEachWrite?: (w: StoreWrites) => Promise<void>
}

/** One transaction of the import. */
export interface Transaction {
  readonly methods: readonly string[]
  /** Objects that it was given to store, and that it read. */
  readonly rows: number
}

/** The store, in which others change something between the steps of a request, and which notes its transactions. */
export function storeWithOthers(store: Store, meanwhile: Meanwhile, transactions: Transaction[]): Store {
  const { afterPlan, beforeEachWrite } = meanwhile
  let isPlanned = false
  const over: Partial<Store> = {
    snapshot: async (work) => {
      const result = await store.snapshot(work)
      if (!isPlanned && afterPlan !== undefined) await store.write(afterPlan)
      isPlanned = true
      return result
    },
    write: async (work, about) => {
      // Before the plan no import is under way.
      if (isPlanned && beforeEachWrite !== undefined) await store.write(beforeEachWrite)
      const methods: string[] = []
      let rows = 0
      const noting = (w: StoreWrites): StoreWrites =>
        new Proxy(w, {
          get: (target, name) => {
            const method: unknown = Reflect.get(target, name)
            if (typeof method !== 'function' || typeof name !== 'string') return method
            return async (...args: readonly unknown[]): Promise<unknown> => {
              const result: unknown = await Reflect.apply(method, target, args)
              methods.push(name)
              rows += objectsIn(args) + objectsIn(result)
              return result
            }
          },
        })
      // A transaction may run again.
      const result = await store.write(async (w) => {
        methods.length = 0
        rows = 0
        return work(noting(w))
      }, about)
      transactions.push({ methods, rows })
      return result
    },
  }
  return new Proxy(store, {
    get: (target, name) => {
      const own: unknown = Reflect.get(over, name)
      if (own !== undefined) return own
      const method: unknown = Reflect.get(target, name)
      return typeof method === 'function' ? method.bind(target) : method
    },
  })
}

function objectsIn(value: unknown): number {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return 0
  const parts: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
  return parts.reduce<number>((sum, one) => sum + objectsIn(one), Array.isArray(value) ? 0 : 1)
}
