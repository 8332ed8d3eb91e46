import type { Exit } from '../app/exit-codes.ts'
import type { Flags } from '../app/flags.ts'
import type { Option } from './options.ts'

export type CommandHandler = (flags: Flags) => Promise<Exit>

export interface Positional {
  readonly name: string
  /** For --help; of several words, what they are. */
  readonly describe?: string
  readonly form: 'needed' | 'optional' | 'words'
  readonly choices?: readonly string[]
}

export interface Command {
  readonly name: string
  readonly describe: string
  readonly positional?: Positional
  readonly options: () => Promise<Readonly<Record<string, Option>>> | Readonly<Record<string, Option>>
  /** The command's own chunk, loaded only when it is asked for. */
  readonly load: () => Promise<CommandHandler>
}
