import { isatty } from 'node:tty'
import type { Level } from '../base/level.ts'
import { lineLog, styleOf } from '../platform/log.ts'
import type { Log } from '../ports/log.ts'

const STDERR = 2

/** The log of a command: standard error, in the form that its reader understands. */
export async function logTo(level: Level, asJson: boolean): Promise<Log> {
  if (asJson) return (await import('../platform/json-log.ts')).jsonLog(STDERR, level)
  return lineLog(STDERR, level, styleOf(STDERR, isatty(STDERR), process.env['JOURNAL_STREAM']))
}

/** A bug in Holdfast, with where it is. */
export function logFault(log: Log, says: string, error: unknown): void {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
  log('error', says, { fields: { error: stack }, line: `${says}: ${stack}` })
}
