import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { formatInstant, instant, milliseconds } from '../../../../src/shared/base/time.ts'
import { NEW_STATE, type State } from '../../../../src/client/decide/state.ts'
import { clientTime } from '../../../../src/client/agent/memory/client-time.ts'
import { formatState, parseState, salvage } from '../../../../src/client/agent/memory/codec.ts'
import { fileMemory, lastSavePaths } from '../../../../src/client/agent/memory/file-memory.ts'
import { type MemoryProblem, StateUnreadable } from '../../../../src/client/agent/memory/memory.ts'
import { systemFiles } from '../../../../src/shared/platform/files/files.ts'
import type { Files } from '../../../../src/shared/ports/files.ts'
import { address } from '../../detect/sources/messages.ts'
import { START } from '../../../fakes/world.ts'

const STOPPED: State = {
  accounts: { a: { status: { kind: 'stopped', since: START, because: 'abuse', about: '' }, hosts: {} } },
}

const WRITTEN = formatInstant(START)

let folder: string
let problems: MemoryProblem[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-memory-'))
  problems = []
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
})
const memory = (files: Files = systemFiles, at = folder) =>
  fileMemory([at], {
    files,
    time: clientTime(() => ({ wall: START, boot: 'b', uptime: milliseconds(0) })),
    report: (problem) => problems.push(problem),
  })

it('load returns the saved state, from a file with mode 0600', async () => {
  await memory().save(STOPPED)

  expect(await memory().load()).toEqual(STOPPED)
  expect(statSync(join(folder, 'state.json')).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['state.json'])
})

it.skipIf(process.getuid?.() !== 0)('a file written by root belongs to the owner of the folder', async () => {
  chownSync(folder, 65_534, 65_534)
  await memory().save(STOPPED)

  expect(statSync(join(folder, 'state.json'))).toMatchObject({ uid: 65_534, gid: 65_534 })
})

it('save makes a missing folder', async () => {
  await memory(systemFiles, join(folder, 'a/b')).save(STOPPED)

  expect(await memory(systemFiles, join(folder, 'a/b')).load()).toEqual(STOPPED)
})

it('save writes nothing when nothing changed', async () => {
  let writes = 0
  const counting: Files = {
    ...systemFiles,
    replace: async (path, text) => (writes++, systemFiles.replace(path, text)),
  }
  const saved = memory(counting)

  await saved.save(STOPPED)
  await saved.save(STOPPED)
  await saved.load()
  await saved.save(STOPPED)

  expect(writes).toBe(1)
})

it.each([
  ['a stop', { kind: 'stopped', since: WRITTEN, because: 'abuse', about: '' }, STOPPED.accounts['a']?.status],
  [
    'a wait',
    { kind: 'waiting', since: WRITTEN, until: WRITTEN, because: 'not understood', detail: 'd', rung: 2 },
    {
      kind: 'waiting',
      since: START,
      until: START,
      because: 'unrecognized-reply',
      detail: 'd',
      attempt: 2,
    },
  ],
])('load reads %s in a file of format version 1', async (_, standing, status) => {
  const body = { accounts: { a: { standing, hosts: {} } } }
  const sha256 = createHash('sha256').update(JSON.stringify(body)).digest('hex')
  writeFileSync(join(folder, 'state.json'), JSON.stringify({ version: 1, sha256, ...body }))

  expect(await memory().load()).toEqual({ accounts: { a: { status, hosts: {} } } })
  expect(problems).toEqual([])
})

it.each(['', '{', 'null', '{"version":1}', '{"version":2,"sha256":"","accounts":{}}'])(
  'load sets a broken file aside and returns an empty state: %j',
  async (text) => {
    writeFileSync(join(folder, 'state.json'), text)

    expect(await memory().load()).toEqual(NEW_STATE)
    expect(problems.map(({ kind }) => kind)).toEqual(['stateSetAside'])
    const [aside = ''] = readdirSync(folder)
    expect(aside).toMatch(/^state\.json\.broken-/)
    expect(readFileSync(join(folder, aside), 'utf8')).toBe(text)
  },
)

/** A stop, a stopped hostname and a wait, beside an account without any. */
const RESTRICTED: State = {
  accounts: {
    ...STOPPED.accounts,
    b: {
      status: { kind: 'ready' },
      hosts: {
        'a.test': {
          confirmed: {},
          spread: 0,
          isOffline: false,
          stopped: { since: START, because: 'nohost', about: '' },
        },
      },
    },
    c: {
      status: {
        kind: 'waiting',
        since: START,
        until: instant(START + 1_800_000),
        because: '911',
        detail: '',
        attempt: 1,
      },
      hosts: {},
      resumed: START,
    },
  },
}
const FREE = { 'b.test': { confirmed: { v4: address('192.0.2.1') }, spread: 0, isOffline: false } }
const WHOLE: State = {
  accounts: {
    ...RESTRICTED.accounts,
    b: { status: { kind: 'ready' }, hosts: { ...FREE, ...RESTRICTED.accounts['b']?.hosts } },
    d: { status: { kind: 'ready' }, hosts: FREE },
  },
}

it('no flipped bit loses a stop or a wait', () => {
  const bytes = Buffer.from(formatState(WHOLE))
  const lost = Array.from({ length: bytes.length * 8 }, (_, bit) => bit).filter((bit) => {
    const flipped = Buffer.from(bytes)
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    const text = flipped.toString()
    const read = parseState(text)
    const state = read.ok ? read.value.state : salvage(text)?.state
    return !isDeepStrictEqual(state, read.ok ? WHOLE : RESTRICTED)
  })
  expect(lost).toEqual([])
})

it('load keeps the stops of a damaged file on disk', async () => {
  await memory().save(WHOLE)
  const path = join(folder, 'state.json')
  writeFileSync(path, readFileSync(path, 'utf8').replace('192.0.2.1', '192.0.2.0'))

  expect(await memory().load()).toEqual(RESTRICTED)
  expect(problems).toMatchObject([{ kind: 'stateSetAside', isSalvaged: true }])
  expect(await memory().load()).toEqual(RESTRICTED)
  expect(problems).toHaveLength(1)
})

it('a process that ends before it has saved what it salvaged loses no stop', async () => {
  await memory().save(WHOLE)
  const path = join(folder, 'state.json')
  writeFileSync(path, readFileSync(path, 'utf8').replace('192.0.2.1', '192.0.2.0'))
  // The disk takes the copy of the damaged file, and nothing after it.
  const ends: Files = {
    ...systemFiles,
    replace: async (to, text) =>
      to === path ? Promise.reject(new Error('killed')) : systemFiles.replace(to, text),
  }

  expect(await memory(ends).load()).toEqual(RESTRICTED)
  expect(await memory().load()).toEqual(RESTRICTED)
})

it('a state without stops and waits is written once', () =>
  expect(
    formatState({ accounts: { d: { status: { kind: 'ready' }, hosts: FREE } } }).match(/sha256/g),
  ).toHaveLength(1))

it('reports once that the disk is full, and save still resolves', async () => {
  const full: Files = { ...systemFiles, replace: async () => Promise.reject(new Error('ENOSPC')) }
  const saved = memory(full)

  await saved.save(STOPPED)
  await saved.save(NEW_STATE)

  expect(problems).toEqual([{ kind: 'stateNotSaved', because: 'ENOSPC' }])
})

it('save writes an unchanged state that could not be written before', async () => {
  let isFull = true
  const saved = memory({
    ...systemFiles,
    replace: async (path, text) =>
      isFull ? Promise.reject(new Error('ENOSPC')) : systemFiles.replace(path, text),
  })
  await saved.save(STOPPED)
  isFull = false
  await saved.save(STOPPED)

  expect(await memory().load()).toEqual(STOPPED)
})

it('load sets a folder in the place of the file aside', async () => {
  mkdirSync(join(folder, 'state.json'))

  expect(await memory().load()).toEqual(NEW_STATE)
  expect(problems).toMatchObject([{ kind: 'stateSetAside', because: 'this is a folder' }])
})

it('load rejects for a file that can neither be read nor set aside', async () => {
  mkdirSync(join(folder, 'state.json'))
  const fixed: Files = { ...systemFiles, rename: async () => Promise.reject(new Error('EACCES')) }

  await expect(memory(fixed).load()).rejects.toThrow(StateUnreadable)
})

it('the old file stays complete when the new one cannot be written', async () => {
  await memory().save(STOPPED)
  mkdirSync(join(folder, 'not-a-folder'))
  await expect(systemFiles.replace(join(folder, 'not-a-folder'), 'x')).rejects.toThrow()

  expect(await memory().load()).toEqual(STOPPED)
  expect(readdirSync(folder).filter((name) => name.endsWith('.new'))).toEqual([])
})

/** Runs a process that has saved one state and is killed by SIGKILL at the n-th step of writing another. */
function dieAt(step: number): NodeJS.Signals | null {
  const root = join(import.meta.dirname, '../../../../src')
  const script = `
    import fs from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    let steps = Infinity
    const counted = (work) => (...args) => {
      if (--steps < 0) process.kill(process.pid, 'SIGKILL')
      return work(...args)
    }
    for (const name of ['mkdir', 'open', 'writeFile', 'fsync', 'close', 'rename']) fs[name] = counted(fs[name])
    syncBuiltinESMExports()
    const { systemFiles } = await import('${root}/shared/platform/files/files.ts')
    const { systemClocks } = await import('${root}/shared/platform/clock/clock.ts')
    const { clientTime } = await import('${root}/client/agent/memory/client-time.ts')
    const { fileMemory } = await import('${root}/client/agent/memory/file-memory.ts')
    const saved = fileMemory(['${folder}'], { files: systemFiles, time: clientTime(systemClocks()), report: console.error })
    const stopped = (because) => ({ accounts: { a: { status: { kind: 'stopped', since: 0, because, about: '' }, hosts: {} } } })
    await saved.save(stopped('badauth'))
    steps = ${step}
    await saved.save(stopped('abuse'))`
  return spawnSync(process.execPath, ['--no-warnings', '--input-type=module', '-e', script]).signal
}

it('a process killed at any step of writing leaves the complete old or new state', async () => {
  const found: string[] = []
  for (let step = 0; ; step++) {
    const signal = dieAt(step)
    const { status } = (await memory().load()).accounts['a'] ?? {}
    found.push(status?.kind === 'stopped' ? status.because : 'lost')
    expect(problems).toEqual([])
    if (signal === null) break
  }

  expect(found.length).toBeGreaterThan(7) // mkdir, open, write, sync, close, rename, open, sync, close
  expect(found).toEqual([
    ...found.filter((word) => word === 'badauth'),
    ...found.filter((word) => word === 'abuse'),
  ])
  expect([found[0], found.at(-1)]).toEqual(['badauth', 'abuse'])
})

const OTHER: State = {
  accounts: { a: { status: { kind: 'stopped', since: START, because: 'badauth', about: '' }, hosts: {} } },
}
const stopsIn = (state: State) => state.accounts['a']?.status

const FALLBACK = ['run', 'fallback'] as const

/** A configured folder that is full on demand, and a fallback folder. */
const withFallback = (isFull: () => boolean, { now = () => START, isOnRequest = false } = {}) => {
  const files: Files = {
    ...systemFiles,
    replace: async (path, text) =>
      isFull() && !path.includes('fallback')
        ? Promise.reject(new Error('EROFS'))
        : systemFiles.replace(path, text),
  }
  const clocks = () => ({ wall: now(), boot: 'b', uptime: milliseconds(now() - START) })
  const folders = [join(folder, 'state'), join(folder, 'run', 'fallback')]
  return fileMemory(folders, {
    files,
    time: clientTime(clocks),
    report: (problem) => problems.push(problem),
    isOnRequest,
  })
}

it('save on request does not move a stop to another folder', async () => {
  mkdirSync(join(folder, 'run'), { mode: 0o700 })
  let isFull = false
  const at = (isOnRequest: boolean) => withFallback(() => isFull, { isOnRequest })
  await at(false).save(STOPPED)
  isFull = true
  const command = at(true)
  await command.load()
  await command.save(NEW_STATE)

  expect(problems.map(({ kind }) => kind)).toEqual(['stateNotSaved'])
  expect(await at(false).load()).toEqual(STOPPED)
})

it('save on request writes where the state is, also in a fallback folder', async () => {
  mkdirSync(join(folder, 'run'), { mode: 0o700 })
  await withFallback(() => true).save(STOPPED)
  problems.length = 0
  const command = withFallback(() => true, { isOnRequest: true })
  await command.load()
  await command.save(OTHER)

  expect(problems).toEqual([])
  expect(await withFallback(() => true).load()).toEqual(OTHER)
})

it('save uses a fallback folder where the configured one is not writable, reports it once, and load finds it', async () => {
  mkdirSync(join(folder, 'run'), { mode: 0o700 })
  const saved = withFallback(() => true)
  await saved.load()
  await saved.save(OTHER)
  await saved.save(STOPPED)

  expect(saved.isSaved()).toBe(true)
  expect(problems).toEqual([
    {
      kind: 'stateSavedElsewhere',
      folder: join(folder, 'state'),
      instead: join(folder, 'run/fallback'),
      because: 'EROFS',
    },
  ])
  expect(stopsIn(await withFallback(() => true).load())).toMatchObject({ because: 'abuse' })
})

it('load returns the state that was written last, and save removes the file of the fallback folder', async () => {
  mkdirSync(join(folder, 'run'), { mode: 0o700 })
  let [isFull, now] = [false, START]
  const make = () => withFallback(() => isFull, { now: () => now })
  await make().save(OTHER)
  isFull = true
  now = (START + 60_000) as typeof START
  const away = make()
  await away.load()
  await away.save(STOPPED)
  expect(stopsIn(await make().load())).toMatchObject({ because: 'abuse' })

  isFull = false
  const back = make()
  const state = await back.load()
  await back.save({ accounts: { ...state.accounts, b: { status: { kind: 'ready' }, hosts: {} } } })

  expect(readdirSync(join(folder, 'run/fallback'))).toEqual([])
  expect(stopsIn(await make().load())).toMatchObject({ because: 'abuse' })
})

it('save moves an unchanged state from the fallback to the configured folder when that is writable, and writes nothing before', async () => {
  mkdirSync(join(folder, 'run'), { mode: 0o700 })
  let isFull = true
  await withFallback(() => isFull).save(STOPPED)
  const inode = () => statSync(join(folder, ...FALLBACK, 'state.json')).ino
  const written = inode()
  const saved = withFallback(() => isFull)
  const state = await saved.load()
  await saved.save(state)
  expect(inode()).toBe(written)

  isFull = false
  await saved.save(state)

  expect(readdirSync(join(folder, ...FALLBACK))).toEqual([])
  expect(stopsIn(await memory(systemFiles, join(folder, 'state')).load())).toMatchObject({ because: 'abuse' })
  // Each process tells it.
  expect(problems.map(({ kind }) => kind)).toEqual([
    'stateSavedElsewhere',
    'stateSavedElsewhere',
    'stateSavedAgain',
  ])
})

it('save uses no fallback below a folder that other users may enter', async () => {
  mkdirSync(join(folder, 'run'), { mode: 0o755 })
  chmodSync(join(folder, 'run'), 0o755)
  const saved = withFallback(() => true)

  await saved.save(STOPPED)

  expect(saved.isSaved()).toBe(false)
  expect(problems).toEqual([{ kind: 'stateNotSaved', because: 'EROFS' }])
})

/** A state folder that another process has written. */
async function stateIn(at: string, state: State): Promise<string> {
  mkdirSync(at, { recursive: true, mode: 0o700 })
  await memory(systemFiles, at).save(state)
  return at
}
const fallback = () => withFallback(() => false)

it.each([
  ['others may enter', (at: string) => chmodSync(at, 0o711)],
  ['is another user’s', (at: string) => chownSync(at, 65_534, 65_534)],
])('a fallback folder that %s is not read, changed or cleared', async (_, spoil) => {
  if (process.getuid?.() !== 0) return
  for (const level of [1, 2]) {
    const folderOfFallback = await stateIn(join(folder, ...FALLBACK), STOPPED)
    writeFileSync(join(folderOfFallback, 'state.json'), '{')
    spoil(join(folder, ...FALLBACK.slice(0, level)))
    const saved = fallback()

    expect(await saved.load()).toEqual(NEW_STATE)
    await saved.save(OTHER)
    expect(readdirSync(folderOfFallback)).toEqual(['state.json'])
    for (const name of ['run', 'state']) rmSync(join(folder, name), { recursive: true })
  }
  expect(problems).toEqual([])
})

it('a fallback folder that is a symbolic link is not used', async () => {
  const real = await stateIn(join(folder, 'elsewhere', 'fallback'), STOPPED)
  writeFileSync(join(real, 'state.json'), '{')
  symlinkSync(join(folder, 'elsewhere'), join(folder, 'run'))
  expect(await fallback().load()).toEqual(NEW_STATE)
  rmSync(join(folder, 'run'))
  mkdirSync(join(folder, 'run'), { mode: 0o700 })
  symlinkSync(real, join(folder, ...FALLBACK))

  expect(await fallback().load()).toEqual(NEW_STATE)
  expect(readdirSync(real)).toEqual(['state.json'])
  expect(problems).toEqual([])
})

it.each([
  ['that others may write', 0o777, 0],
  ['of another user', 0o1777, 65_534],
])('a fallback in a runtime folder %s is not used', async (_, mode, uid) => {
  if (process.getuid?.() !== 0) return
  await stateIn(join(folder, ...FALLBACK), STOPPED)
  chmodSync(folder, mode)
  chownSync(folder, uid, uid)
  const saved = withFallback(() => true)

  expect(await saved.load()).toEqual(NEW_STATE)
  await saved.save(OTHER)
  expect(saved.isSaved()).toBe(false)
})

it('a private fallback folder in a world-writable folder with the sticky bit is used', async () => {
  await stateIn(join(folder, ...FALLBACK), STOPPED)
  chmodSync(folder, 0o1777)

  expect(stopsIn(await fallback().load())).toMatchObject({ because: 'abuse' })
})

it('reread returns the state of another process, and not its own', async () => {
  const saved = memory()
  await saved.save(OTHER)
  expect(await saved.reread()).toBeUndefined()
  await saved.save(OTHER)
  await memory().save(STOPPED)
  expect(await saved.reread()).toEqual(STOPPED)
  rmSync(join(folder, 'state.json'))
  expect(await saved.reread()).toBeUndefined()
  await saved.save(OTHER)

  expect(await memory().load()).toEqual(OTHER)
})

it('load rejects a pipe in the place of the file at once, and leaves it', async () => {
  spawnSync('mkfifo', [join(folder, 'state.json')])

  await expect(memory().load()).rejects.toThrow(
    `${folder}/state.json cannot be read (this is a pipe; a file is needed)`,
  )
  expect(readdirSync(folder)).toEqual(['state.json'])
})

it('reports a full disk, its end, and the next one', async () => {
  let isFull = true
  const saved = memory({
    ...systemFiles,
    replace: async (path, text) =>
      isFull ? Promise.reject(new Error('ENOSPC')) : systemFiles.replace(path, text),
  })
  await saved.save(NEW_STATE)
  isFull = false
  await saved.save(NEW_STATE)
  isFull = true
  await saved.save(OTHER)

  expect(problems.map(({ kind }) => kind)).toEqual(['stateNotSaved', 'stateSavedAgain', 'stateNotSaved'])
})

describe('a jotted state', () => {
  const at = (later: number) =>
    clientTime(() => ({ wall: instant(START + later), boot: 'b', uptime: milliseconds(later) }))
  const begun = (later: number, lastSaves: readonly string[] = []) =>
    fileMemory([folder], {
      files: systemFiles,
      time: at(later),
      report: (problem) => problems.push(problem),
      lastSaves,
    })
  const READY_ALL: State = { accounts: { a: { status: { kind: 'ready' }, hosts: {} } } }

  it('is obeyed by the next process where this one was killed before it saved', async () => {
    await begun(0).save(READY_ALL)
    begun(1000).jot(STOPPED)
    expect(await begun(2000).load()).toEqual(STOPPED)
    expect(problems).toEqual([])
  })

  it('is older than what was saved after it, and goes with the save', async () => {
    const one = begun(0)
    one.jot(STOPPED)
    await one.save(READY_ALL)
    expect(readdirSync(folder)).toEqual(['state.json'])
    begun(1000).jot(STOPPED)
    await begun(2000).save(READY_ALL)
    expect(await begun(3000).load()).toEqual(READY_ALL)
  })

  it('that is cut off counts as none, and so does one where there is no folder', async () => {
    await begun(0).save(READY_ALL)
    writeFileSync(join(folder, 'state.jotted.json'), formatState(STOPPED, at(1000).anchor()).slice(0, 90))
    expect(await begun(2000).load()).toEqual(READY_ALL)
    expect(() => memory(systemFiles, join(folder, 'none')).jot(STOPPED)).not.toThrow()
    expect(problems).toEqual([])
  })

  it('belongs to this user alone', () => {
    begun(0).jot(STOPPED)
    expect(statSync(join(folder, 'state.jotted.json')).mode & 0o777).toBe(0o600)
  })

  const run = () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'holdfast-run-'))
    onTestFinished(() => rmSync(elsewhere, { recursive: true, force: true }))
    return elsewhere
  }

  it('the loss of a state is reported once: deleted, or an older copy, in the runtime folder and without one', async () => {
    for (const runtime of [run(), join(folder, 'none')]) {
      const paths = lastSavePaths(runtime, folder)
      problems = []
      await begun(0, paths).save(READY_ALL)
      await begun(500, paths).load()
      const copy = readFileSync(join(folder, 'state.json'), 'utf8')
      await begun(1000, paths).save(STOPPED)
      expect(problems).toEqual([])
      writeFileSync(join(folder, 'state.json'), copy)
      const third = begun(2000, paths)
      await third.load()
      expect(problems).toEqual([{ kind: 'stateOutdated', folder, saved: START + 1000, isMissing: false }])
      await third.save(STOPPED)
      rmSync(join(folder, 'state.json'))
      const fourth = begun(3000, paths)
      await fourth.load()
      expect(problems[1]).toEqual({ kind: 'stateOutdated', folder, saved: START + 2000, isMissing: true })
      await fourth.save(READY_ALL)
      await begun(4000, paths).load()
      expect(problems).toHaveLength(2)
      rmSync(join(folder, 'state.json'))
      for (const path of paths) rmSync(path, { force: true })
    }
  })
})
