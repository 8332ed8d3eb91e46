import http from 'node:http'
import net from 'node:net'
import timers from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, expect, vi } from 'vitest'
import { runs, SEED } from './runs.ts'

/** A property that fails prints its seed, and the path to its case. */
fc.configureGlobal({ seed: SEED, numRuns: runs(100) })

const EVENTS = [
  'SIGHUP',
  'SIGINT',
  'SIGTERM',
  'SIGPIPE',
  'SIGUSR2',
  'uncaughtException',
  'unhandledRejection',
]

/** What a test may change in its process, where the next file would find it. */
const shared = () => ({
  environment: { ...process.env },
  folder: process.cwd(),
  mask: process.umask(),
  exitCode: process.exitCode,
  listeners: Object.fromEntries(EVENTS.map((event) => [event, process.listenerCount(event)])),
  areTimersFake: vi.isFakeTimers(),
})
const FUNCTIONS = {
  setTimeout: () => globalThis.setTimeout,
  setInterval: () => globalThis.setInterval,
  Date: () => globalThis.Date,
  fetch: () => globalThis.fetch,
  sleep: () => timers.setTimeout,
  connect: () => net.connect,
  Socket: () => net.Socket,
  'Socket.setTimeout': () => Reflect.get(net.Socket.prototype, 'setTimeout') as unknown,
  request: () => http.request,
  dispatcher: () => Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.1')) as unknown,
}
const functionsNow = () => Object.entries(FUNCTIONS).map(([name, read]) => [name, read()] as const)

const before = shared()
const functions = functionsNow()
afterAll(() => {
  expect(shared(), 'what the tests of a file leave behind').toEqual(before)
  const changed = functionsNow().filter(([, one], at) => one !== functions[at]?.[1])
  expect(
    changed.map(([name]) => name),
    'what the tests of a file replace',
  ).toEqual([])
})
