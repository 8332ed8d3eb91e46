import { expect, it } from 'vitest'
import { FILES } from './sources.ts'

/** Clocks, timers and random numbers of the process, which no simulation can draw. */
const EFFECT =
  /\b(?:setTimeout|setInterval|setImmediate|Math\.random|Date\.now|performance\.now|process\.hrtime|AbortSignal\.timeout|random(?:Bytes|Int|UUID)|getRandomValues)\b|new Date\(\)|node:timers/

/** The scripts of pages, which browsers run. */
const OF_BROWSERS = ['client/page/script.ts', 'service/console/script.ts']

/** Of the rooms of the service: sockets, both databases and secrets, which use Node themselves. No file is added. */
// biome-ignore format: a table
const BESIDE_NODE = [
  'service/api/answer/render.ts',
  'service/auth/hashes.ts',
  'service/http/listen.ts',
  'service/store/postgres/batches.ts',
  'service/store/postgres/counter-flush.ts',
  'service/store/postgres/pool.ts',
  'service/store/postgres/store.ts',
  'service/store/postgres/transaction.ts',
  'service/store/sqlite/group-commit.ts',
]

const withEffects = FILES.filter(
  ({ path, text }) => !path.startsWith('shared/platform/') && EFFECT.test(text),
).map(({ path }) => path)

it('clocks, timers and random numbers are ports, outside the room that uses Node', () =>
  expect(withEffects).toEqual([...OF_BROWSERS, ...BESIDE_NODE].toSorted()))
