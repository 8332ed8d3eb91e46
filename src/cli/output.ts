import { isatty } from 'node:tty'
import { lineLog, styleOf } from '../platform/log.ts'
import type { Owner } from '../platform/owner.ts'
import type { Level } from '../base/level.ts'
import type { Log } from '../ports/log.ts'
import type { Exit } from './exit-codes.ts'
import type { Failure } from './settings.ts'
import { writeError, writeOut } from './streams.ts'

const STDERR = 2

/** The log of a command: standard error, in the form that its reader understands. */
export async function logTo(level: Level, asJson: boolean): Promise<Log> {
  if (asJson) return (await import('../platform/json-log.ts')).jsonLog(STDERR, level)
  return lineLog(STDERR, level, styleOf(STDERR, isatty(STDERR), process.env['JOURNAL_STREAM']))
}

export const print = (...lines: readonly string[]): void => {
  if (lines.length > 0) writeOut(`${lines.join('\n')}\n`)
}

export const printJson = (value: unknown): void => print(JSON.stringify(value))

/** What went wrong before anything could be done, and the exit that goes with it. */
export function fail({ exit, says }: Failure, asJson: boolean): Exit {
  if (asJson) printJson({ exit, complaints: says })
  for (const line of says) writeError(`holdfast: ${line}\n`)
  return exit
}

/** Somebody else keeps the state folder, and neither answers nor ends. */
export const busy = ({ pid, socket }: Owner): Failure => ({
  // Where one daemon stays, starting a second one again cannot help.
  exit: socket === undefined ? 'unreached' : 'configuration',
  says: [
    `${pid === undefined ? 'another process' : `process ${pid}`} keeps this state folder and does not answer; end it, or use another --state-dir`,
  ],
})

/** A bug in Holdfast, with where it is. */
export function logFault(log: Log, says: string, error: unknown): void {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
  log('error', says, { error: stack }, `${says}: ${stack}`)
}
