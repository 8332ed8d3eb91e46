import { fstatSync, writeSync } from 'node:fs'
import { isAtLeast, type Level } from '../../base/level.ts'
import { formatLocal, instant } from '../../base/time.ts'
import type { Log } from '../../ports/log.ts'

/** sd-daemon(3): journald reads the priority from "<N>" at the start of a line. */
const PRIORITY: Readonly<Record<Level, number>> = { trace: 7, debug: 7, info: 6, warn: 4, error: 3 }

export type LineStyle = 'terminal' | 'journal'

/** The style for a file descriptor: `journal` where it is connected to journald (systemd.exec(5), JOURNAL_STREAM). */
export function styleOf(fd: number, isTerminal: boolean, journalStream: string | undefined): LineStyle {
  if (isTerminal) return 'terminal'
  return journalStream !== undefined && journalStream === identityOf(fd) ? 'journal' : 'terminal'
}

function identityOf(fd: number): string {
  const { dev, ino } = fstatSync(fd)
  return `${dev}:${ino}`
}

/** A log for people: one line of text per entry. Needs no package, unlike the log for programs. */
export function lineLog(fd: number, threshold: Level, style: LineStyle): Log {
  return (level, msg, { fields = {}, line = `${msg}${formatFields(fields)}` } = {}) => {
    if (!isAtLeast(level, threshold)) return
    const time = style === 'journal' ? '' : `${formatLocal(instant(Date.now()))} `
    const priority = style === 'journal' ? `<${PRIORITY[level]}>` : level === 'info' ? '' : `${level}: `
    writeLine(fd, `${time}${priority}${line}\n`)
  }
}

/** Synchronous: a line logged before a crash is not lost. A line that cannot be written is dropped. */
export function writeLine(fd: number, line: string): void {
  try {
    writeSync(fd, line)
  } catch {
    // EPIPE, or the disk is full: a log line must not end the program.
  }
}

const formatFields = (fields: Readonly<Record<string, unknown>>): string =>
  Object.entries(fields)
    .flatMap(([key, value]) => {
      // JSON first: toJSON redacts secrets.
      const shown = JSON.stringify(value) as string | undefined
      if (shown === undefined) return []
      const plain: unknown = JSON.parse(shown)
      return [` ${key}=${typeof plain === 'string' && /^[^\s"=]+$/.test(plain) ? plain : shown}`]
    })
    .join('')
