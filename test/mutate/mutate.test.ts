import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { instrumented, mutantsOf } from './instrument.ts'
import { testsThatLoad } from './reach.ts'
import { type Fate, fatesOf, measured, mutantsIn } from './run.ts'
import { compared } from './survivors.ts'

/** A project of one source and one test file, run with every mutant. */
async function outcomeOf(source: string, test: string): Promise<readonly Fate[]> {
  const root = mkdtempSync(`${tmpdir()}/mutate-`)
  onTestFinished(() => rmSync(root, { recursive: true }))
  mkdirSync(`${root}/src`)
  symlinkSync(fileURLToPath(new URL('../../node_modules', import.meta.url)), `${root}/node_modules`)
  writeFileSync(`${root}/src/tiny.ts`, source)
  writeFileSync(
    `${root}/tiny.test.ts`,
    `import { expect, it } from 'vitest'\nimport * as tiny from './src/tiny.ts'\n${test}`,
  )
  const project = { root, files: ['src/tiny.ts'], tests: ['tiny.test.ts'] }
  const mutants = mutantsIn(project)
  const measures = await measured(project, mutants, () => {})
  return fatesOf(project, mutants, { measures, chosen: mutants })
}
const fatesIn = (fates: readonly Fate[]): Record<string, string> =>
  Object.fromEntries(fates.map(({ mutant, killedBy }) => [mutant.mutated, killedBy ?? 'survived']))

describe('a mutation run', () => {
  it('kills mutants that a test detects; a boundary that is not tested survives', async () => {
    const fates = await outcomeOf(
      'export const isAdult = (age: number): boolean => age >= 18\n',
      "it('tells 30 from 3', () => expect([30, 3].map(tiny.isAdult)).toEqual([true, false]))",
    )
    expect(fatesIn(fates)).toEqual({
      'export const isAdult = (age: number): boolean => age > 18': 'survived',
      'export const isAdult = (age: number): boolean => age < 18': 'tells 30 from 3',
      'export const isAdult = (age: number): boolean => age >= 19': 'survived',
      'export const isAdult = (age: number): boolean => age >= 17': 'survived',
    })
  })

  it('mutates code that runs when a module is loaded', async () => {
    const fates = await outcomeOf(
      "export const [LIMIT, NAME] = [5, 'name']\n",
      "it('has a limit', () => expect(tiny.LIMIT).toBe(5))",
    )
    expect(fatesIn(fates)).toEqual({
      "export const [LIMIT, NAME] = [6, 'name']": 'has a limit',
      "export const [LIMIT, NAME] = [4, 'name']": 'has a limit',
      "export const [LIMIT, NAME] = [5, '']": 'survived',
    })
  })

  it('ends a loop that a mutant made endless', async () => {
    const fates = await outcomeOf(
      'export function count(to: number): number {\n  let n = 0\n  while (n < to) n++\n  return n\n}\n',
      "it('counts', () => expect(tiny.count(3)).toBe(3))",
    )
    expect(fatesIn(fates)).toMatchObject({ 'while (n < to) n--': 'counts', 'while (n < to)': 'counts' })
  })

  it('does not count a failure that an earlier mutant caused for the next mutant', async () => {
    const fates = await outcomeOf(
      'const seen: number[] = []\nexport const see = (n: number): number => {\n  if (n > 5) seen.push(n)\n  return seen.length\n}\n',
      "it('keeps none', () => expect(tiny.see(1)).toBe(0))",
    )
    expect(fatesIn(fates)).toMatchObject({
      'if (true) seen.push(n)': expect.any(String),
      'if (n >= 5) seen.push(n)': 'survived',
    })
    expect(fatesIn(fates)['if (true) seen.push(n)']).not.toBe('survived')
  })
})

it.each([
  ['const a = b?.c.filter((x) => x)[0]', 'const a = b.c.filter((x) => x)[0]'],
  ['const a = b ?? c', 'const a = (b) && (c)'],
  ['const a = { ...(b && { b }) }', 'const a = { ...(undefined) }'],
  ['const a = isBefore(b, c)', 'const a = !isBefore(c, b)'],
  ["type A = 'b'; const a: A = 'b'", "type A = 'b'; const a: A = ''"],
])('a mutant of %s is %s', (source, mutated) => {
  expect(mutantsOf(source).map((mutant) => mutant.mutated)).toContain(mutated)
})

it.each([
  "import { a } from 'b'",
  "type A = 'b' | 1",
  "const [a = ''] = b",
  "throw new Error('text for people')",
])('nothing is mutated in %s', (source) => expect(mutantsOf(source)).toEqual([]))

it('the instrumented source contains each mutant once, with ids from the given one', () => {
  expect(instrumented('const a = b < 2', 7)).toBe(
    'const a = (__mutant(7)?(b <= 2):__mutant(8)?(b >= 2):(b < (__mutant(9)?(3):__mutant(10)?(1):(2))))',
  )
})

it('reports survivors without an explanation, and explanations that are no longer true', () => {
  const mutant = { id: 1, file: 'a.ts', line: 3, original: 'a < b', mutated: 'a <= b' }
  const entry = { file: 'a.ts', original: 'a < b', mutated: 'a <= b', why: 'they are never equal' }
  expect(compared([mutant], [])).toEqual({ unexplained: [mutant], outdated: [] })
  expect(compared([mutant], [entry])).toEqual({ unexplained: [], outdated: [] })
  expect(compared([], [entry])).toEqual({ unexplained: [], outdated: [entry] })
})

it('finds the tests that load a file, through others too', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const tests = [
    'test/shared/protocol/reply.test.ts',
    'test/scenario/day.test.ts',
    'test/shared/base/nearest.test.ts',
  ]
  expect(testsThatLoad(root, tests, new Set(['src/shared/protocol/reply.ts']))).toEqual(tests.slice(0, 2))
})
