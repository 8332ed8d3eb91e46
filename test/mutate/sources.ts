import type { Measured, Task } from './job.ts'
import type { Measures } from './run.ts'

/** Tests of one file that may kill a mutant. */
export interface Source {
  readonly kind: 'run' | 'load'
  readonly file: string
  /** By their place in the file, quickest first. */
  readonly tests: readonly number[]
  /** What they take together, in milliseconds. */
  readonly cost: number
  readonly limit: number
  /** How long a worker with them may say nothing. */
  readonly patience: number
}

const LOADING = 200
/** A mutant has survived when the cheapest tests let it live, as many as take this long together, in milliseconds. */
const MOST = { run: 5000, load: 4000 } as const

/**
 * Where a mutant is reached: by tests, or while a file and what it imports is loaded, and then any of its tests may tell.
 * The cheapest first.
 */
export const sourcesFor = (id: number, measures: readonly Measures[]): readonly Source[] =>
  measures
    .flatMap(({ file, atLoad, tests }) => {
      const right = tests.filter(({ isRight }) => isRight).toSorted((a, b) => a.took - b.took)
      const reaching = right.filter(({ reached }) => reached.includes(id))
      const source = (kind: Source['kind'], able: readonly Measured[]): Source => {
        const chosen = within(MOST[kind], able)
        const cost = chosen.reduce((sum, { took }) => sum + took, kind === 'load' ? LOADING : 0)
        const limit = 2000 + 10 * (chosen.at(-1)?.took ?? 0)
        return {
          kind,
          file,
          tests: chosen.map(({ index }) => index),
          cost,
          limit,
          patience: 10_000 + 10 * cost + limit,
        }
      }
      return [
        ...(reaching.length > 0 ? [source('run', reaching)] : []),
        ...(atLoad.has(id) && right.length > 0 ? [source('load', right)] : []),
      ]
    })
    .toSorted((a, b) => a.cost - b.cost)
    .filter(({ kind }, at, all) => {
      const cheaper = all.slice(0, at).filter((one) => one.kind === kind)
      return cheaper.reduce((sum, { cost }) => sum + cost, 0) < MOST[kind]
    })

/** The first of them that take no longer together; always one. */
function within(most: number, tests: readonly Measured[]): readonly Measured[] {
  let sum = 0
  return tests.filter(({ took }, at) => (sum += took) <= most || at === 0)
}

export const taskOf = (id: number, { tests, limit }: Source): Task => ({ id, tests, limit })
