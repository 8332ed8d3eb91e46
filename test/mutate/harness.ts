import { chai, expect as realExpect, vi } from 'vitest'

/** What a test file gets as "vitest" in a mutation run: it only collects, so that one test can be run many times. */
type Body = (...values: readonly unknown[]) => unknown

export interface Suite {
  readonly parent: Suite | undefined
  readonly before: Body[]
  readonly after: Body[]
  readonly beforeEach: Body[]
  readonly afterEach: Body[]
  /** Whether its `beforeAll` ran. */
  hasBegun: boolean
}

export interface Test {
  readonly title: string
  readonly suite: Suite
  readonly body: Body
}

const newSuite = (parent: Suite | undefined): Suite => ({
  parent,
  before: [],
  after: [],
  beforeEach: [],
  afterEach: [],
  hasBegun: false,
})

let suite = newSuite(undefined)
let tests: Test[] = []
let finishers: Body[] = []

/** The tests that a file states while it is loaded. */
export async function collected(load: () => Promise<unknown>): Promise<readonly Test[]> {
  suite = newSuite(undefined)
  tests = []
  await load()
  return tests
}

/** Runs a test with everything around it; what it throws is its failure. */
export async function runTest({ suite: own, body }: Test): Promise<void> {
  const suites = outward(own).toReversed()
  for (const one of suites) await begin(one)
  finishers = []
  const undo: unknown[] = []
  try {
    for (const hook of suites.flatMap((one) => one.beforeEach)) undo.push(await hook())
    await body(context)
  } finally {
    for (const hook of finishers.toReversed()) await hook()
    for (const hook of outward(own).flatMap((one) => one.afterEach)) await hook()
    for (const hook of undo.toReversed()) if (typeof hook === 'function') await (hook as Body)()
  }
}

export async function endSuites(all: readonly Test[]): Promise<void> {
  for (const one of new Set(all.flatMap((test) => outward(test.suite))))
    if (one.hasBegun) for (const hook of one.after) await hook()
}

async function begin(one: Suite): Promise<void> {
  if (one.hasBegun) return
  one.hasBegun = true
  for (const hook of one.before) {
    const end = await hook()
    if (typeof end === 'function') one.after.push(end as Body)
  }
}

const outward = (one: Suite): readonly Suite[] => [
  one,
  ...(one.parent === undefined ? [] : outward(one.parent)),
]

type Titled = (title: unknown, ...rest: readonly unknown[]) => void

/** The function of `it(title, options?, body, timeout?)`. */
const bodyOf = (rest: readonly unknown[]): Body | undefined =>
  rest.find((one): one is Body => typeof one === 'function')

function repeated(state: (title: string, body: Body) => void) {
  const plain: Titled = (title, ...rest) => {
    const body = bodyOf(rest)
    if (body !== undefined) state(String(title), body)
  }
  const each =
    (rows: readonly unknown[]): Titled =>
    (title, ...rest) =>
      rows.forEach((row, at) => {
        const values: readonly unknown[] = Array.isArray(row) ? (row as unknown[]) : [row]
        const body = bodyOf(rest)
        if (body !== undefined) state(`${String(title)} [${at}]`, () => body(...values))
      })
  const nothing = Object.assign(() => {}, { each: () => () => {} })
  const conditional = (isSkipped: boolean): Titled => (isSkipped ? nothing : all)
  const all = Object.assign(plain, {
    each,
    skip: nothing,
    skipIf: (condition: unknown) => conditional(Boolean(condition)),
    runIf: (condition: unknown) => conditional(!condition),
  })
  return all
}

export const it = repeated((title, body) => void tests.push({ title, suite, body }))
export const test = it
export const describe = repeated((_, body) => {
  const outer = suite
  suite = newSuite(outer)
  body()
  suite = outer
})

export const beforeAll = (hook: Body): void => void suite.before.push(hook)
export const afterAll = (hook: Body): void => void suite.after.push(hook)
export const beforeEach = (hook: Body): void => void suite.beforeEach.push(hook)
export const afterEach = (hook: Body): void => void suite.afterEach.push(hook)
export const onTestFinished = (hook: Body): void => void finishers.push(hook)

/** What a global setup provides; here none runs. */
export const inject = (): undefined => undefined

/** Asks again and again, as `expect.poll` does; the one that ships needs a worker of vitest. */
const poll = (
  value: () => unknown,
  options: { readonly timeout?: number; readonly interval?: number } = {},
): unknown => {
  const end = performance.now() + (options.timeout ?? 1000)
  const matching = async (path: readonly PropertyKey[], values: readonly unknown[]): Promise<void> => {
    for (;;) {
      try {
        const last = path
          .slice(0, -1)
          .reduce((at: unknown, name) => Reflect.get(at as object, name), realExpect(await value()))
        await (Reflect.get(last as object, path.at(-1) ?? '') as Body).apply(last, [...values])
        return
      } catch (error) {
        if (performance.now() > end) throw error
        await new Promise((done) => setTimeout(done, options.interval ?? 50))
      }
    }
  }
  const at = (path: readonly PropertyKey[]): unknown =>
    new Proxy(() => {}, {
      get: (_, name) => at([...path, name]),
      apply: async (_, __, values) => matching(path, values as unknown[]),
    })
  return at([])
}

export const expect = new Proxy(realExpect, {
  get: (target, name) => (name === 'poll' ? poll : (Reflect.get(target, name) as unknown)),
})
const context = { expect, onTestFinished }
export { chai, vi }
