import type { Level } from '../base/level.ts'

/** The message is static; what happened is in the fields. Secrets print as «secret» by their type. */
export type Log = (level: Level, says: string, fields?: Readonly<Record<string, unknown>>) => void
