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
import { acquireLock } from '../../../../src/shared/platform/process/lock.ts'
import { lacksNamespaces } from '../../../lacks.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-owner-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
})
const bootId = (): string => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
const lock = (): string => join(folder, 'owner.lock')
const writeLock = (over: object): void => {
  const owner = JSON.parse(readFileSync(lock(), 'utf8')) as object
  writeFileSync(lock(), JSON.stringify({ ...owner, ...over }))
}

it('is acquired by one of many concurrent calls, and free after its release', async () => {
  const all = await Promise.all(Array.from({ length: 40 }, async () => acquireLock(folder, undefined)))

  const acquired = all.flatMap((one) => (one.kind === 'acquired' ? [one] : []))
  expect(acquired).toHaveLength(1)
  expect(all.filter(({ kind }) => kind === 'held')).toHaveLength(39)
  await acquired[0]?.release()
  expect(readdirSync(folder)).toEqual([])
  expect((await acquireLock(folder, undefined)).kind).toBe('acquired')
})

it('reports the running owner and its control socket', async () => {
  await acquireLock(folder, '/run/x/control.sock')

  expect(await acquireLock(folder, undefined)).toMatchObject({
    kind: 'held',
    owner: { pid: process.pid, socket: '/run/x/control.sock' },
  })
})

it.each([
  ['a process that has ended', { pid: 4_194_304 }],
  ['another process with the same pid', { startedAt: '1' }],
  ['an earlier boot', { boot: '00000000-0000-0000-0000-000000000000' }],
])('replaces the lock of %s', async (_, over) => {
  await acquireLock(folder, undefined)
  writeLock(over)

  expect((await acquireLock(folder, undefined)).kind).toBe('acquired')
  expect(readdirSync(folder)).toEqual(['owner.lock'])
})

it('replaces a file that is not a lock', async () => {
  writeFileSync(lock(), 'hello')
  utimesSync(lock(), 0, 0)

  expect((await acquireLock(folder, undefined)).kind).toBe('acquired')
})

it('replaces a pipe without blocking', async () => {
  spawnSync('mkfifo', [lock()])

  expect((await acquireLock(folder, undefined)).kind).toBe('acquired')
  expect(statSync(lock()).isFile()).toBe(true)
})

it('waits for another process to finish writing its lock', async () => {
  writeFileSync(lock(), '')
  const asked = acquireLock(folder, undefined)
  await sleep(100)
  writeFileSync(lock(), JSON.stringify({ pid: process.ppid, boot: bootId() }))

  expect(await asked).toMatchObject({ kind: 'held' })
})

it('replaces the lock of an ended process once, with many concurrent calls', async () => {
  // A call that read the stale lock before another replaced it must not remove the new lock.
  for (let round = 0; round < 20; round++) {
    writeFileSync(lock(), '{"pid":4194304}')
    const all = await Promise.all(Array.from({ length: 20 }, async () => acquireLock(folder, undefined)))
    const acquired = all.flatMap((one) => (one.kind === 'acquired' ? [one] : []))
    expect(acquired).toHaveLength(1)
    await acquired[0]?.release()
  }
  expect(readdirSync(folder)).toEqual([])
})

it('ignores the mutex of a process that was killed while it replaced a lock', async () => {
  writeFileSync(lock(), '{"pid":4194304}')
  mkdirSync(`${lock()}.turn`)
  utimesSync(`${lock()}.turn`, 0, 0)

  expect((await acquireLock(folder, undefined)).kind).toBe('acquired')
  expect(readdirSync(folder)).toEqual(['owner.lock'])
})

const LOCK_MODULE = join(import.meta.dirname, '../../../../src/shared/platform/process/lock.ts')

/** The outcome for another process, in a separate mount namespace, as root or as the user nobody (65534). */
function outcomeIn(prepare: string, user: 0 | 65_534, at = folder): string {
  const script = `import(${JSON.stringify(LOCK_MODULE)}).then(async ({ acquireLock }) => {
    if (${user} > 0) { process.setgroups([]); process.setgid(${user}); process.setuid(${user}) }
    process.stdout.write((await acquireLock(${JSON.stringify(at)}, undefined)).kind) })`
  const node = `exec "$0" --no-warnings -e "$1"`
  const { stdout, stderr } = spawnSync(
    'unshare',
    ['--mount', 'sh', '-c', `set -e; ${prepare}\n${node}`, process.execPath, script],
    { encoding: 'utf8', timeout: 60_000 },
  )
  return stdout === '' ? stderr : stdout
}

describe.skipIf(lacksNamespaces())('with other users and file systems', () => {
  const running = (over = {}): string => JSON.stringify({ pid: process.pid, boot: bootId(), ...over })

  it('gives the lock file to the owner of the folder', async () => {
    chownSync(folder, 65_534, 65_534)
    await acquireLock(folder, undefined)

    expect(statSync(lock())).toMatchObject({ uid: 65_534, gid: 65_534 })
  })

  it('counts an unreadable lock as held', () => {
    chmodSync(folder, 0o777)
    writeFileSync(lock(), '{"pid":4194304}', { mode: 0o600 })

    expect(outcomeIn('', 65_534)).toBe('held')
  })

  it('counts a hidden process with the pid of the lock as its owner', () => {
    chmodSync(folder, 0o777)
    writeFileSync(lock(), running({ startedAt: '1' }), { mode: 0o644 })

    expect(outcomeIn('mount -t proc -o hidepid=2 proc /proc', 65_534)).toBe('held')
    expect(outcomeIn('', 65_534)).toBe('acquired') // visible, it is another process with the same pid
  })

  it.each([
    ['is full', 'size=4k', ''],
    ['is read-only', 'size=64k', 'mount -o remount,ro '],
  ])('respects a running owner on a disk that %s', (_, size, spoil) => {
    const mount = (text: string): string =>
      `mount -t tmpfs -o ${size} x ${folder}; printf %s '${text}' > ${lock()}; ${spoil && spoil + folder}`

    expect(outcomeIn(mount(running()), 0)).toBe('held')
    expect(outcomeIn(mount('{"pid":4194304}'), 0)).toBe('unavailable')
  })
})

it('does not release a lock that another process has replaced', async () => {
  const first = await acquireLock(folder, undefined)
  writeFileSync(lock(), '{"pid":1}')
  if (first.kind === 'acquired') await first.release()

  expect(readFileSync(lock(), 'utf8')).toBe('{"pid":1}')
})

const LEFT = '0123456789ab'

it.each([
  ['of an ended process, old', '{"pid":4194304}', 0, false],
  ['empty, old', '', 0, false],
  ['of an ended process, recent', '{"pid":4194304}', undefined, true],
  ['of a running process, old', JSON.stringify({ pid: process.ppid, boot: bootId() }), 0, true],
])(
  'removes a temporary lock file only where it is old and its process has ended: %s',
  async (_, text, at, isKept) => {
    const left = `${lock()}.${LEFT}`
    writeFileSync(left, text)
    if (at !== undefined) utimesSync(left, at, at)
    writeFileSync(join(folder, 'state.json'), '')
    utimesSync(join(folder, 'state.json'), 0, 0)

    await acquireLock(folder, undefined)

    expect(readdirSync(folder)).toEqual([
      'owner.lock',
      ...(isKept ? [`owner.lock.${LEFT}`] : []),
      'state.json',
    ])
  },
)

it('removes old temporary state files, and no recent ones', async () => {
  const [old, young] = ['0', '1'].map((digit) => `state.json.${digit.repeat(12)}.new`)
  for (const name of [old, young]) writeFileSync(join(folder, name ?? ''), '{')
  utimesSync(join(folder, old ?? ''), 0, 0)

  await acquireLock(folder, undefined)

  expect(readdirSync(folder)).toEqual(['owner.lock', young])
})

it('creates its lock again after the folder was deleted', async () => {
  const own = await acquireLock(folder, '/run/x/control.sock')
  if (own.kind !== 'acquired') throw new Error('not acquired')
  const text = readFileSync(lock(), 'utf8')
  expect(await own.renew()).toEqual({ kind: 'kept' })
  rmSync(folder, { recursive: true })

  expect(await own.renew()).toEqual({ kind: 'reacquired' })
  expect(readFileSync(lock(), 'utf8')).toBe(text)
  await own.release()
  expect(readdirSync(folder)).toEqual([])
})

it('reports the process that replaced its lock, and does not touch the new lock', async () => {
  const own = await acquireLock(folder, undefined)
  const other = JSON.stringify({ pid: process.ppid, boot: bootId(), socket: '/run/x' })
  writeFileSync(lock(), other)

  expect(own.kind === 'acquired' && (await own.renew())).toMatchObject({
    kind: 'held',
    owner: { pid: process.ppid, socket: '/run/x' },
  })
  expect(readFileSync(lock(), 'utf8')).toBe(other)
})

it('locks each file name separately', async () => {
  expect((await acquireLock(folder, undefined)).kind).toBe('acquired')
  expect((await acquireLock(folder, undefined, 'control.lock')).kind).toBe('acquired')
  expect((await acquireLock(folder, undefined, 'control.lock')).kind).toBe('held')
})

it('is unavailable where the folder cannot exist', async () =>
  expect(await acquireLock('/dev/null/nowhere', undefined)).toEqual({ kind: 'unavailable' }))
