import type { Measured, Task } from './job.ts'
import type { FileMutant, Measures } from './run.ts'

/** Tests of one file that can kill a mutant. */
export interface Source {
  readonly kind: 'run' | 'load'
  readonly file: string
  /** By their index in the file, fastest first. */
  readonly tests: readonly number[]
  /** The time of all of them, in milliseconds. */
  readonly cost: number
  readonly limit: number
  /** A worker that sends no message for this time is killed, in milliseconds. */
  readonly patience: number
}

const LOADING = 200
/** A mutant survives if the fastest tests pass, up to this total time, in milliseconds. */
const MAX_COST = { run: 5000, load: 8000 } as const

/**
 * The tests that reach a mutant: those of its room and of the specification, then the others, fastest first. If it is reached while
 * the file is loaded, these are all tests of the file.
 */
export const sourcesFor = (
  { id, file: mutated }: Pick<FileMutant, 'id' | 'file'>,
  measures: readonly Measures[],
): readonly Source[] =>
  measures
    .flatMap(({ file, atLoad, tests }) => {
      const right = tests.filter(({ isRight }) => isRight).toSorted((a, b) => a.took - b.took)
      const reaching = right.filter(({ reached }) => reached.includes(id))
      const source = (kind: Source['kind'], able: readonly Measured[]): Source => {
        const chosen = within(MAX_COST[kind], able)
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
    .toSorted((a, b) => rankOf(a.file, mutated) - rankOf(b.file, mutated) || a.cost - b.cost)
    .filter(({ kind }, at, all) => {
      const cheaper = all.slice(0, at).filter((one) => one.kind === kind)
      return cheaper.reduce((sum, { cost }) => sum + cost, 0) < MAX_COST[kind]
    })

/** Many files load a table without a test of it. */
function rankOf(test: string, mutated: string): number {
  const room = mutated.replace(/^src\//, 'test/').replace(/\/[^/]*$/, '/')
  return test.startsWith(room) || test.startsWith('test/spec/') ? 0 : 1
}

/** The first tests up to this total time; at least one. */
function within(max: number, tests: readonly Measured[]): readonly Measured[] {
  let sum = 0
  return tests.filter(({ took }, at) => (sum += took) <= max || at === 0)
}

export const taskOf = (id: number, { tests, limit }: Source): Task => ({ id, tests, limit })
