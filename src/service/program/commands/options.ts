import type { SettingFlags } from '../../../shared/program/setting-flags.ts'
import { envOf, fromFlags } from '../../../shared/settings/setting.ts'
import {
  CONFIG_FLAG,
  type IsShown,
  type SettingFamily,
  withHidden,
} from '../../../shared/program/parse/command.ts'
import { optionsIn, readFlags } from '../../../shared/program/parse/flags.ts'

/** Settings that operations on the store of the service read. */
const STORE_KEYS: ReadonlySet<string> = new Set(['store', 'publicSuffixes', 'nameservers', 'logLevel'])

/** The client never loads the service's table. */
const serviceTable = async () => (await import('../../settings/service-settings.ts')).SERVICE_SETTINGS

const serviceFamily = (isShown: IsShown): SettingFamily<SettingFlags> => ({
  options: async () => ({
    ...withHidden(await serviceTable(), 'Service:', isShown),
    ...optionsIn(CONFIG_FLAG),
  }),
  variables: async () => Object.keys(await serviceTable()).map(envOf),
  read: async (parsed) => ({
    ...readFlags(CONFIG_FLAG, parsed),
    layer: fromFlags(await serviceTable(), parsed),
  }),
})

export const serviceSettings = serviceFamily(() => true)
export const adminSettings = serviceFamily((key) => STORE_KEYS.has(key))
