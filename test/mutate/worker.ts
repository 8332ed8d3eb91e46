import { readFileSync } from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type Test, collected, endSuites, runTest } from './harness.ts'
import { instrumented } from './instrument.ts'
import type { FromWorker, Job, Measured } from './job.ts'

/** A separate process for the tests of one file: `measure` them, then `run` them with one mutant after the other. */

let active = 0
let hits = 0
let reached = new Set<number>()
let hasMutants = false

/** Above this, a mutant made a loop endless; no test comes close. */
const MAX_HITS = 5_000_000

Object.assign(globalThis, {
  __mutant: (id: number): boolean => {
    if (active === 0) reached.add(id)
    if (id !== active) return false
    if (++hits > MAX_HITS) throw new Error('endless')
    return true
  },
})

let stray: unknown
for (const kind of ['uncaughtException', 'unhandledRejection'] as const)
  process.on(kind, (error: unknown) => (stray = error))

const tell = (message: FromWorker): void => void process.send?.(message)

/** Every import gets a number, so that a file can be loaded again with all that it imports. */
function hook({ root, first }: Pick<Job, 'root' | 'first'>): void {
  const base = pathToFileURL(`${root}/`).href
  const harness = new URL('harness.ts', import.meta.url).href
  const compiled = new Map<string, string>()
  const isOurs = (url: string): boolean => url.startsWith(base) && !url.includes('/node_modules/')
  const compile = (url: string): string => {
    const path = fileURLToPath(url.replace(/\?.*/, ''))
    const source = readFileSync(path, 'utf8')
    const id = first[path.slice(root.length + 1)]
    hasMutants ||= id !== undefined
    return stripTypeScriptTypes(id === undefined ? source : instrumented(source, id))
  }
  registerHooks({
    resolve: (specifier, context, next) => {
      const parent = context.parentURL ?? ''
      const generation = /\?load=\d+$/.exec(parent)?.[0]
      if (specifier === 'vitest' && generation !== undefined) return { url: harness, shortCircuit: true }
      const found = next(specifier, context)
      return generation !== undefined && isOurs(found.url) && found.url.endsWith('.ts')
        ? { ...found, url: found.url + generation }
        : found
    },
    load: (url, context, next) => {
      if (!/\?load=\d+$/.test(url)) return next(url, context)
      const plain = url.replace(/\?load=\d+$/, '')
      const source = compiled.get(plain) ?? compile(plain)
      compiled.set(plain, source)
      return { format: 'module', source, shortCircuit: true }
    },
  })
}

let loads = 0
const load = async ({ root, file }: Job): Promise<readonly Test[]> =>
  collected(async () => import(`${pathToFileURL(`${root}/${file}`).href}?load=${++loads}`))

/** Whether the test passes, within its time. */
async function passes(test: Test, limit: number): Promise<boolean> {
  stray = undefined
  hits = 0
  const over = new AbortController()
  const late = new Promise<boolean>((done) => {
    const timer = setTimeout(() => done(false), limit)
    over.signal.addEventListener('abort', () => clearTimeout(timer))
  })
  const result = runTest(test).then(
    () => stray === undefined,
    () => false,
  )
  const isRight = await Promise.race([result, late])
  over.abort()
  return isRight
}

const MAX_TEST_TIME = 30_000

async function measure(job: Job): Promise<void> {
  reached = new Set()
  const tests = await load(job)
  const atLoad = [...reached]
  if (!hasMutants) return tell({ kind: 'measured', atLoad: [], tests: [] })
  const measured: Measured[] = []
  for (const [index, test] of tests.entries()) {
    reached = new Set()
    const start = performance.now()
    const isRightAtFirst = await passes(test, MAX_TEST_TIME)
    const took = performance.now() - start
    // A test that passes only once would seem to kill each mutant.
    const isRight = isRightAtFirst && (await passes(test, MAX_TEST_TIME))
    measured.push({ index, title: test.title, took, isRight, reached: [...reached] })
  }
  tell({ kind: 'measured', atLoad, tests: measured })
  await endSuites(tests)
}

/** Runs the tests that reach each mutant, fastest first, until one fails. */
async function run(job: Job): Promise<void> {
  const tests = await load(job)
  for (const { id, tests: chosen, limit } of job.tasks) {
    tell({ kind: 'at', id })
    const killer = await firstFailing(tests, chosen, { id, limit })
    active = 0
    if (killer === undefined) tell({ kind: 'lived', id })
    else if (await passes(killer, limit)) tell({ kind: 'killed', id, by: killer.title })
    // Effects of this mutant would fail the tests of the next mutants too.
    else return tell({ kind: 'broken', id })
  }
  await endSuites(tests)
}

/** The same for code that runs while a module is loaded: all modules are loaded again for each mutant. */
async function runLoaded(job: Job): Promise<void> {
  for (const { id, tests: chosen, limit } of job.tasks) {
    tell({ kind: 'at', id })
    active = id
    try {
      const tests = await load(job)
      const killer = await firstFailing(tests, chosen, { id, limit })
      await endSuites(tests)
      if (killer === undefined) tell({ kind: 'lived', id })
      else tell({ kind: 'killed', id, by: killer.title })
    } catch {
      tell({ kind: 'killed', id, by: 'loading' })
    }
    active = 0
  }
}

async function firstFailing(
  tests: readonly Test[],
  chosen: readonly number[],
  { id, limit }: { readonly id: number; readonly limit: number },
): Promise<Test | undefined> {
  for (const index of chosen) {
    const test = tests[index]
    if (test === undefined) continue
    active = id
    if (!(await passes(test, limit))) return test
  }
  return undefined
}

process.once('message', (job: Job) => {
  hook(job)
  const work = { measure, run, load: runLoaded }[job.kind]
  void work(job)
    .catch((error: unknown) =>
      tell({ kind: 'failed', because: error instanceof Error ? String(error.stack) : String(error) }),
    )
    .then(() => process.send?.({ kind: 'done' } satisfies FromWorker, () => process.exit()))
})
