import { readFileSync } from 'node:fs'
import type { FileMutant } from './run.ts'

/** A mutant that no test kills, and why: it has no visible or no relevant effect, or the test is missing. */
export interface Explained {
  readonly file: string
  readonly original: string
  readonly mutated: string
  readonly why: string
}

export function readExplained(path: string): readonly Explained[] {
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [file = '', original = '', mutated = '', why = ''] = line.split('\t')
      if (why.trim() === '') throw new Error(`${path}: no reason in "${line}"`)
      return { file, original, mutated, why }
    })
}

export const lineOf = ({ file, original, mutated }: Omit<Explained, 'why'>): string =>
  [file, original, mutated].join('\t')

export interface Compared {
  /** Survivors that are not in the list, each line once. */
  readonly unexplained: readonly FileMutant[]
  /** Entries whose mutants are killed now, or gone. */
  readonly outdated: readonly Explained[]
}

/** Equal lines of one file have one entry. It is valid while one of them survives. */
export function compared(survivors: readonly FileMutant[], explained: readonly Explained[]): Compared {
  const known = new Set(explained.map(lineOf))
  const alive = new Map(survivors.map((mutant) => [lineOf(mutant), mutant]))
  return {
    unexplained: [...alive.values()].filter((mutant) => !known.has(lineOf(mutant))),
    outdated: explained.filter((entry) => !alive.has(lineOf(entry))),
  }
}
