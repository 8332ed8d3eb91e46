import type { SettingFlags } from '../../../shared/program/setting-flags.ts'
import { type FlagsOf, type FlagTable, JSON_OUTPUT } from '../../../shared/program/parse/flags.ts'

interface WithServiceSettings {
  readonly settings: SettingFlags
}

export const SERVE_FLAGS = {
  asJson: {
    kind: 'switch',
    flag: 'json',
    describe: 'print the address and, with --dev, the credentials as one line of JSON',
  },
  isDev: {
    kind: 'switch',
    flag: 'dev',
    describe: 'listen on loopback with a temporary store, and print a new account, zone and key for tests',
  },
  mayMake: { kind: 'switch', flag: 'init', describe: 'create the store if there is none' },
  faults: {
    kind: 'text',
    flag: 'fault',
    describe:
      'with --dev: inject faults. word:WORD replies with that word; ' +
      'outage:TIME replies 911 for that time; slow:TIME delays each reply; ' +
      'reset[:N] closes the connection of every Nth request; impatient:N replies abuse after N requests. ' +
      'Separate several with commas',
  },
} as const satisfies FlagTable
export type ServeFlags = FlagsOf<typeof SERVE_FLAGS> & WithServiceSettings

export const ADMIN_FLAGS = {
  asJson: JSON_OUTPUT,
  words: {
    kind: 'words',
    name: 'operation',
    describe: 'the operation and its arguments; without one, the list of operations is printed',
  },
} as const satisfies FlagTable
export type AdminFlags = FlagsOf<typeof ADMIN_FLAGS> & WithServiceSettings
