import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { own } from '../../src/platform/owner.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-owner-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
})
const lock = (): string => join(folder, 'owner.lock')
const writeLock = (over: object): void => {
  const ours = JSON.parse(readFileSync(lock(), 'utf8')) as object
  writeFileSync(lock(), JSON.stringify({ ...ours, ...over }))
}

it('is one of many that ask at once, and free again when it is released', async () => {
  const all = await Promise.all(Array.from({ length: 40 }, async () => own(folder, undefined)))

  const ours = all.flatMap((one) => (one.kind === 'ours' ? [one] : []))
  expect(ours).toHaveLength(1)
  expect(all.filter(({ kind }) => kind === 'theirs')).toHaveLength(39)
  await ours[0]?.release()
  expect(readdirSync(folder)).toEqual([])
  expect((await own(folder, undefined)).kind).toBe('ours')
})

it('names the living owner and where it takes orders', async () => {
  await own(folder, '/run/x/control.sock')

  expect(await own(folder, undefined)).toMatchObject({
    kind: 'theirs',
    owner: { pid: process.pid, socket: '/run/x/control.sock' },
  })
})

it.each([
  ['a process that is gone', { pid: 4_194_304 }],
  ['another process with the same number', { startedAt: '1' }],
  ['an earlier boot', { boot: '00000000-0000-0000-0000-000000000000' }],
])('takes a folder over from %s', async (_, over) => {
  await own(folder, undefined)
  writeLock(over)

  expect((await own(folder, undefined)).kind).toBe('ours')
  expect(readdirSync(folder)).toEqual(['owner.lock'])
})

it('takes over what is no lock at all', async () => {
  writeFileSync(lock(), 'hello')

  expect((await own(folder, undefined)).kind).toBe('ours')
})

it('does not give back what has become another’s', async () => {
  const first = await own(folder, undefined)
  writeFileSync(lock(), '{"pid":1}')
  if (first.kind === 'ours') await first.release()

  expect(readFileSync(lock(), 'utf8')).toBe('{"pid":1}')
})

it('says that nothing is kept where nothing can be', async () =>
  expect(await own('/dev/null/nowhere', undefined)).toEqual({ kind: 'unkept' }))
