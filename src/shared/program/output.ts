import { type Exit, EXITS, type Failure } from './exit-codes.ts'
import { tryToWriteOut, writeError, writeOut } from './streams.ts'

/** The lines of a text for a terminal: long ones are continued below, deeper than they begin. */
export const wrapped = (lines: readonly string[], width: number): readonly string[] =>
  lines.flatMap((line) => wrapLine(line, width))

function wrapLine(line: string, width: number): readonly string[] {
  if (line.length <= width) return [line]
  const indent = /^ */.exec(line)?.[0] ?? ''
  const output: string[] = []
  let current = ''
  // Blanks within a line are those of a table.
  for (const word of line.slice(indent.length).split(' ')) {
    const start = output.length === 0 ? indent : `${indent}  `
    const longer = current === '' ? `${start}${word}` : `${current} ${word}`
    if (longer.length <= width || current === '') current = longer
    else {
      output.push(current)
      current = `${indent}  ${word}`
    }
  }
  return [...output, current]
}

export const print = (...lines: readonly string[]): void => {
  if (lines.length > 0) writeOut(`${lines.join('\n')}\n`)
}

/** The same, in a terminal with lines that fit. */
export const printWrapped = (...lines: readonly string[]): void => {
  const { isTTY, columns } = process.stdout
  print(...(isTTY ? wrapped(lines, Math.max(40, columns)) : lines))
}

/** In a terminal, in the place of what is shown (ECMA-48: cursor to the first line, and erase what is below). */
export const printInPlace = (...lines: readonly string[]): void => {
  const { isTTY, columns, rows } = process.stdout
  if (!isTTY) return print(...lines)
  const all = wrapped(lines, Math.max(40, columns))
  // The last row is that of the cursor: one line more would scroll the first one away.
  // A serial console does not know its size.
  const room = rows > 0 ? Math.max(2, rows - 1) : all.length
  const shown =
    all.length <= room
      ? all
      : [...all.slice(0, room - 1), `… and ${all.length - room + 1} more lines; enlarge the window`]
  writeOut('\u001b[H\u001b[J')
  print(...shown)
}

/** Resolves with the error if not all of the lines were written. */
export const tryToPrint = async (...lines: readonly string[]): Promise<NodeJS.ErrnoException | undefined> =>
  lines.length === 0 ? undefined : tryToWriteOut(`${lines.join('\n')}\n`)

export const printJson = (value: unknown): void => print(JSON.stringify(value))

/** Reports why a command cannot start: on standard error, and with --json on standard output too. */
export function fail({ exit, messages }: Failure, asJson: boolean): Exit {
  if (asJson) printJson({ exit, complaints: messages })
  for (const message of messages) writeError(`holdfast: ${message}\n`)
  return exit
}

/** The exit of a command for JSON output; `meaning` replaces the text of the table where that does not fit. */
export const exitResult = (exit: Exit, meaning: string = EXITS[exit].meaning) => ({
  code: EXITS[exit].code,
  reason: exit,
  meaning,
})
