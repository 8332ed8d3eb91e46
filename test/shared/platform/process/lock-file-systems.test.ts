import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import type * as promises from '../../../../src/shared/platform/files/promises.ts'
import { loadedWith } from '../../../fakes/mocked.ts'

const odd = { hasLinks: true, beforeTurn: (): void => undefined }
const oddFiles = async (original: () => Promise<unknown>) => {
  const real = (await original()) as typeof promises
  return {
    ...real,
    // vfat and some network file systems fail like this (link(2), EPERM).
    link: async (from: string, to: string) =>
      odd.hasLinks ? real.link(from, to) : Promise.reject(Object.assign(new Error(), { code: 'EPERM' })),
    mkdir: async (path: string, options: object) => {
      if (path.endsWith('.turn')) odd.beforeTurn()
      return real.mkdir(path, options)
    },
  }
}
const { acquireLock } = await loadedWith(
  join(import.meta.dirname, '../../../../src/shared/platform/files/promises.ts'),
  oddFiles,
  async () => import('../../../../src/shared/platform/process/lock.ts'),
)

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-owner-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  Object.assign(odd, { hasLinks: true, beforeTurn: () => undefined })
})

it('works on file systems without hard links', async () => {
  odd.hasLinks = false

  const all = await Promise.all(Array.from({ length: 40 }, async () => acquireLock(folder, undefined)))

  expect(all.filter(({ kind }) => kind === 'acquired')).toHaveLength(1)
  expect(all.filter(({ kind }) => kind === 'held')).toHaveLength(39)
  expect(readdirSync(folder)).toEqual(['owner.lock'])
})

it('does not remove a lock that replaced the stale one since it was read', async () => {
  const lock = join(folder, 'owner.lock')
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  const running = JSON.stringify({ pid: process.ppid, boot })
  writeFileSync(lock, '{"pid":4194304}')
  odd.beforeTurn = () => writeFileSync(lock, running)

  expect(await acquireLock(folder, undefined)).toMatchObject({ kind: 'held', owner: { pid: process.ppid } })
  expect(readFileSync(lock, 'utf8')).toBe(running)
})
