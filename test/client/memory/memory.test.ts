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
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { milliseconds } from '../../../src/base/time.ts'
import { NEW_STATE, type State } from '../../../src/client/decide/state.ts'
import { clientTime } from '../../../src/client/memory/client-time.ts'
import { fileMemory, type MemoryTrouble, StateUnreadable } from '../../../src/client/memory/memory.ts'
import { systemFiles } from '../../../src/platform/files.ts'
import type { Files } from '../../../src/ports/files.ts'
import { START } from '../../fakes/world.ts'

const STOPPED: State = {
  accounts: { a: { standing: { kind: 'stopped', since: START, because: 'abuse', about: '' }, hosts: {} } },
}

let folder: string
let troubles: MemoryTrouble[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-memory-'))
  troubles = []
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
})
const memory = (files: Files = systemFiles, at = folder) =>
  fileMemory(
    files,
    [at],
    clientTime(() => ({ wall: START, boot: 'b', uptime: milliseconds(0) })),
    (trouble) => troubles.push(trouble),
  )

it('gives back what it kept, in a file that only its owner reads', async () => {
  await memory().save(STOPPED)

  expect(await memory().load()).toEqual(STOPPED)
  expect(statSync(join(folder, 'state.json')).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['state.json'])
})

it.skipIf(process.getuid?.() !== 0)('leaves to the owner of the folder what root writes there', async () => {
  chownSync(folder, 65_534, 65_534)
  await memory().save(STOPPED)

  expect(statSync(join(folder, 'state.json'))).toMatchObject({ uid: 65_534, gid: 65_534 })
})

it('makes the folder where it is missing', async () => {
  await memory(systemFiles, join(folder, 'a/b')).save(STOPPED)

  expect(await memory(systemFiles, join(folder, 'a/b')).load()).toEqual(STOPPED)
})

it('writes nothing when nothing changed', async () => {
  let writes = 0
  const counting: Files = {
    ...systemFiles,
    replace: async (path, text) => (writes++, systemFiles.replace(path, text)),
  }
  const kept = memory(counting)

  await kept.save(STOPPED)
  await kept.save(STOPPED)
  await kept.load()
  await kept.save(STOPPED)

  expect(writes).toBe(1)
})

it.each(['', '{', 'null', '{"version":2}', '{"version":1,"sha256":"","accounts":{}}'])(
  'sets a broken file aside and starts anew: %j',
  async (text) => {
    writeFileSync(join(folder, 'state.json'), text)

    expect(await memory().load()).toEqual(NEW_STATE)
    expect(troubles.map(({ kind }) => kind)).toEqual(['stateSetAside'])
    const [aside = ''] = readdirSync(folder)
    expect(aside).toMatch(/^state\.json\.broken-/)
    expect(readFileSync(join(folder, aside), 'utf8')).toBe(text)
  },
)

it('says once that the disk does not take it, and goes on', async () => {
  const full: Files = { ...systemFiles, replace: async () => Promise.reject(new Error('ENOSPC')) }
  const kept = memory(full)

  await kept.save(STOPPED)
  await kept.save(NEW_STATE)

  expect(troubles).toEqual([{ kind: 'stateNotKept', because: 'ENOSPC' }])
})

it('writes what it could not write before, as soon as the disk takes it', async () => {
  let isFull = true
  const kept = memory({
    ...systemFiles,
    replace: async (path, text) =>
      isFull ? Promise.reject(new Error('ENOSPC')) : systemFiles.replace(path, text),
  })
  await kept.save(STOPPED)
  isFull = false
  await kept.save(STOPPED)

  expect(await memory().load()).toEqual(STOPPED)
})

it('sets a file aside that cannot be read', async () => {
  mkdirSync(join(folder, 'state.json'))

  expect(await memory().load()).toEqual(NEW_STATE)
  expect(troubles).toMatchObject([{ kind: 'stateSetAside', because: 'this is a folder' }])
})

it('refuses to start anew over a file that can neither be read nor set aside', async () => {
  mkdirSync(join(folder, 'state.json'))
  const fixed: Files = { ...systemFiles, rename: async () => Promise.reject(new Error('EACCES')) }

  await expect(memory(fixed).load()).rejects.toThrow(StateUnreadable)
})

it('leaves the old file whole when the new one cannot be written', async () => {
  await memory().save(STOPPED)
  mkdirSync(join(folder, 'not-a-folder'))
  await expect(systemFiles.replace(join(folder, 'not-a-folder'), 'x')).rejects.toThrow()

  expect(await memory().load()).toEqual(STOPPED)
  expect(readdirSync(folder).filter((name) => name.endsWith('.new'))).toEqual([])
})

/** A process that has kept one state and dies by SIGKILL at the n-th step of writing another. */
function dieAt(step: number): NodeJS.Signals | null {
  const root = join(import.meta.dirname, '../../../src')
  const script = `
    import fs from 'node:fs/promises'
    import { syncBuiltinESMExports } from 'node:module'
    let steps = Infinity
    const counted = (work) => async (...args) => {
      if (--steps < 0) process.kill(process.pid, 'SIGKILL')
      const result = await work(...args)
      if (typeof result?.sync === 'function')
        for (const name of ['writeFile', 'sync', 'close']) result[name] = counted(result[name].bind(result))
      return result
    }
    for (const name of ['mkdir', 'open', 'rename']) fs[name] = counted(fs[name])
    syncBuiltinESMExports()
    const { systemFiles } = await import('${root}/platform/files.ts')
    const { systemClocks } = await import('${root}/platform/clock.ts')
    const { clientTime } = await import('${root}/client/memory/client-time.ts')
    const { fileMemory } = await import('${root}/client/memory/memory.ts')
    const kept = fileMemory(systemFiles, ['${folder}'], clientTime(systemClocks()), console.error)
    const stopped = (because) => ({ accounts: { a: { standing: { kind: 'stopped', since: 0, because, about: '' }, hosts: {} } } })
    await kept.save(stopped('badauth'))
    steps = ${step}
    await kept.save(stopped('abuse'))`
  return spawnSync(process.execPath, ['--no-warnings', '--input-type=module', '-e', script]).signal
}

it('has the old state or the new one, whole, at whatever step of writing it is killed', async () => {
  const found: string[] = []
  for (let step = 0; ; step++) {
    const signal = dieAt(step)
    const { standing } = (await memory().load()).accounts['a'] ?? {}
    found.push(standing?.kind === 'stopped' ? standing.because : 'lost')
    expect(troubles).toEqual([])
    if (signal === null) break
  }

  expect(found.length).toBeGreaterThan(7) // mkdir, open, write, sync, close, rename, open, sync, close
  expect(found).toEqual([
    ...found.filter((word) => word === 'badauth'),
    ...found.filter((word) => word === 'abuse'),
  ])
  expect([found[0], found.at(-1)]).toEqual(['badauth', 'abuse'])
}, 60_000)

const OTHER: State = {
  accounts: { a: { standing: { kind: 'stopped', since: START, because: 'badauth', about: '' }, hosts: {} } },
}
const stopsIn = (state: State) => state.accounts['a']?.standing

const FALLBACK = ['run', 'fallback'] as const

/** A folder that takes no files, beside one that does. */
const withFallback = (isFull: () => boolean, now = () => START) => {
  const files: Files = {
    ...systemFiles,
    replace: async (path, text) =>
      isFull() && !path.includes('fallback')
        ? Promise.reject(new Error('EROFS'))
        : systemFiles.replace(path, text),
  }
  const clocks = () => ({ wall: now(), boot: 'b', uptime: milliseconds(now() - START) })
  const folders = [join(folder, 'state'), join(folder, 'run', 'fallback')]
  return fileMemory(files, folders, clientTime(clocks), (trouble) => troubles.push(trouble))
}

it('keeps the state in another folder where the first cannot be written, says so once, and finds it again', async () => {
  mkdirSync(join(folder, 'run'), { mode: 0o700 })
  const kept = withFallback(() => true)
  await kept.load()
  await kept.save(OTHER)
  await kept.save(STOPPED)

  expect(kept.isKept()).toBe(true)
  expect(troubles).toEqual([
    {
      kind: 'stateKeptElsewhere',
      folder: join(folder, 'state'),
      instead: join(folder, 'run/fallback'),
      because: 'EROFS',
    },
  ])
  expect(stopsIn(await withFallback(() => true).load())).toMatchObject({ because: 'abuse' })
})

it('believes what was written last, and leaves nothing behind where it wrote meanwhile', async () => {
  mkdirSync(join(folder, 'run'), { mode: 0o700 })
  let [isFull, now] = [false, START]
  const make = () =>
    withFallback(
      () => isFull,
      () => now,
    )
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
  await back.save({ accounts: { ...state.accounts, b: { standing: { kind: 'ready' }, hosts: {} } } })

  expect(readdirSync(join(folder, 'run/fallback'))).toEqual([])
  expect(stopsIn(await make().load())).toMatchObject({ because: 'abuse' })
})

it('takes home what it kept elsewhere as soon as it can, though nothing changed, and writes nothing until then', async () => {
  mkdirSync(join(folder, 'run'), { mode: 0o700 })
  let isFull = true
  await withFallback(() => isFull).save(STOPPED)
  const inode = () => statSync(join(folder, ...FALLBACK, 'state.json')).ino
  const written = inode()
  const kept = withFallback(() => isFull)
  const state = await kept.load()
  await kept.save(state)
  expect(inode()).toBe(written)

  isFull = false
  await kept.save(state)

  expect(readdirSync(join(folder, ...FALLBACK))).toEqual([])
  expect(stopsIn(await memory(systemFiles, join(folder, 'state')).load())).toMatchObject({ because: 'abuse' })
  expect(troubles.map(({ kind }) => kind)).toEqual(['stateKeptElsewhere'])
})

it('uses no folder in a place of everybody that others could read or have made', async () => {
  mkdirSync(join(folder, 'run'), { mode: 0o755 })
  chmodSync(join(folder, 'run'), 0o755)
  const kept = withFallback(() => true)

  await kept.save(STOPPED)

  expect(kept.isKept()).toBe(false)
  expect(troubles).toEqual([{ kind: 'stateNotKept', because: 'EROFS' }])
})

/** What another process wrote into a state folder. */
async function stateIn(at: string, state: State): Promise<string> {
  mkdirSync(at, { recursive: true, mode: 0o700 })
  await memory(systemFiles, at).save(state)
  return at
}
const fallen = () => withFallback(() => false)

it.each([
  ['others may enter', (at: string) => chmodSync(at, 0o711)],
  ['is another user’s', (at: string) => chownSync(at, 65_534, 65_534)],
])('neither obeys, sets aside nor removes what a folder holds that %s', async (_, spoil) => {
  if (process.getuid?.() !== 0) return
  for (const level of [1, 2]) {
    const fallback = await stateIn(join(folder, ...FALLBACK), STOPPED)
    writeFileSync(join(fallback, 'state.json'), '{')
    spoil(join(folder, ...FALLBACK.slice(0, level)))
    const kept = fallen()

    expect(await kept.load()).toEqual(NEW_STATE)
    await kept.save(OTHER)
    expect(readdirSync(fallback)).toEqual(['state.json'])
    for (const name of ['run', 'state']) rmSync(join(folder, name), { recursive: true })
  }
  expect(troubles).toEqual([])
})

it('follows no link to a folder', async () => {
  const real = await stateIn(join(folder, 'elsewhere', 'fallback'), STOPPED)
  writeFileSync(join(real, 'state.json'), '{')
  symlinkSync(join(folder, 'elsewhere'), join(folder, 'run'))
  expect(await fallen().load()).toEqual(NEW_STATE)
  rmSync(join(folder, 'run'))
  mkdirSync(join(folder, 'run'), { mode: 0o700 })
  symlinkSync(real, join(folder, ...FALLBACK))

  expect(await fallen().load()).toEqual(NEW_STATE)
  expect(readdirSync(real)).toEqual(['state.json'])
  expect(troubles).toEqual([])
})

it.each([
  ['that others may write', 0o777, 0],
  ['of another user', 0o1777, 65_534],
])('uses nothing in a runtime folder %s', async (_, mode, uid) => {
  if (process.getuid?.() !== 0) return
  await stateIn(join(folder, ...FALLBACK), STOPPED)
  chmodSync(folder, mode)
  chownSync(folder, uid, uid)
  const kept = withFallback(() => true)

  expect(await kept.load()).toEqual(NEW_STATE)
  await kept.save(OTHER)
  expect(kept.isKept()).toBe(false)
})

it('uses a folder of its own in a place that everybody may write to', async () => {
  await stateIn(join(folder, ...FALLBACK), STOPPED)
  chmodSync(folder, 0o1777)

  expect(stopsIn(await fallen().load())).toMatchObject({ because: 'abuse' })
})

it('reads again what another process kept meanwhile, and not what it kept itself', async () => {
  const kept = memory()
  await kept.save(OTHER)
  expect(await kept.reread()).toBeUndefined()
  await kept.save(OTHER)
  await memory().save(STOPPED)
  expect(await kept.reread()).toEqual(STOPPED)
  rmSync(join(folder, 'state.json'))
  expect(await kept.reread()).toBeUndefined()
  await kept.save(OTHER)

  expect(await memory().load()).toEqual(OTHER)
})

it('refuses a pipe for a state at once, and leaves it', async () => {
  spawnSync('mkfifo', [join(folder, 'state.json')])

  await expect(memory().load()).rejects.toThrow(
    `${folder}/state.json cannot be read (this is a pipe; a file is needed)`,
  )
  expect(readdirSync(folder)).toEqual(['state.json'])
}, 2000)
