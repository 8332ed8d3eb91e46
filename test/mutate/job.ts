/** The work of one process: the tests of one file. */
export interface Job {
  readonly kind: 'measure' | 'run' | 'load'
  readonly root: string
  readonly file: string
  /** The id of the first mutant of each file with mutants. */
  readonly first: Readonly<Record<string, number>>
  readonly tasks: readonly Task[]
}

/** One mutant, and the tests that can kill it, by their index in the file. */
export interface Task {
  readonly id: number
  readonly tests: readonly number[]
  /** The time limit of one test, in milliseconds. */
  readonly limit: number
}

/** One test without any mutant. */
export interface Measured {
  readonly index: number
  readonly title: string
  /** In milliseconds. */
  readonly took: number
  readonly isRight: boolean
  readonly reached: readonly number[]
}

export type FromWorker =
  | { readonly kind: 'measured'; readonly atLoad: readonly number[]; readonly tests: readonly Measured[] }
  | { readonly kind: 'at'; readonly id: number }
  | { readonly kind: 'lived'; readonly id: number }
  | { readonly kind: 'killed'; readonly id: number; readonly by: string }
  /** A test that failed with this mutant now fails without it. */
  | { readonly kind: 'broken'; readonly id: number }
  | { readonly kind: 'failed'; readonly because: string }
  | { readonly kind: 'done' }
