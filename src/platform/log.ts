import { fstatSync, writeSync } from 'node:fs'
import { isHeard, type Level } from '../base/level.ts'
import { formatLocal, instant } from '../base/time.ts'
import type { Log } from '../ports/log.ts'

/** sd-daemon(3): journald reads the priority from "<N>" at the start of a line. */
const PRIORITY: Readonly<Record<Level, number>> = { trace: 7, debug: 7, info: 6, warn: 4, error: 3 }

export type LineStyle = 'terminal' | 'journal'

/** What the reader at the other end of this file descriptor understands. */
export function styleOf(fd: number, isTerminal: boolean, journalStream: string | undefined): LineStyle {
  if (isTerminal) return 'terminal'
  return journalStream !== undefined && journalStream === identityOf(fd) ? 'journal' : 'terminal'
}

function identityOf(fd: number): string {
  const { dev, ino } = fstatSync(fd)
  return `${dev}:${ino}`
}

/** A log for people: a line of text for each entry, without the weight of one that programs read. */
export function lineLog(fd: number, level: Level, style: LineStyle): Log {
  return (at, says, fields = {}, line = `${says}${factsOf(fields)}`) => {
    if (!isHeard(at, level)) return
    const text = `${line}\n`
    const now = style === 'journal' ? '' : `${formatLocal(instant(Date.now()))} `
    const weight = style === 'journal' ? `<${PRIORITY[at]}>` : at === 'info' ? '' : `${at}: `
    writeLine(fd, `${now}${weight}${text}`)
  }
}

/** Written at once: what is logged before a crash is there after it. A line that cannot be written is lost, and nothing else. */
export function writeLine(fd: number, line: string): void {
  try {
    writeSync(fd, line)
  } catch {
    // The reader is gone, or the disk is full: no line is worth ending the program.
  }
}

const factsOf = (fields: Readonly<Record<string, unknown>>): string =>
  Object.entries(fields)
    .flatMap(([key, value]) => {
      // Whatever knows how it wants to be shown says so here, secrets first of all.
      const shown = JSON.stringify(value) as string | undefined
      if (shown === undefined) return []
      const plain: unknown = JSON.parse(shown)
      return [` ${key}=${typeof plain === 'string' && /^[^\s"=]+$/.test(plain) ? plain : shown}`]
    })
    .join('')
