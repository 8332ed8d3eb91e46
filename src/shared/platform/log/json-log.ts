import { pino } from 'pino'
import type { Level } from '../../base/level.ts'
import type { Log } from '../../ports/log.ts'
import { writeLine } from './log.ts'

/** A log for programs: one JSON object per line (JSON Lines). */
export function jsonLog(fd: number, threshold: Level): Log {
  const logger = pino(
    {
      level: threshold,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      messageKey: 'msg',
    },
    { write: (line) => writeLine(fd, line) },
  )
  return (level, msg, { fields = {} } = {}) => logger[level](fields, msg)
}
