import type { Exit } from '../../app/exit-codes.ts'
import type { ClientSettingFlags, SettingFlags } from '../../app/setting-flags.ts'
import { ACCOUNT_SETTINGS, CLIENT_SETTINGS } from '../../config/client-settings.ts'
import { NOTIFY_SETTINGS } from '../../config/notify-settings.ts'
import { PAGE_SETTINGS } from '../../config/page-settings.ts'
import { flagOf, fromFlags, type SettingTable } from '../../config/setting.ts'
import {
  type FlagsOf,
  type FlagTable,
  optionsIn,
  type ParsedFlags,
  type Positional,
  positionalIn,
  readFlags,
} from './flags.ts'
import { type Options, optionsOf } from './options.ts'

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
  /** Loads the command's own chunk. */
  readonly load: () => Promise<(parsed: ParsedFlags) => Promise<Exit>>
}

/** The settings that a command reads, all of which are flags of it too. */
interface SettingFamily<Settings> {
  readonly options: () => Promise<Options>
  readonly read: (parsed: ParsedFlags) => Promise<Settings>
}

interface Definition<Table extends FlagTable, Settings>
  extends Pick<Command, 'name' | 'summary' | 'examples' | 'isReport'> {
  readonly details?: readonly string[]
  readonly flags: Table
  readonly settings: SettingFamily<Settings>
  readonly load: () => Promise<CommandHandler<FlagsOf<Table> & { readonly settings: Settings }>>
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
  load: async () => {
    const handle = await load()
    return async (parsed) => handle({ ...readFlags(flags, parsed), settings: await settings.read(parsed) })
  },
})

const SERVICE_FLAGS = {
  configFile: {
    kind: 'text',
    flag: 'config',
    describe: 'read this configuration file, TOML or .json',
    isPath: true,
  },
} as const satisfies FlagTable
const CLIENT_FLAGS = {
  ...SERVICE_FLAGS,
  accounts: {
    kind: 'list',
    flag: 'account',
    describe: 'use only this account of the configuration file; repeatable',
  },
} as const satisfies FlagTable

/** Settings of commands that show or change what is saved. */
const SHOWN_KEYS: ReadonlySet<string> = new Set([
  'server',
  'provider',
  'username',
  'hostnames',
  'verify',
  'verifyServers',
  'stateDir',
  'runtimeDir',
  'logLevel',
])

/** Settings of a daemon only. */
const DAEMON_KEYS: ReadonlySet<string> = new Set([
  'interval',
  'schedule',
  'watch',
  'whenStopped',
  'offlineOnStop',
  ...Object.keys(PAGE_SETTINGS),
])
const NOTIFY_KEYS: ReadonlySet<string> = new Set(Object.keys(NOTIFY_SETTINGS))
/** Settings that operations on the store of the service read. */
const STORE_KEYS: ReadonlySet<string> = new Set(['store', 'publicSuffixes', 'nameservers', 'logLevel'])

type IsShown = (key: string) => boolean

/** Every option is taken, as in one's environment; --help shows those that matter to the command. */
const withHidden = (table: SettingTable, group: string, isShown: IsShown): Options => {
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

const clientFamily = (isShown: IsShown): SettingFamily<ClientSettingFlags> => ({
  options: () =>
    Promise.resolve({
      ...withHidden(ACCOUNT_SETTINGS, 'Account:', isShown),
      ...withHidden(CLIENT_SETTINGS, 'Client:', isShown),
      ...optionsIn(CLIENT_FLAGS),
    }),
  read: (parsed) =>
    Promise.resolve({
      ...readFlags(CLIENT_FLAGS, parsed),
      layer: fromFlags({ ...CLIENT_SETTINGS, ...ACCOUNT_SETTINGS }, parsed),
    }),
})

export const clientSettings = clientFamily(() => true)
/** For one update. */
export const updateSettings = clientFamily((key) => !DAEMON_KEYS.has(key))
/** For a look at the network. */
export const lookSettings = clientFamily((key) => !DAEMON_KEYS.has(key) && !NOTIFY_KEYS.has(key))
/** For what is saved. */
export const savedSettings = clientFamily((key) => SHOWN_KEYS.has(key))

/** The client never loads the service's table. */
const serviceTable = async () => (await import('../../config/service-settings.ts')).SERVICE_SETTINGS

const serviceFamily = (isShown: IsShown): SettingFamily<SettingFlags> => ({
  options: async () => ({
    ...withHidden(await serviceTable(), 'Service:', isShown),
    ...optionsIn(SERVICE_FLAGS),
  }),
  read: async (parsed) => ({
    ...readFlags(SERVICE_FLAGS, parsed),
    layer: fromFlags(await serviceTable(), parsed),
  }),
})

export const serviceSettings = serviceFamily(() => true)
export const adminSettings = serviceFamily((key) => STORE_KEYS.has(key))

export const noSettings: SettingFamily<undefined> = {
  options: () => Promise.resolve({}),
  read: () => Promise.resolve(undefined),
}
