import { isatty } from 'node:tty'
import type { Level } from '../base/level.ts'
import { lineLog, styleOf } from '../platform/log/log.ts'
import type { Log } from '../ports/log.ts'

const STDERR = 2

/** The log of a command on standard error: JSON, or lines in the style for a terminal, the journal or a file. */
export async function logTo(level: Level, asJson: boolean): Promise<Log> {
  if (asJson) return (await import('../platform/log/json-log.ts')).jsonLog(STDERR, level)
  return lineLog(STDERR, level, styleOf(STDERR, isatty(STDERR), process.env['JOURNAL_STREAM']))
}

/** Logs a bug that does not end the program, with its stack. */
export function logBug(log: Log, message: string, error: unknown): void {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
  log('error', message, { fields: { error: stack }, line: `${message}: ${stack}` })
}
