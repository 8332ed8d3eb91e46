import { pino } from 'pino'
import type { Level } from '../base/level.ts'
import type { Log } from '../ports/log.ts'
import { writeLine } from './log.ts'

/** A log for programs: an object for each line. */
export function jsonLog(fd: number, level: Level): Log {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      messageKey: 'says',
    },
    { write: (line) => writeLine(fd, line) },
  )
  return (at, says, fields) => logger[at](fields ?? {}, says)
}
