import { expect, it } from 'vitest'
import { takeDaemonLocks } from '../../../../src/client/program/run/locks.ts'
import type { ResolvedSettings } from '../../../../src/client/settings/settings.ts'
import { ownState } from '../../../../src/client/program/state/single-instance.ts'
import { milliseconds } from '../../../../src/shared/base/time.ts'
import type { LockOutcome } from '../../../../src/shared/ports/lock.ts'
import type { SystemPorts } from '../../../../src/shared/ports/system.ts'
import { virtualClock } from '../../../fakes/clock.ts'

const SETTINGS = {
  stateDir: '/state',
  stateFolders: ['/state'],
  runtimeDir: '/run',
} as unknown as ResolvedSettings

/** Of a host whose folders answer so. */
async function taken(answer: (folder: string) => LockOutcome) {
  const locks = await takeDaemonLocks(SETTINGS, {
    acquireLock: async (folder: string) => Promise.resolve(answer(folder)),
    clocks: () => ({ uptime: milliseconds(0) }),
    steady: virtualClock(),
  } as unknown as SystemPorts)
  if (!locks.ok) throw new Error(locks.error.messages.join())
  return locks.value
}

const released: string[] = []
const acquired = (path: string): LockOutcome => ({
  kind: 'acquired',
  path,
  renew: async () => Promise.resolve({ kind: 'kept' }),
  release: async () => Promise.resolve(void released.push(path)),
})

it('a folder that cannot be written at the start is locked as soon as it can be', async () => {
  let answer: LockOutcome = { kind: 'unavailable' }
  const locks = await taken((folder) => (folder === '/state' ? answer : acquired(folder)))
  expect(await locks.renew()).toEqual({ lost: undefined, wasMissing: false })
  answer = acquired('/state')
  // Meanwhile another process may have saved a state.
  expect(await locks.renew()).toEqual({ lost: undefined, wasMissing: true })
  expect(await locks.renew()).toEqual({ lost: undefined, wasMissing: false })
  await locks.release()
  expect(released).toEqual(['/run', '/state'])
})

it('a daemon ends where another one has locked the folder first', async () => {
  let answer: LockOutcome = { kind: 'unavailable' }
  const locks = await taken((folder) => (folder === '/state' ? answer : acquired(folder)))
  answer = { kind: 'held', owner: { pid: 7, socket: '/run/control.sock' } }
  expect((await locks.renew()).lost).toBe('another daemon (process 7) has taken /state; this one ends')
  expect(locks.hasLost()).toBe(true)
})

it('a command finds a daemon that started while the configured folder could not be written', async () => {
  const owner = { pid: 7, socket: '/run/control.sock' }
  released.length = 0
  const answers: Readonly<Record<string, LockOutcome>> = {
    '/state': acquired('/state'),
    '/fallback': { kind: 'held', owner },
  }
  const ask = async (folders: readonly string[]): Promise<LockOutcome> =>
    ownState({ ...SETTINGS, stateFolders: folders }, undefined, {
      acquireLock: async (folder: string) => Promise.resolve(answers[folder] ?? { kind: 'unavailable' }),
      clocks: () => ({ uptime: milliseconds(0) }),
      steady: virtualClock(),
      files: { isPrivateFolder: async (folder: string) => Promise.resolve(folder !== '/missing') },
    } as unknown as SystemPorts)
  expect(await ask(['/state', '/missing', '/fallback'])).toEqual({ kind: 'held', owner })
  expect(released).toEqual(['/state'])
  expect(await ask(['/state', '/missing'])).toMatchObject({ kind: 'acquired', path: '/state' })
  expect(released).toEqual(['/state'])
})
