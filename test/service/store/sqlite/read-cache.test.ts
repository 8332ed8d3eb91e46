import { instant } from '../../../../src/shared/base/time.ts'
import { expect, it } from 'vitest'
import { readCache } from '../../../../src/service/store/sqlite/read-cache.ts'

// People at the console write when they were seen, and every change its trail: both happen while updates come.
it.each(['addTrail', 'pruneTrail', 'setFact', 'touchApiKey', 'touchSession'])(
  'the lookups of updates stay cached after %s, and are read again after other writes',
  async (method) => {
    let lookups = 0
    const tables = {
      login: async () => Promise.resolve({ lookups: ++lookups }),
      [method]: async () => Promise.resolve(),
      removeKey: async () => Promise.resolve(),
    }
    const cache = readCache(tables as never, [])
    await cache.login('abc1234')
    await (cache as never as Record<string, () => Promise<void>>)[method]?.()
    await cache.login('abc1234')
    expect(lookups).toBe(1)
    await cache.removeKey(1, instant(0))
    await cache.login('abc1234')
    expect(lookups).toBe(2)
  },
)
