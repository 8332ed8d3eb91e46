import { EXITS, type Exit } from '../app/exit-codes.ts'
import type { Failure } from '../app/failure.ts'
import { writeError, writeOut } from '../app/streams.ts'

export const print = (...lines: readonly string[]): void => {
  if (lines.length > 0) writeOut(`${lines.join('\n')}\n`)
}

export const printJson = (value: unknown): void => print(JSON.stringify(value))

/** What went wrong before anything could be done, and the exit that goes with it. */
export function fail({ exit, messages }: Failure, asJson: boolean): Exit {
  if (asJson) printJson({ exit, complaints: messages })
  for (const line of messages) writeError(`holdfast: ${line}\n`)
  return exit
}

/** How a command ended, for programs; `meaning` says it in words where the table's own do not fit. */
export const exitResult = (exit: Exit, meaning: string = EXITS[exit].meaning) => ({
  code: EXITS[exit].code,
  reason: exit,
  meaning,
})
