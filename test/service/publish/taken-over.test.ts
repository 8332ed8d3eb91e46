import { expect, it } from 'vitest'
import { after, type Instant, instant, seconds } from '../../../src/shared/base/time.ts'
import { flush } from '../../../src/service/publish/flush.ts'
import type { Store, StoreWrites } from '../../../src/service/store/store.ts'
import { filledStores, storeFolder } from '../../lab/stores.ts'
import { SMALL_PLAN } from '../../small-plan.ts'

const NOW = instant(Date.UTC(2026, 0, 1))
const SETTINGS = {
  nameservers: ['ns1.test'],
  contact: undefined,
  redirectAddresses: [],
  catalog: 'catalog.invalid',
}

async function fill(w: StoreWrites): Promise<number> {
  const planId = await w.addPlan(SMALL_PLAN)
  const accountId = await w.addAccount({ name: 'a', hash: new Uint8Array(48), planId }, NOW)
  await w.addZone({ accountId, name: 'example.test', isShared: false }, NOW)
  return accountId
}
const filled = filledStores(fill)

/** A flush at a moment, on a database that calls itself so. */
async function flushed(
  store: Store,
  now: Instant,
  identity: string,
  published?: ReadonlyMap<number, number>,
) {
  return store.write(async (w) => {
    const context = { settings: SETTINGS, now, maxNames: 99, onNameFault: () => undefined }
    const other = { ...w, databaseIdentity: async () => identity }
    return flush(other, { ...context, ...(published && { published }) })
  })
}

const changed = async (store: Store, accountId: number, name: string): Promise<void> =>
  store.write(async (w) => {
    const zone = await w.zoneNamed('example.test')
    await w.addName({ zoneId: zone?.id ?? 0, accountId, name }, NOW)
  })
const serialOf = async (store: Store): Promise<number> =>
  (await store.read(async (r) => r.publishedZone('example.test')))?.serial ?? 0

it('where another copy of the database takes over, the next step has a number that no lost one can have', async () => {
  const [store, accountId] = await filled(storeFolder())
  const first = await flushed(store, NOW, 'one')
  const before = await serialOf(store)
  await changed(store, accountId, 'a')
  const second = await flushed(store, after(NOW, seconds(10)), 'other')
  expect([first.isTakenOver, second.isTakenOver]).toEqual([false, true])
  // Ten seconds at fifty steps a second.
  expect(await serialOf(store)).toBeGreaterThan(before + 500)
  expect((await flushed(store, after(NOW, seconds(11)), 'other')).isTakenOver).toBe(false)
  await store.close()
})

it('where a zone is older than it was published, its next number is above both', async () => {
  const [store, accountId] = await filled(storeFolder())
  await flushed(store, NOW, 'one')
  const zone = await store.read(async (r) => r.publishedZone('example.test'))
  await changed(store, accountId, 'a')
  const published = new Map([[zone?.id ?? 0, (zone?.serial ?? 0) + 3]])
  expect((await flushed(store, after(NOW, seconds(1)), 'one', published)).isTakenOver).toBe(true)
  expect(await serialOf(store)).toBeGreaterThan((zone?.serial ?? 0) + 3)
  await store.close()
})
