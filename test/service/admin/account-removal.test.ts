import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { removeAccount } from '../../../src/service/admin/account-removal.ts'
import { instant } from '../../../src/shared/base/time.ts'
import type { Store, StoreWrites } from '../../../src/service/store/store.ts'
import { type Fixture, fill } from '../../contract/store.ts'
import { storeFolder, testStore } from '../../lab/stores.ts'

const NOW = instant(Date.UTC(2026, 0, 2))
let store: Store
let at: Fixture
beforeEach(async () => {
  store = testStore()
  at = await fill(store)
})

/** Removes the account; something else happens after its data was read. */
async function removed(meanwhile: (w: StoreWrites) => Promise<unknown>) {
  const account = String(
    (await store.read(async (r) => r.overview('accounts', { filter: {}, now: NOW })))[0]?.['name'],
  )
  let isFirst = true
  const busy: Store = Object.assign(Object.create(store) as Store, {
    isShared: store.isShared,
    read: async (work: Parameters<Store['read']>[0]) => store.read(work),
    snapshot: async (work: Parameters<Store['snapshot']>[0]) => store.snapshot(work),
    write: async (work: Parameters<Store['write']>[0]) => {
      if (isFirst) await store.write(meanwhile)
      isFirst = false
      return store.write(work)
    },
  })
  const file = join(storeFolder(), 'export')
  const result = await removeAccount(busy, ['ns1.example.net'], [account, `export=${file}`])
  return { result, file, account }
}

it('an account goes while its names are published', async () => {
  const { result, file } = await removed(async (w) => w.raiseSerial(at.zoneId, 4_000_000_000))
  expect([result.ok, existsSync(file)]).toEqual([true, true])
})

it('an account whose names change while they are written out stays, and another attempt may succeed', async () => {
  const { result, file, account } = await removed(async (w) => {
    await w.setSingleValue(at.home, { dnsType: 'A', value: '192.0.2.77' }, NOW)
    await w.touchZone(at.zoneId, NOW)
  })
  expect(result).toMatchObject({ ok: false, error: { exit: 'waiting' } })
  expect(existsSync(file)).toBe(false)
  expect(await store.read(async (r) => r.login(account))).toBeDefined()
})
