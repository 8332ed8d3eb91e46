import { readFileSync } from 'node:fs'
import { isShared } from '../../lab/stores.ts'
import { isLarge, oneOfEach } from '../../large.ts'

export interface Cell {
  readonly door: string
  readonly credential: string
  readonly state: string
  readonly expected: string
  readonly reason: string
}

/** One cell a line, columns separated by tabs; a comment starts with "#". */
export const ROWS: readonly Cell[] = readFileSync(new URL('../doors.tsv', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [door = '', credential = '', state = '', expected = '', reason = '', ...rest] = line.split('\t')
    if (reason === '' || rest.length > 0) throw new Error(`a row has five columns: ${line}`)
    return { door, credential, state, expected, reason }
  })
  .slice(1)

/** In the column of the state: every state without a row. */
export const EVERY = '*'

/** The rows, with one for each state that `*` stands for, or with the first `most` of these. */
export const cellsOf = (
  rows: readonly Cell[],
  states: readonly string[],
  most = states.length,
): readonly Cell[] =>
  rows.flatMap((row) => {
    if (row.state !== EVERY) return [row]
    const own = rows.filter(({ door, credential }) => door === row.door && credential === row.credential)
    return states
      .filter((state) => !own.some((one) => one.state === state))
      .slice(0, most)
      .map((state) => ({ ...row, state }))
  })

const answerOf = ({ door, credential, expected }: Cell): string => [door, credential, expected].join(' ')

/**
 * Of the states that `*` stands for, a run drives one; on PostgreSQL, where each cell makes a database, it drives one cell
 * of each answer to a credential at a door. The large run drives every cell.
 */
export const drivenOf = (rows: readonly Cell[], states: readonly string[]): readonly Cell[] => {
  const cells = cellsOf(rows, states, isLarge ? undefined : 1)
  return isShared() ? oneOfEach(cells, answerOf) : cells
}
