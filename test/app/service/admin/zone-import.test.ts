import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { importZone, readZone } from '../../../../src/app/service/admin/zone-import.ts'
import { instant } from '../../../../src/base/time.ts'
import type { Name } from '../../../../src/server/model/tree.ts'
import type { Store } from '../../../../src/server/store/store.ts'
import { type Fixture, fill } from '../../../contract/store.ts'
import { storeFolder, testStore } from '../../../lab/stores.ts'

const NOW = instant(0)
/** When the fixture was made. */
const MADE = instant(Date.UTC(2026, 0, 1))
let store: Store
let at: Fixture
beforeEach(async () => {
  store = testStore()
  at = await fill(store)
})

const imported = async (text: string, { isReplacing = true, into = store } = {}) => {
  const path = join(storeFolder(), 'zone')
  writeFileSync(path, text)
  const read = await readZone('example.test', path)
  return importZone(into, { ...read, zoneName: 'example.test', isReplacing })
}
const nameAt = async (name: string): Promise<Name | undefined> =>
  store.read(async (r) => r.nameAt((await r.zoneNamed('example.test'))?.id ?? 0, name))

const HOME: Omit<Name, 'zoneId' | 'accountId'> = {
  name: 'home',
  isProhibited: false,
  isBlocked: false,
  isOffline: true,
  metadata: { colour: 'red' },
  rrsets: [
    {
      dnsType: 'A',
      ttl: 300,
      isSystem: false,
      metadata: { a: 'b' },
      rdata: [
        { label: 'old', value: '192.0.2.1', isSystem: false, updateGroup: 'abc1234' },
        { label: 'same', value: '192.0.2.2', isSystem: false },
      ],
      createdAt: NOW,
      updatedAt: NOW,
    },
  ],
  createdAt: NOW,
  updatedAt: NOW,
}
const addHome = async (): Promise<void> =>
  store.write(async (w) => {
    const id = (await w.nameAt(at.zoneId, 'home'))?.id
    const place = { zoneId: at.zoneId, accountId: at.accountId, ...(id !== undefined && { id }) }
    await w.saveName({ ...HOME, ...place, updateGroup: 'abc1234' }, NOW)
  })

it('replaces records; metadata, labels, DDNS keys and states of names that stay are kept', async () => {
  await addHome()
  await imported('home 60 A 192.0.2.2\nhome 60 A 192.0.2.9\nhome 60 A 192.0.2.8\nnext 60 A 192.0.2.3\n')

  expect(await nameAt('home')).toMatchObject({
    isOffline: true,
    metadata: { colour: 'red' },
    updateGroup: 'abc1234',
    createdAt: MADE,
    rrsets: [
      {
        ttl: 60,
        metadata: { a: 'b' },
        createdAt: NOW,
        rdata: [
          { label: 'same', value: '192.0.2.2' },
          { label: 'old', value: '192.0.2.9', updateGroup: 'abc1234' },
          { label: '_1', value: '192.0.2.8' },
        ],
      },
    ],
  })
  expect(await nameAt('next')).toMatchObject({ rrsets: [{ dnsType: 'A' }] })
  await imported('next 60 A 192.0.2.3\n')
  expect([await nameAt('home'), await store.read(async (r) => r.hasHidden())]).toEqual([undefined, false])
  expect((await store.read(async (r) => r.keyNamed('abc1234')))?.targets).toEqual([])
})

it('needs "replace" where the zone has names, and never removes those of other accounts', async () => {
  await expect(imported('x A 192.0.2.1\n', { isReplacing: false })).rejects.toThrow(/has names already/)
  await store.write(async (w) => {
    const planId = await w.planOf(at.accountId)
    const accountId = await w.addAccount({ name: 'other', hash: new Uint8Array([1]), planId }, NOW)
    await w.addName({ zoneId: at.zoneId, accountId, name: 'theirs' }, NOW)
  })
  await expect(imported('x A 192.0.2.1\n')).rejects.toThrow(/1 names of other accounts/)
})

it('changes nothing where a name has changed since it began, or another import is under way', async () => {
  await addHome()
  let writes = 0
  const busy: Store = {
    isShared: store.isShared,
    countRequest: async (...request) => store.countRequest(...request),
    read: async (work) => store.read(work),
    snapshot: async (work) => store.snapshot(work),
    probe: async (now) => store.probe(now),
    checkpoint: () => store.checkpoint(),
    close: async () => store.close(),
    write: async (work, about) => {
      if (++writes === 2) {
        await expect(imported('next 60 A 192.0.2.3\n')).rejects.toThrow(/another import into example\.test/)
        await store.write(async (w) => w.touchZone(at.zoneId, instant(5)))
      }
      return store.write(work, about)
    },
  }
  await expect(imported('next 60 A 192.0.2.3\n', { into: busy })).rejects.toThrow(/has changed since/)
  expect([(await nameAt('home'))?.metadata, await nameAt('next')]).toEqual([{ colour: 'red' }, undefined])
  expect(await store.read(async (r) => r.hasHidden())).toBe(false)
})
