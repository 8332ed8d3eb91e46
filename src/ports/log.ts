import type { Level } from '../base/level.ts'

/**
 * The message is static; what happened is in the fields. Secrets print as «secret» by their type. `line` is the same as one
 * sentence for a person, and stands in place of message and fields where people read.
 */
export type Log = (
  level: Level,
  says: string,
  fields?: Readonly<Record<string, unknown>>,
  line?: string,
) => void
