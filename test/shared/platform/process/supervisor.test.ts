import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { loadedWith } from '../../../fakes/mocked.ts'

const spawned: string[] = []
const children = () => ({
  spawn: (program: string, args: readonly string[]) => {
    spawned.push([program, ...args].join(' '))
    return { on: () => undefined }
  },
})
const { supervisorOf } = await loadedWith(
  'node:child_process',
  children,
  async () => import('../../../../src/shared/platform/process/supervisor.ts'),
)

const BEAT = 'systemd-notify WATCHDOG=1'
const [SECOND, MINUTE] = [1000, 60_000]
const WATCHED = { NOTIFY_SOCKET: '/run/x', WATCHDOG_USEC: '9000000' }

beforeEach(() => {
  vi.useFakeTimers()
  spawned.length = 0
})
const watched = (environment: NodeJS.ProcessEnv = WATCHED): ReturnType<typeof supervisorOf> => {
  onTestFinished(() => void vi.useRealTimers())
  return supervisorOf(environment, () => Date.now())
}

it('notifies the watchdog three times in its period', () => {
  watched()
  vi.advanceTimersByTime(9 * SECOND)

  expect(spawned).toEqual([BEAT, BEAT, BEAT])
})

it('stops notifying the watchdog 30 minutes after the last heartbeat, and resumes after the next', () => {
  const supervisor = watched()
  vi.advanceTimersByTime(6 * MINUTE)
  supervisor.beat()
  vi.advanceTimersByTime(30 * MINUTE)
  const sentBefore = spawned.length
  vi.advanceTimersByTime(MINUTE)

  expect([sentBefore, spawned.length]).toEqual([36 * 20 - 1, sentBefore])
  supervisor.beat()
  vi.advanceTimersByTime(3 * SECOND)
  expect(spawned.length).toBe(sentBefore + 1)
})

it('counts a status report as a heartbeat', () => {
  const supervisor = watched()
  vi.advanceTimersByTime(29 * MINUTE)
  supervisor.status('1 of 1 hostnames confirmed')
  spawned.length = 0
  vi.advanceTimersByTime(29 * MINUTE)

  expect(spawned.length).toBe(29 * 20)
})

it.each([
  ['there is no watchdog', { NOTIFY_SOCKET: '/run/x' }],
  ['the watchdog is for another process', { ...WATCHED, WATCHDOG_PID: '1' }],
  ['there is no socket', { WATCHDOG_USEC: '9000000' }],
])('does not notify the watchdog where %s', (_, environment) => {
  watched(environment)
  vi.advanceTimersByTime(MINUTE)

  expect(spawned).toEqual([])
})

it('does not keep the process alive', () => {
  const timers = vi.spyOn(globalThis, 'setInterval')
  watched()

  expect(timers.mock.results.map(({ value }) => (value as NodeJS.Timeout).hasRef())).toEqual([false])
})
