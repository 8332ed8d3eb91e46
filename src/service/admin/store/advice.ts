import { programName } from '../../../shared/program/about.ts'

type Advice = readonly (readonly [pattern: RegExp, advice: string])[]

const adviceFrom = (table: Advice, message: string): string | undefined =>
  table.find(([pattern]) => pattern.test(message))?.[1].replace('holdfast admin', `${programName()} admin`)

/** What the operator can do about an error of the store; undefined where nothing is known. */
export const adviceOnStore = (message: string): string | undefined =>
  adviceFrom([...POOLER, ...ADVICE], message)

/** The same, about a pooler before PostgreSQL. */
export const adviceOnPooler = (message: string): string | undefined => adviceFrom(POOLER, message)

// biome-ignore format: a table
const POOLER: Advice = [
  [/prepared statement .*(?:already exists|does not exist)/, '; a pooler in transaction mode shares them: add ?prepare=off to the URL of the store'],
  [/unsupported startup parameter/, '; set ignore_startup_parameters of the pooler as docs/scale.md says'],
]

/** What to do, by the message of SQLite or of the system. */
// biome-ignore format: a table
const ADVICE: Advice = [
  [/not a database|malformed/,       '; restore it from your backup with: holdfast admin restore'],
  [/full|ENOSPC/,                    '; free space on its disk'],
  [/disk I\/O error/,                '; its disk is full or damaged: look at it with df and dmesg'],
  [/readonly|read-only|EROFS/,       '; its disk is read-only, or the files belong to another user: run this as their owner'],
  [/unable to open|EACCES|EPERM/,    '; run this as the user that owns the folder, and check that its disk is mounted and writable'],
  [/locked|busy/,                    '; another program holds it; try again'],
]
