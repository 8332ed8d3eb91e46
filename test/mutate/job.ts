/** What a worker is to do with the tests of one file. */
export interface Job {
  readonly kind: 'measure' | 'run' | 'load'
  readonly root: string
  readonly file: string
  /** The id of the first mutant of each file that has any. */
  readonly first: Readonly<Record<string, number>>
  readonly tasks: readonly Task[]
}

/** One mutant, and the tests that may kill it, by their place in the file. */
export interface Task {
  readonly id: number
  readonly tests: readonly number[]
  /** How long one of them may take, in milliseconds. */
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
  /** A test that failed with this mutant fails without it now. */
  | { readonly kind: 'broken'; readonly id: number }
  | { readonly kind: 'failed'; readonly because: string }
  | { readonly kind: 'done' }
