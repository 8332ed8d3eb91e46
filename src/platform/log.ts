import { fstatSync, writeSync } from 'node:fs'
import { type DestinationStream, pino } from 'pino'
import type { Level } from '../base/level.ts'
import type { Log } from '../ports/log.ts'

/** sd-daemon(3): journald reads the priority from "<N>" at the start of a line. */
const PRIORITY: Readonly<Record<Level, number>> = { trace: 7, debug: 7, info: 6, warn: 4, error: 3 }

export type LogStyle = 'terminal' | 'journal' | 'json'

/** What the reader at the other end of this file descriptor understands. */
export function styleOf(fd: number, isTerminal: boolean, journalStream: string | undefined): LogStyle {
  if (isTerminal) return 'terminal'
  return journalStream !== undefined && journalStream === identityOf(fd) ? 'journal' : 'terminal'
}

function identityOf(fd: number): string {
  const { dev, ino } = fstatSync(fd)
  return `${dev}:${ino}`
}

/** A log on a file descriptor, written at once: what was said before a crash is there after it. */
export function pinoLog(fd: number, level: Level, style: LogStyle): Log {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: style === 'json' ? () => `,"time":"${new Date().toISOString()}"` : false,
      messageKey: 'says',
    },
    style === 'json' ? lines(fd, (line) => line) : lines(fd, (line) => readable(line, style)),
  )
  return (at, says, fields) => logger[at](fields ?? {}, says)
}

/** A pipe whose reader is gone is no reason to end: the work goes on without an audience. */
const lines = (fd: number, render: (line: string) => string): DestinationStream => ({
  write(line) {
    try {
      writeSync(fd, render(line))
    } catch (error) {
      if (!['EPIPE', 'EAGAIN'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    }
  },
})

const LEVEL_BY_NUMBER: Readonly<Record<number, Level>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
}

function readable(line: string, style: Exclude<LogStyle, 'json'>): string {
  const { level, says, ...fields } = JSON.parse(line) as Record<string, unknown>
  const name = LEVEL_BY_NUMBER[Number(level)] ?? 'info'
  const facts = Object.entries(fields).map(
    ([key, value]) => ` ${key}=${typeof value === 'string' ? quoted(value) : JSON.stringify(value)}`,
  )
  const text = `${String(says)}${facts.join('')}\n`
  if (style === 'journal') return `<${PRIORITY[name]}>${text}`
  return `${new Date().toISOString().slice(11, 19)} ${name === 'info' ? '' : `${name}: `}${text}`
}

const quoted = (text: string): string => (/^[^\s"=]+$/.test(text) ? text : JSON.stringify(text))
