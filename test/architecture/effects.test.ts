import { expect, it } from 'vitest'
import { FILES } from './sources.ts'

/** Clocks, timers and random numbers of the process, which no simulation can draw. */
const EFFECT =
  /\b(?:setTimeout|setInterval|setImmediate|Math\.random|Date\.now|performance\.now|process\.hrtime|AbortSignal\.timeout|random(?:Bytes|Int|UUID)|getRandomValues)\b|new Date\(\)|node:timers/

/** Rooms whose clocks are ports already. The rest belongs to the service. */
const ROOMS = /^(?!platform\/)(?!server\/)(?!app\/service\/)/

/** The script of a page, which a browser runs. */
const OF_BROWSERS = ['app/client/page/script.ts']

/** The rooms of the service, which have no ports for these yet. No file is added. */
// biome-ignore format: a table
const OF_THE_SERVICE = [
  'app/service/admin/operator-changes.ts',
  'app/service/http/handlers.ts',
  'app/service/http/sites.ts',
  'app/service/measured.ts',
  'app/service/publishing/flusher.ts',
  'app/service/publishing/notify-sender.ts',
  'app/service/publishing/publishing.ts',
  'app/service/publishing/snapshots.ts',
  'app/service/publishing/untold.ts',
  'app/service/readiness.ts',
  'app/service/start.ts',
  'app/service/store/hash-key.ts',
  'app/service/store/watch.ts',
  'server/api/answer/render.ts',
  'server/auth/hashes.ts',
  'server/http/connections.ts',
  'server/http/listen.ts',
  'server/store/postgres/batches.ts',
  'server/store/postgres/pool.ts',
  'server/store/postgres/store.ts',
  'server/store/postgres/transaction.ts',
  'server/store/sqlite/group-commit.ts',
]

const withEffects = FILES.filter(({ path, text }) => !path.startsWith('platform/') && EFFECT.test(text)).map(
  ({ path }) => path,
)

it('clocks, timers and random numbers are ports, outside the room that uses Node', () =>
  expect(withEffects.filter((path) => ROOMS.test(path))).toEqual(OF_BROWSERS))

it('no room of the service has another one', () =>
  expect(withEffects.filter((path) => !ROOMS.test(path)).toSorted()).toEqual(OF_THE_SERVICE.toSorted()))
