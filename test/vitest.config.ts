import { defineConfig } from 'vitest/config'
import { FileOrder } from './file-order.ts'
import { runs } from './runs.ts'

const ROOT = new URL('..', import.meta.url).pathname

/** The tests write no compiled code into the user's own cache folder. */
const NO_CACHE = { NODE_DISABLE_COMPILE_CACHE: '1' }

/**
 * For tests that start no built program. Their files share a process, so none leaves anything behind that changes another.
 * A test ends by what it counts; its time limit is for what never ends, and not for a busy machine.
 */
const SHARED = {
  isolate: false,
  testTimeout: Math.max(120_000, runs(120_000)),
  hookTimeout: 120_000,
  expect: { poll: { timeout: 60_000 } },
  setupFiles: ['test/setup.ts'],
}

/** For tests that start programs: a CI machine can be five times slower than a desktop. */
const PATIENT = { testTimeout: 400_000, hookTimeout: 400_000 }

/** unit: in this process, no sockets but loopback. e2e: the built programs as processes. system: with other people's clients. browser: in Chromium. packages: installed. long: floods, kills and days. postgres: what uses a store, again, on PostgreSQL. */
export default defineConfig({
  root: ROOT,
  test: {
    // Most of the end-to-end tests wait for a process; one worker per core would wait with them.
    maxWorkers: 3,
    sequence: { sequencer: FileOrder },
    reporters:
      process.env['HOLDFAST_TEST_REPORT'] === undefined
        ? ['default']
        : ['default', ['json', { outputFile: process.env['HOLDFAST_TEST_REPORT'] }]],
    projects: [
      {
        test: {
          name: 'unit',
          ...SHARED,
          root: ROOT,
          include: ['test/**/*.test.ts'],
          exclude: ['test/{e2e,system,browser,packages,long}/**'],
          execArgv: ['--expose-gc'],
          env: { TZ: 'UTC', ...NO_CACHE },
        },
      },
      {
        test: {
          name: 'postgres',
          ...SHARED,
          root: ROOT,
          globalSetup: ['test/lab/postgres-setup.ts'],
          include: ['test/service/{admin,api,auth,doors,publish,update}/**/*.test.ts'],
          execArgv: ['--expose-gc'],
          env: { TZ: 'UTC', HOLDFAST_TEST_STORE: 'postgres', ...NO_CACHE },
        },
      },
      {
        test: {
          name: 'e2e',
          root: ROOT,
          globalSetup: ['test/lab/code-cache.ts'],
          include: ['test/e2e/**/*.test.ts'],
          ...PATIENT,
          env: NO_CACHE,
        },
      },
      {
        test: {
          name: 'system',
          root: ROOT,
          include: ['test/system/**/*.test.ts'],
          ...PATIENT,
          env: NO_CACHE,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'long',
          root: ROOT,
          globalSetup: ['test/lab/code-cache.ts'],
          include: ['test/long/**/*.test.ts'],
          ...PATIENT,
          env: NO_CACHE,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'packages',
          root: ROOT,
          globalSetup: ['test/lab/packages-folder.ts'],
          include: ['test/packages/**/*.test.ts'],
          ...PATIENT,
          env: NO_CACHE,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'browser',
          root: ROOT,
          include: ['test/browser/**/*.test.ts'],
          ...PATIENT,
          env: NO_CACHE,
          fileParallelism: false,
        },
      },
    ],
  },
})
