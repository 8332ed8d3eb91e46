import type { ClientSettingFlags } from '../../settings/settings.ts'
import { ACCOUNT_SETTINGS, CLIENT_SETTINGS } from '../../settings/client-settings.ts'
import { NOTIFY_SETTINGS } from '../../settings/notify-settings.ts'
import { PAGE_SETTINGS } from '../../settings/page-settings.ts'
import { envOf, fromFlags } from '../../../shared/settings/setting.ts'
import {
  type Command,
  CONFIG_FLAG,
  type IsShown,
  noSettings,
  type SettingFamily,
  withHidden,
} from '../../../shared/program/parse/command.ts'
import { type FlagTable, optionsIn, readFlags } from '../../../shared/program/parse/flags.ts'

const CLIENT_FLAGS = {
  ...CONFIG_FLAG,
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
const knownVariablesIn = (all: readonly Command[]) => async (): Promise<readonly string[]> =>
  (await Promise.all(all.map(async ({ variables }) => variables()))).flat()

const clientFamily = (isShown: IsShown): SettingFamily<ClientSettingFlags> => ({
  options: () =>
    Promise.resolve({
      ...withHidden(ACCOUNT_SETTINGS, 'Account:', isShown),
      ...withHidden(CLIENT_SETTINGS, 'Client:', isShown),
      ...optionsIn(CLIENT_FLAGS),
    }),
  variables: () => Promise.resolve(Object.keys({ ...CLIENT_SETTINGS, ...ACCOUNT_SETTINGS }).map(envOf)),
  read: (parsed, all) =>
    Promise.resolve({
      ...readFlags(CLIENT_FLAGS, parsed),
      layer: fromFlags({ ...CLIENT_SETTINGS, ...ACCOUNT_SETTINGS }, parsed),
      knownVariables: knownVariablesIn(all),
    }),
})

export const clientSettings = clientFamily(() => true)
/** For one update. */
export const updateSettings = clientFamily((key) => !DAEMON_KEYS.has(key))
/** For a look at the network. */
export const lookSettings = clientFamily((key) => !DAEMON_KEYS.has(key) && !NOTIFY_KEYS.has(key))
/** For what is saved. */
export const savedSettings = clientFamily((key) => SHOWN_KEYS.has(key))

/** For a command that writes a configuration, and reads it when it is written. */
export const writtenSettings: SettingFamily<Pick<ClientSettingFlags, 'knownVariables'>> = {
  ...noSettings,
  read: (_, all) => Promise.resolve({ knownVariables: knownVariablesIn(all) }),
}
