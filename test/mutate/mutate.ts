import { execFileSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { testsThatLoad } from './reach.ts'
import { ROOMS, isMutated, isUnitTest } from './rooms.ts'
import { type Fate, type FileMutant, type Project, fatesOf, measured, mutantsIn } from './run.ts'
import { type Explained, compared, lineOf, readExplained } from './survivors.ts'

const USAGE = `npm run test:mutate -- [--only PATH] [--since COMMIT] [--sample N [--seed S]] [--list]

Makes one small change of the source at a time, and runs the tests that reach it: one of them must fail.

  --only PATH     only mutants in this file or folder
  --since COMMIT  only mutants in rooms that were changed since; in all rooms if none was
  --sample N      only N mutants, chosen at random
  --seed S        repeat the choice of an earlier run
  --list          print the survivors as lines of test/mutate/survivors.tsv
`
const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')
const LIST = 'test/mutate/survivors.tsv'

/** The same numbers for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function sampleOf<T>(all: readonly T[], count: number, seed: number): readonly T[] {
  const random = randomFrom(seed)
  const ranked = all.map((one) => ({ one, rank: random() }))
  return ranked
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, count)
    .map(({ one }) => one)
}

function roomsChangedSince(commit: string): readonly string[] {
  const changed = execFileSync('git', ['diff', '--name-only', commit, '--', ...ROOMS], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  const rooms = ROOMS.filter((room) => changed.split('\n').some((file) => file.startsWith(`${room}/`)))
  return rooms.length === 0 ? ROOMS : rooms
}

function project(rooms: readonly string[]): Project {
  const files = rooms
    .flatMap((room) => globSync(`${room}/**/*.ts`, { cwd: ROOT }))
    .filter(isMutated)
    .toSorted()
  const tests = globSync('test/**/*.test.ts', { cwd: ROOT }).filter(isUnitTest).toSorted()
  return { root: ROOT, files, tests: testsThatLoad(ROOT, tests, new Set(files)) }
}

function say(text: string): void {
  process.stderr.write(`${text}\n`)
}

function sayRooms(fates: readonly Fate[]): void {
  for (const room of ROOMS) {
    const own = fates.filter(({ mutant }) => mutant.file.startsWith(`${room}/`))
    const killed = own.filter(({ killedBy }) => killedBy !== undefined).length
    if (own.length > 0) say(`${room}: ${killed} of ${own.length} killed`)
  }
}

/** The problems of the outcome, one line each; empty if there are none. */
function complaints(
  survivors: readonly FileMutant[],
  explained: readonly Explained[],
  isWhole: boolean,
): readonly string[] {
  const { unexplained, outdated } = compared(survivors, explained)
  return [
    ...unexplained.map((one) => `survived: ${one.file}:${one.line}\n    ${one.original}\n    ${one.mutated}`),
    ...(isWhole ? outdated : []).map((one) => `in ${LIST}, and killed or gone:\n    ${lineOf(one)}`),
  ]
}

interface Attempt {
  readonly chosen: readonly FileMutant[]
  readonly elapsed: () => string
  /** Which survivors of some tests the others must be tried for. */
  readonly openOf: (lived: readonly FileMutant[]) => readonly FileMutant[]
}

/** Test files that are tried together for what the tests of its room do not notice. */
const FAR_AT_ONCE = 8

/** First the tests of the rooms themselves: they kill most mutants, and are a third of those that load the files. */
async function fatesNearFirst(
  whole: Project,
  mutants: readonly FileMutant[],
  { chosen, elapsed, openOf }: Attempt,
): Promise<readonly Fate[]> {
  const attempt = async (tests: readonly string[], open: readonly FileMutant[]): Promise<readonly Fate[]> => {
    const loading = testsThatLoad(ROOT, tests, new Set(open.map(({ file }) => file)))
    const measures = await measured({ ...whole, tests: loading }, mutants, say)
    say(`${measures.length} test files measured ${elapsed()}`)
    return fatesOf(whole, mutants, { measures, chosen: open })
  }
  const isNear = (test: string): boolean =>
    ROOMS.some((room) => test.startsWith(`${room.replace('src', 'test')}/`))
  const near = whole.tests.filter(isNear)
  const far = whole.tests.filter((test) => !isNear(test))
  const fates = new Map((await attempt(near, chosen)).map((fate) => [fate.mutant.id, fate]))
  for (let at = 0; at < far.length; at += FAR_AT_ONCE) {
    const open = openOf(survivorsOf([...fates.values()]))
    if (open.length === 0) break
    for (const fate of await attempt(far.slice(at, at + FAR_AT_ONCE), open)) fates.set(fate.mutant.id, fate)
  }
  return [...fates.values()]
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      since: { type: 'string' },
      sample: { type: 'string' },
      seed: { type: 'string', default: String(Math.floor(Math.random() * 1e6)) },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return void process.stdout.write(USAGE)
  const start = performance.now()
  const whole = project(values.since === undefined ? ROOMS : roomsChangedSince(values.since))
  const mutants = mutantsIn(whole)
  const isIn = ({ file }: { readonly file: string }): boolean => file.startsWith(values.only)
  const sample = values.sample === undefined ? Infinity : Number(values.sample)
  const chosen = sampleOf(mutants.filter(isIn), sample, Number(values.seed))
  say(
    `${chosen.length} of ${mutants.length} mutants${values.sample === undefined ? '' : `, --seed ${values.seed}`}`,
  )
  const explained = existsSync(`${ROOT}/${LIST}`) ? readExplained(`${ROOT}/${LIST}`).filter(isIn) : []
  const isWhole = values.sample === undefined && values.since === undefined
  const fates = await fatesNearFirst(whole, mutants, {
    chosen,
    elapsed: () => `after ${seconds(start)} s`,
    openOf: (lived) => (isWhole ? lived : compared(lived, explained).unexplained),
  })
  sayRooms(fates)
  const survivors = survivorsOf(fates)
  if (values.list)
    for (const one of compared(survivors, explained).unexplained) process.stdout.write(`${lineOf(one)}\t\n`)
  const wrong = complaints(survivors, explained, isWhole)
  if (!values.list) for (const line of wrong) say(line)
  const counts = `${fates.length - survivors.length} killed, ${survivors.length} survived`
  say(`${counts}; ${wrong.length} not explained or no longer true; ${seconds(start)} s`)
  process.exitCode = wrong.length === 0 ? 0 : 1
}

const survivorsOf = (fates: readonly Fate[]): readonly FileMutant[] =>
  fates.filter(({ killedBy }) => killedBy === undefined).map(({ mutant }) => mutant)

const seconds = (start: number): number => Math.round((performance.now() - start) / 1000)

await main()
