import { expect, it } from 'vitest'
import { steadyClock } from '../../../src/shared/platform/clock/clock.ts'
import { observedStore } from '../../../src/service/program/service-metrics.ts'
import { instant } from '../../../src/shared/base/time.ts'
import { StoreBusy } from '../../../src/service/store/errors.ts'
import { memoryStore } from '../../../src/service/store/sqlite/store.ts'
import { newMemory } from '../../lab/new-database.ts'

const NOW = instant(0)

function observed() {
  const store = memoryStore(steadyClock, newMemory())
  const heard: string[] = []
  const metrics = {
    queued: (change: number) => void heard.push(`queued ${change}`),
    wasBusy: () => void heard.push('busy'),
    written: (seconds: number) => void heard.push(seconds >= 0 ? 'written' : 'in the future'),
  }
  return { store: observedStore(store, { metrics, onWrite: () => void heard.push('woken') }), heard }
}

it('hears of every write', async () => {
  const { store, heard } = observed()

  expect(await store.write(async (w) => w.factOr('a', 'b'))).toBe('b')
  expect(heard).toEqual(['queued 1', 'woken', 'queued -1', 'written'])
  await store.close()
})

it('wakes nothing after a write that fails', async () => {
  const { store, heard } = observed()

  await expect(store.write(async () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(heard).toEqual(['queued 1', 'queued -1', 'written'])
  await store.close()
})

it('counts a write that met a lock', async () => {
  const { store, heard } = observed()

  await expect(store.write(async () => Promise.reject(new StoreBusy('no')))).rejects.toThrow('no')
  expect(heard).toEqual(['queued 1', 'busy', 'queued -1', 'written'])
  await store.close()
})

it('is otherwise the same store', async () => {
  const { store, heard } = observed()
  await store.countRequest(1, NOW, 1000)

  expect(await store.countRequest(1, NOW, 1000)).toEqual({ since: NOW, count: 2 })
  expect(await store.probe(NOW)).toBe(NOW)
  expect(await store.read(async (r) => r.fact('ready'))).toBe('0')
  expect(await store.snapshot(async (r) => r.publishedZone('none.test'))).toBeUndefined()
  expect(store.isShared).toBe(false)
  store.checkpoint()
  expect(heard).toEqual([])
  await store.close()
})
