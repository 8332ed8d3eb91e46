import type { Exit } from '../exit-codes.ts'
import { flagOf, type SettingTable } from '../../settings/setting.ts'
import {
  type FlagsOf,
  type FlagTable,
  type Options,
  optionsIn,
  optionsOf,
  type ParsedFlags,
  type Positional,
  positionalIn,
  readFlags,
} from './flags.ts'

/** One command, as the parsers and --help see it. */
export interface Command {
  readonly name: string
  /** One line in the list of commands. */
  readonly summary: string
  /** Complete command lines, most useful first. */
  readonly examples: readonly string[]
  /** What the summary leaves open, as lines of --help. */
  readonly details: readonly string[]
  /** The command only shows something, so output that is lost is a failure. */
  readonly isReport?: true
  readonly positional: Positional | undefined
  readonly options: () => Promise<Options>
  /** The environment variables of its settings. */
  readonly variables: () => Promise<readonly string[]>
  /** Loads the command's own chunk. It gets all commands of the program. */
  readonly load: (all: readonly Command[]) => Promise<(parsed: ParsedFlags) => Promise<Exit>>
}

/** The settings that a command reads, all of which are flags of it too. */
export interface SettingFamily<Settings> {
  readonly options: () => Promise<Options>
  readonly variables: () => Promise<readonly string[]>
  readonly read: (parsed: ParsedFlags, all: readonly Command[]) => Promise<Settings>
}

interface Definition<Table extends FlagTable, Settings>
  extends Pick<Command, 'name' | 'summary' | 'examples' | 'isReport'> {
  readonly details?: readonly string[]
  readonly flags: Table
  readonly settings: SettingFamily<Settings>
  readonly load: (
    all: readonly Command[],
  ) => Promise<CommandHandler<FlagsOf<Table> & { readonly settings: Settings }>>
}

export type CommandHandler<Flags> = (flags: Flags) => Promise<Exit>

/** A command from its definition: the handler gets a typed record of its flags, which is read here and nowhere else. */
export const command = <Table extends FlagTable, Settings>({
  flags,
  settings,
  load,
  details = [],
  ...texts
}: Definition<Table, Settings>): Command => ({
  ...texts,
  details,
  positional: positionalIn(flags),
  options: async () => ({ ...(await settings.options()), ...optionsIn(flags) }),
  variables: settings.variables,
  load: async (all) => {
    const handle = await load(all)
    return async (parsed) =>
      handle({ ...readFlags(flags, parsed), settings: await settings.read(parsed, all) })
  },
})

/** Of every command that reads a configuration file. */
export const CONFIG_FLAG = {
  configFile: {
    kind: 'text',
    flag: 'config',
    describe: 'read this configuration file, TOML or .json',
    isPath: true,
  },
} as const satisfies FlagTable

export type IsShown = (key: string) => boolean

/** Every option is taken, as in one's environment; --help shows those that matter to the command. */
export const withHidden = (table: SettingTable, group: string, isShown: IsShown): Options => {
  const options = optionsOf(table, group)
  const shown = new Set(
    Object.entries(table).flatMap(([key, setting]) => (isShown(key) ? [flagOf(key, setting)] : [])),
  )
  return Object.fromEntries(
    Object.entries(options).map(([flag, option]) => [
      flag,
      shown.has(flag) ? option : { ...option, isHidden: true as const },
    ]),
  )
}

export const noSettings: SettingFamily<undefined> = {
  options: () => Promise.resolve({}),
  variables: () => Promise.resolve([]),
  read: () => Promise.resolve(undefined),
}
