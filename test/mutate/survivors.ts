import { readFileSync } from 'node:fs'
import type { FileMutant } from './run.ts'

/** A mutant that no test need kill, and why: it changes nothing that can be seen, or nothing that matters. */
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
  /** Survivors that the list does not have, each line once. */
  readonly unexplained: readonly FileMutant[]
  /** Of the list: killed now, or gone. */
  readonly outdated: readonly Explained[]
}

/** Lines that are alike in one file have one entry, which is true while one of them survives. */
export function compared(survivors: readonly FileMutant[], explained: readonly Explained[]): Compared {
  const known = new Set(explained.map(lineOf))
  const alive = new Map(survivors.map((mutant) => [lineOf(mutant), mutant]))
  return {
    unexplained: [...alive.values()].filter((mutant) => !known.has(lineOf(mutant))),
    outdated: explained.filter((entry) => !alive.has(lineOf(entry))),
  }
}
