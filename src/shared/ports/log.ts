import type { Level } from '../base/level.ts'

interface LogDetails {
  /** What happened, for programs. Secrets print as «secret» by their type. */
  readonly fields?: Readonly<Record<string, unknown>>
  /** Message and fields as one sentence, for logs that people read. Default: the message and `key=value` for each field. */
  readonly line?: string
}

/** Writes one log line. The message is static text; variable data goes into the details. */
export type Log = (level: Level, msg: string, details?: LogDetails) => void
