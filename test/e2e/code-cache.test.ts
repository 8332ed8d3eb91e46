import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT, scratch } from './processes.ts'

const NODE = process.env['HOLDFAST_TEST_NODE'] ?? process.execPath
const LINE = ['config', 'schema']
const OTHER = 65_534

/** Whether every user can enter this folder. Other users cannot start a checkout in root's home folder. */
const isOpen = (folder: string): boolean =>
  (statSync(folder).mode & 0o001) !== 0 && (folder === dirname(folder) || isOpen(dirname(folder)))
const IS_ROOT = process.getuid?.() === 0
const MAY_BE_OTHER = IS_ROOT && [ROOT, dirname(NODE)].every(isOpen)

interface Ran {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
  /** How many files of the program were compiled with code from the cache. */
  readonly cached: number
}

/** Counts how often V8 accepted cached code, and prints the count on file descriptor 3. */
const HOOK = `const vm = require('vm'), fs = require('fs')
let cached = 0
const { Script } = vm
vm.Script = class extends Script {
  constructor(source, options) {
    super(source, options)
    if (options.cachedData !== undefined && !this.cachedDataRejected) cached++
  }
}
process.on('exit', () => fs.writeSync(3, String(cached)))`

interface How {
  readonly env?: Readonly<Record<string, string>>
  readonly uid?: number
  readonly line?: readonly string[]
}

function run(folder: string, { env = {}, uid, line = LINE }: How = {}): Ran {
  const hook = join(scratch(), 'hook.cjs')
  writeFileSync(hook, HOOK)
  chmodSync(join(hook, '..'), 0o755)
  const ended: SpawnSyncReturns<string> = spawnSync(
    NODE,
    ['--require', hook, join(ROOT, 'bin/holdfast.js'), ...line],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], HOME: '/nonexistent', CACHE_DIRECTORY: folder, ...env },
      ...(uid !== undefined && { uid, gid: uid }),
    },
  )
  const { status, stdout, stderr } = ended
  return { status, stdout, stderr, cached: Number(ended.output[3]) }
}

const place = (): string => join(scratch(), 'cache')
const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder)
    .toSorted()
    .map((name) => join(folder, name))

/** A cache folder after one run, and the output of that run. */
function filled(): { readonly folder: string; readonly first: Ran } {
  const folder = place()
  return { folder, first: run(folder) }
}

describe('compiled code is cached', () => {
  it('in a folder and in files that only this user can open, one file for each loaded file', () => {
    const { folder, first } = filled()

    expect(first).toMatchObject({ status: 0, stderr: '', cached: 0 })
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(filesIn(folder).length).toBeGreaterThan(3)
    for (const file of filesIn(folder)) {
      expect(file).toMatch(/\/[a-z-]+\.cjs\.bin$/)
      expect(statSync(file).mode & 0o777).toBe(0o600)
    }
  })

  it('and used by the next run, which prints the same and writes nothing', () => {
    const { folder, first } = filled()
    const before = filesIn(folder).map((file) => [file, statSync(file).mtimeMs])

    const second = run(folder)

    expect(second).toEqual({ ...first, cached: before.length })
    expect(filesIn(folder).map((file) => [file, statSync(file).mtimeMs])).toEqual(before)
  })

  it('of files that are ASCII, for which V8 needs one octet for each character', () => {
    const files = filesIn(join(ROOT, 'dist')).filter((file) => file.endsWith('.cjs'))

    expect(files.length).toBeGreaterThan(3)
    expect(files.filter((file) => readFileSync(file).some((octet) => octet > 0x7f))).toEqual([])
  })

  it('not by long-running commands', () => {
    const folder = place()

    expect(run(folder, { line: ['run'] }).status).toBe(78)
    expect(run(folder, { line: ['serve', '--nonsense'] }).status).toBe(64)
    expect(existsSync(folder)).toBe(false)
  })

  it('not where NODE_DISABLE_COMPILE_CACHE is set', () => {
    const folder = place()

    expect(run(folder, { env: { NODE_DISABLE_COMPILE_CACHE: '1' } }).status).toBe(0)
    expect(existsSync(folder)).toBe(false)
  })

  it.skipIf(IS_ROOT && !MAY_BE_OTHER)('in ~/.cache, which is created if it is missing', () => {
    const home = scratch()
    if (IS_ROOT) chownSync(home, OTHER, OTHER)

    expect(run('', { env: { HOME: home }, ...(IS_ROOT && { uid: OTHER }) }).stderr).toBe('')
    expect(filesIn(join(home, '.cache/holdfast')).length).toBeGreaterThan(3)
  })
})

const flipped = (bytes: Buffer, at: number): Buffer => bytes.fill(bytes.readUInt8(at) ^ 255, at, at + 1)

describe('damaged cached code is compiled again and replaced:', () => {
  it.each<[string, (file: string, bytes: Buffer) => void]>([
    ['a byte that changed', (file, bytes) => writeFileSync(file, flipped(bytes, 99))],
    ['zeros', (file, bytes) => writeFileSync(file, bytes.fill(0, 64))],
    ['half of it', (file, bytes) => writeFileSync(file, bytes.subarray(0, bytes.length / 2))],
    ['nothing', (file) => writeFileSync(file, '')],
    [
      'another file’s',
      (file) => writeFileSync(file, flipped(readFileSync(join(file, '../main.cjs.bin')), 0)),
    ],
    [
      'a link to it',
      (file, bytes) => (writeFileSync(`${file}.bin`, bytes), rmSync(file), symlinkSync(`${file}.bin`, file)),
    ],
  ])('%s', (_, damage) => {
    const { folder, first } = filled()
    const files = filesIn(folder)
    for (const file of files) damage(file, readFileSync(file))

    expect(run(folder)).toEqual(first)
    expect(run(folder)).toEqual({ ...first, cached: files.length })
    for (const file of files) expect(lstatSync(file).isFile()).toBe(true)
  })
})

describe.skipIf(!IS_ROOT)('cached code that another user could have written is not used:', () => {
  it.each<[string, (folder: string) => void]>([
    ['a folder of another user', (folder) => chownSync(folder, OTHER, OTHER)],
    ['a folder that others can write', (folder) => chmodSync(folder, 0o777)],
    ['files of another user', (folder) => filesIn(folder).forEach((file) => chownSync(file, OTHER, OTHER))],
    ['files that a group can write', (folder) => filesIn(folder).forEach((file) => chmodSync(file, 0o620))],
  ])('%s', (_, spoil) => {
    const { folder, first } = filled()
    spoil(folder)

    expect(run(folder)).toEqual(first)
  })

  it('a folder of another user is not changed', () => {
    const folder = place()
    mkdirSync(folder)
    chownSync(folder, OTHER, OTHER)

    expect(run(folder).status).toBe(0)
    expect(filesIn(folder)).toEqual([])
  })
})

describe('a cache folder that cannot be used does no harm:', () => {
  const said = (): string => run('', { env: { NODE_DISABLE_COMPILE_CACHE: '1' } }).stdout

  it.each(['/proc/holdfast/cache', '/sys/holdfast', '/dev/null', '/dev/null/cache', 'no\u0001/such'])(
    '%s',
    (folder) => expect(run(folder)).toEqual({ status: 0, stdout: said(), stderr: '', cached: 0 }),
  )

  it.skipIf(!IS_ROOT)('a folder whose parent is missing, for root', () => {
    const parent = place()

    expect(run(join(parent, 'cache')).stderr).toBe('')
    expect(existsSync(parent)).toBe(false)
  })

  it.skipIf(!MAY_BE_OTHER)('a folder that cannot be read, / as the home folder, no home folder', () => {
    const hidden = scratch()
    const how = { uid: 64_999 }

    for (const [folder, env] of [
      [join(hidden, 'cache'), {}],
      ['', { HOME: hidden }],
      ['', { HOME: '/' }],
      ['', { HOME: '' }],
    ] as const)
      expect(run(folder, { ...how, env })).toEqual({ status: 0, stdout: said(), stderr: '', cached: 0 })
  })
})
