import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { own } from '../../src/platform/owner.ts'
import { lacksNamespaces } from '../lacks.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-owner-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
})
const bootId = (): string => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
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
  utimesSync(lock(), 0, 0)

  expect((await own(folder, undefined)).kind).toBe('ours')
})

it('waits for no pipe in the place of the lock', async () => {
  spawnSync('mkfifo', [lock()])

  expect((await own(folder, undefined)).kind).toBe('ours')
  expect(statSync(lock()).isFile()).toBe(true)
}, 2000)

it('gives a lock that was just begun the time to be finished', async () => {
  writeFileSync(lock(), '')
  const asked = own(folder, undefined)
  await sleep(100)
  writeFileSync(lock(), JSON.stringify({ pid: process.ppid, boot: bootId() }))

  expect(await asked).toMatchObject({ kind: 'theirs' })
})

it('takes over from the dead once, however many decide so at the same time', async () => {
  // One that saw the dead owner's lock before another took it over must not remove the other's.
  for (let round = 0; round < 20; round++) {
    writeFileSync(lock(), '{"pid":4194304}')
    const all = await Promise.all(Array.from({ length: 20 }, async () => own(folder, undefined)))
    const ours = all.flatMap((one) => (one.kind === 'ours' ? [one] : []))
    expect(ours).toHaveLength(1)
    await ours[0]?.release()
  }
  expect(readdirSync(folder)).toEqual([])
})

it('goes on where somebody was killed while taking over', async () => {
  writeFileSync(lock(), '{"pid":4194304}')
  mkdirSync(`${lock()}.turn`)
  utimesSync(`${lock()}.turn`, 0, 0)

  expect((await own(folder, undefined)).kind).toBe('ours')
  expect(readdirSync(folder)).toEqual(['owner.lock'])
})

const OWNER = join(import.meta.dirname, '../../src/platform/owner.ts')

/** The kind of ownership that another process finds, in a mount namespace of its own, as root or as nobody. */
function foundIn(prepare: string, user: 0 | 65_534, at = folder): string {
  const script = `import(${JSON.stringify(OWNER)}).then(async ({ own }) => {
    if (${user} > 0) { process.setgroups([]); process.setgid(${user}); process.setuid(${user}) }
    process.stdout.write((await own(${JSON.stringify(at)}, undefined)).kind) })`
  const node = `exec "$0" --no-warnings -e "$1"`
  const { stdout, stderr } = spawnSync(
    'unshare',
    ['--mount', 'sh', '-c', `set -e; ${prepare}\n${node}`, process.execPath, script],
    { encoding: 'utf8', timeout: 20_000 },
  )
  return stdout === '' ? stderr : stdout
}

describe.skipIf(lacksNamespaces())('beside others', () => {
  const alive = (over = {}): string => JSON.stringify({ pid: process.pid, boot: bootId(), ...over })

  it('leaves the lock to the owner of the folder', async () => {
    chownSync(folder, 65_534, 65_534)
    await own(folder, undefined)

    expect(statSync(lock())).toMatchObject({ uid: 65_534, gid: 65_534 })
  })

  it('respects an owner whose lock cannot be read', () => {
    chmodSync(folder, 0o777)
    writeFileSync(lock(), '{"pid":4194304}', { mode: 0o600 })

    expect(foundIn('', 65_534)).toBe('theirs')
  })

  it('respects an owner that it may neither signal nor see', () => {
    chmodSync(folder, 0o777)
    writeFileSync(lock(), alive({ startedAt: '1' }), { mode: 0o644 })

    expect(foundIn('mount -t proc -o hidepid=2 proc /proc', 65_534)).toBe('theirs')
    expect(foundIn('', 65_534)).toBe('ours') // seen, it is another process with the same number
  })

  it.each([
    ['is full', 'size=4k', ''],
    ['may only be read', 'size=64k', 'mount -o remount,ro '],
  ])('respects a living owner on a disk that %s', (_, size, spoil) => {
    const mount = (text: string): string =>
      `mount -t tmpfs -o ${size} x ${folder}; printf %s '${text}' > ${lock()}; ${spoil && spoil + folder}`

    expect(foundIn(mount(alive()), 0)).toBe('theirs')
    expect(foundIn(mount('{"pid":4194304}'), 0)).toBe('unkept')
  })
})

it('does not give back what has become another’s', async () => {
  const first = await own(folder, undefined)
  writeFileSync(lock(), '{"pid":1}')
  if (first.kind === 'ours') await first.release()

  expect(readFileSync(lock(), 'utf8')).toBe('{"pid":1}')
})

const LEFT = '0123456789ab'

it.each([
  ['of the dead, long ago', '{"pid":4194304}', 0, false],
  ['without a word, long ago', '', 0, false],
  ['of the dead, just now', '{"pid":4194304}', undefined, true],
  ['of the living, long ago', JSON.stringify({ pid: process.ppid, boot: bootId() }), 0, true],
])('what a process left while it made the lock, %s', async (_, text, at, isKept) => {
  const left = `${lock()}.${LEFT}`
  writeFileSync(left, text)
  if (at !== undefined) utimesSync(left, at, at)
  writeFileSync(join(folder, 'state.json'), '')
  utimesSync(join(folder, 'state.json'), 0, 0)

  await own(folder, undefined)

  expect(readdirSync(folder)).toEqual(['owner.lock', ...(isKept ? [`owner.lock.${LEFT}`] : []), 'state.json'])
})

it('removes what a process left that was killed while it wrote the state, and not what is being written', async () => {
  const [old, young] = ['0', '1'].map((digit) => `state.json.${digit.repeat(12)}.new`)
  for (const name of [old, young]) writeFileSync(join(folder, name ?? ''), '{')
  utimesSync(join(folder, old ?? ''), 0, 0)

  await own(folder, undefined)

  expect(readdirSync(folder)).toEqual(['owner.lock', young])
})

it('makes its lock again where it was deleted, with the folder', async () => {
  const ours = await own(folder, '/run/x/control.sock')
  if (ours.kind !== 'ours') throw new Error('not ours')
  const text = readFileSync(lock(), 'utf8')
  expect(await ours.renew()).toEqual({ kind: 'kept' })
  rmSync(folder, { recursive: true })

  expect(await ours.renew()).toEqual({ kind: 'taken' })
  expect(readFileSync(lock(), 'utf8')).toBe(text)
  await ours.release()
  expect(readdirSync(folder)).toEqual([])
})

it('names who has made the lock after it was deleted, and leaves it to them', async () => {
  const ours = await own(folder, undefined)
  const theirs = JSON.stringify({ pid: process.ppid, boot: bootId(), socket: '/run/x' })
  writeFileSync(lock(), theirs)

  expect(ours.kind === 'ours' && (await ours.renew())).toMatchObject({
    kind: 'theirs',
    owner: { pid: process.ppid, socket: '/run/x' },
  })
  expect(readFileSync(lock(), 'utf8')).toBe(theirs)
})

it('has as many locks in a folder as there are names', async () => {
  expect((await own(folder, undefined)).kind).toBe('ours')
  expect((await own(folder, undefined, 'control.lock')).kind).toBe('ours')
  expect((await own(folder, undefined, 'control.lock')).kind).toBe('theirs')
})

it('says that nothing is kept where nothing can be', async () =>
  expect(await own('/dev/null/nowhere', undefined)).toEqual({ kind: 'unkept' }))
