import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { importIntoZone, readZone } from '../../../src/service/admin/zone-import.ts'
import { renderFirst } from '../../../src/service/publish/flusher.ts'
import { instant } from '../../../src/shared/base/time.ts'
import { UNRENDERED_FACT } from '../../../src/service/store/bulk.ts'
import type { Name } from '../../../src/service/model/tree.ts'
import type { Store } from '../../../src/service/store/store.ts'
import { type Fixture, fill } from '../../contract/store.ts'
import { storeFolder, testStore } from '../../lab/stores.ts'
import { SETTINGS } from '../publish/flushed.ts'

const NOW = instant(0)
/** When the fixture was made. */
const MADE = instant(Date.UTC(2026, 0, 1))
let store: Store
let at: Fixture
beforeEach(async () => {
  store = testStore()
  at = await fill(store)
})

const imported = async (text: string, { isReplacing = true, into = store, isDryRun = false } = {}) => {
  const path = join(storeFolder(), 'zone')
  writeFileSync(path, text)
  const read = await readZone('example.test', path)
  return importIntoZone(into, { ...read, zoneName: 'example.test', isReplacing, isDryRun })
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

it('with dry-run says what would change, and changes nothing', async () => {
  await addHome()
  const before = await nameAt('home')
  const result = await imported('home 300 A 192.0.2.2\nhome 60 TXT x\nnext 60 A 192.0.2.3\n', {
    isDryRun: true,
  })

  expect(result.lines).toEqual([
    'changed home A 300 192.0.2.1, 192.0.2.2 -> 300 192.0.2.2',
    'new home TXT 60 "x"',
    'new next A 60 192.0.2.3',
    'example.test: 2 new, 1 changed, 0 removed, 0 same; nothing was changed',
  ])
  expect(result.data).toMatchObject({
    zone: 'example.test',
    new: 2,
    changed: 1,
    changes: [{ name: 'home' }, {}, {}],
  })
  expect([await nameAt('home'), await nameAt('next')]).toEqual([before, undefined])
  await expect(imported('home A 192.0.2.2\n', { isDryRun: true, isReplacing: false })).rejects.toThrow(
    /has names already/,
  )
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

it('keeps what the operator has stopped, without records', async () => {
  await addHome()
  await store.write(async (w) => w.blockName((await w.nameAt(at.zoneId, 'home'))?.id ?? 0, true))
  await imported('next 60 A 192.0.2.3\n')
  expect(await nameAt('home')).toMatchObject({ isBlocked: true, rrsets: [] })
})

it('refuses names beneath a zone of another account', async () => {
  await store.write(async (w) => {
    const accountId = await w.addAccount(
      { name: 'other', hash: new Uint8Array([1]), planId: await w.planOf(at.accountId) },
      NOW,
    )
    await w.addZone({ accountId, name: 'sub.example.test', isShared: false }, NOW)
    await w.addZone({ accountId: at.accountId, name: 'own.example.test', isShared: false }, NOW)
  })
  await imported('x.own 60 A 192.0.2.3\n')
  await expect(imported('x 60 A 192.0.2.3\n*.sub 60 A 192.0.2.3\n')).rejects.toThrow(
    /line 2: \*\.sub\.example\.test belongs to sub\.example\.test, a zone of another account/,
  )
})

it('is followed by another one at once where it failed', async () => {
  let writes = 0
  const failing: Store = Object.assign(Object.create(store) as Store, {
    read: async (work: Parameters<Store['read']>[0]) => store.read(work),
    snapshot: async (work: Parameters<Store['snapshot']>[0]) => store.snapshot(work),
    write: async (work: Parameters<Store['write']>[0]) => {
      if (++writes === 3) throw new Error('the disk is full')
      return store.write(work)
    },
  })
  await expect(imported('next 60 A 192.0.2.3\n', { into: failing })).rejects.toThrow('the disk is full')
  await imported('next 60 A 192.0.2.3\n')
})

it('without a service that renders its names, these are rendered before the next one answers', async () => {
  const text = Array.from({ length: 2500 }, (_, n) => `n${n} 60 A 192.0.2.3\n`).join('')
  await imported(text)
  const published = async () =>
    store.read(async (r) => {
      const zone = await r.publishedZone('example.test')
      return (await r.publishedAfter(zone?.id ?? 0, undefined, 10_000)).length
    })
  expect(await published()).toBeLessThan(2500)
  const full = Object.assign(Object.create(store) as Store, {
    read: async (work: Parameters<Store['read']>[0]) => store.read(work),
    snapshot: async (work: Parameters<Store['snapshot']>[0]) => store.snapshot(work),
    write: async () => {
      throw new Error('the disk is full')
    },
  })
  await expect(renderFirst(full, () => SETTINGS)).rejects.toThrow('the disk is full')
  await renderFirst(store, () => SETTINGS)
  expect(await published()).toBeGreaterThanOrEqual(2500)
  expect(await store.read(async (r) => r.fact(UNRENDERED_FACT))).toBeUndefined()
  // Names that change later are no reason to wait.
  await store.write(async (w) =>
    w.addName(
      { zoneId: (await w.zoneNamed('example.test'))?.id ?? 0, accountId: at.accountId, name: 'late' },
      NOW,
    ),
  )
  await renderFirst(store, () => SETTINGS)
  expect(await store.read(async (r) => r.hasDirtyNames())).toBe(true)
})

it('changes nothing where a name was locked since it began, or another import is under way', async () => {
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
      if (++writes === 3) {
        await expect(imported('next 60 A 192.0.2.3\n')).rejects.toThrow(/another import into example\.test/)
        await store.write(async (w) => w.lockName((await w.nameAt(at.zoneId, 'home'))?.id ?? 0, true))
      }
      return store.write(work, about)
    },
  }
  await expect(imported('next 60 A 192.0.2.3\n', { into: busy })).rejects.toThrow(
    /was locked or blocked since/,
  )
  expect([(await nameAt('home'))?.metadata, await nameAt('next')]).toEqual([{ colour: 'red' }, undefined])
  expect(await store.read(async (r) => r.hasHidden())).toBe(false)
})
