import type { ClientSettingFlags } from '../../settings/settings.ts'
import { FORMATS } from '../../setup/migration/formats.ts'
import { NOTIFICATION_EVENTS } from '../../settings/notify-settings.ts'
import { PROVIDER_NAMES } from '../../services/providers/providers.ts'
import { REPLY_WORDS } from '../../../shared/protocol/reply.ts'
import { STARTS } from './starts.ts'
import { type FlagsOf, type FlagTable, JSON_OUTPUT } from '../../../shared/program/parse/flags.ts'

interface WithClientSettings {
  readonly settings: ClientSettingFlags
}

const QUIET = {
  kind: 'switch',
  flag: 'quiet',
  describe: 'print nothing if no request was needed and there is no problem',
} as const
const DRY_RUN = {
  kind: 'switch',
  flag: 'dry-run',
  describe: 'print what would be done, and do nothing',
} as const
const WATCH = { kind: 'switch', flag: 'watch', describe: 'continue, and print every change' } as const
const ACCOUNT = {
  kind: 'word',
  name: 'account-name',
  describe: 'the name or the username of an account; default: all accounts',
} as const

export const UPDATE_FLAGS = {
  asJson: JSON_OUTPUT,
  isForced: {
    kind: 'switch',
    flag: 'force',
    describe: 'send an update even if the address is already confirmed; respects stops and waits',
  },
  isDryRun: {
    kind: 'switch',
    flag: 'dry-run',
    describe: 'print the exact request with the password masked, and send nothing',
  },
  reply: {
    kind: 'text',
    flag: 'reply',
    isPath: true,
    describe:
      'with --dry-run: say what this answer of the service would mean: its body, or all that curl -i prints',
  },
  isQuiet: QUIET,
} as const satisfies FlagTable
export type UpdateFlags = FlagsOf<typeof UPDATE_FLAGS> & WithClientSettings

export const RUN_FLAGS = { asJson: JSON_OUTPUT } as const satisfies FlagTable
export type RunFlags = FlagsOf<typeof RUN_FLAGS> & WithClientSettings

export const STATUS_FLAGS = {
  asJson: JSON_OUTPUT,
  isWatching: WATCH,
  isHealthCheck: {
    kind: 'switch',
    flag: 'healthcheck',
    describe: 'exit with 0 only if a daemon runs, answers, and is not stopped; for supervisors of containers',
  },
} as const satisfies FlagTable
export type StatusFlags = FlagsOf<typeof STATUS_FLAGS> & WithClientSettings

export const DETECT_FLAGS = { asJson: JSON_OUTPUT, isWatching: WATCH } as const satisfies FlagTable
export type DetectFlags = FlagsOf<typeof DETECT_FLAGS> & WithClientSettings

export const DOCTOR_FLAGS = { asJson: JSON_OUTPUT } as const satisfies FlagTable
export type DoctorFlags = FlagsOf<typeof DOCTOR_FLAGS> & WithClientSettings

export const EXPLAIN_FLAGS = {
  asJson: JSON_OUTPUT,
  subject: {
    kind: 'word',
    name: 'subject',
    describe: 'an account, a hostname or a reply word; default: all accounts',
    suggestions: REPLY_WORDS,
  },
} as const satisfies FlagTable
export type ExplainFlags = FlagsOf<typeof EXPLAIN_FLAGS> & WithClientSettings

export const POKE_FLAGS = {
  asJson: JSON_OUTPUT,
  isQuiet: QUIET,
  account: ACCOUNT,
} as const satisfies FlagTable
export type PokeFlags = FlagsOf<typeof POKE_FLAGS> & WithClientSettings

export const RESUME_FLAGS = { asJson: JSON_OUTPUT, account: ACCOUNT } as const satisfies FlagTable
export type ResumeFlags = FlagsOf<typeof RESUME_FLAGS> & WithClientSettings

export const CONFIG_FLAGS = {
  asJson: JSON_OUTPUT,
  operation: {
    kind: 'choice',
    name: 'operation',
    choices: ['check', 'show', 'schema'],
    describe:
      'check: report every mistake; show: print the effective settings; schema: print the JSON Schema for editors',
  },
} as const satisfies FlagTable
export type ConfigFlags = FlagsOf<typeof CONFIG_FLAGS> & WithClientSettings

export const NOTIFICATION_FLAGS = {
  asJson: JSON_OUTPUT,
  isTest: {
    kind: 'switch',
    flag: 'test',
    describe: 'send a test to every program and address of the configuration, and show the results',
  },
  event: {
    kind: 'text',
    flag: 'event',
    describe: 'the event of the test; default: changed',
    values: NOTIFICATION_EVENTS,
  },
} as const satisfies FlagTable
export type NotificationFlags = FlagsOf<typeof NOTIFICATION_FLAGS> & WithClientSettings

export const PROVIDERS_FLAGS = {
  asJson: JSON_OUTPUT,
  name: {
    kind: 'word',
    name: 'name',
    describe: 'the name of a service; default: all are listed',
    suggestions: PROVIDER_NAMES,
  },
} as const satisfies FlagTable
export type ProvidersFlags = FlagsOf<typeof PROVIDERS_FLAGS>

const WRITTEN_FILE = {
  output: {
    kind: 'text',
    flag: 'output',
    describe: 'the configuration file to write; default: the usual one of this user',
    isPath: true,
  },
  // Other commands read the file that they name so.
  config: { kind: 'text', flag: 'config', describe: 'the same as --output', isPath: true, isHidden: true },
} as const satisfies FlagTable

export const INIT_FLAGS = {
  asJson: JSON_OUTPUT,
  provider: {
    kind: 'text',
    flag: 'provider',
    describe: 'name of the update service; holdfast providers lists the names',
    values: PROVIDER_NAMES,
  },
  server: {
    kind: 'text',
    flag: 'server',
    describe:
      'the address of a service that holdfast providers does not list, with its path if that is not /nic/update',
  },
  username: { kind: 'text', flag: 'username', describe: 'username of the DDNS key' },
  passwordFile: {
    kind: 'text',
    flag: 'password-file',
    describe: 'file that contains the password, or - for standard input; it is copied into a separate file',
    isPath: true,
  },
  apiKeyFile: {
    kind: 'text',
    flag: 'api-key-file',
    describe: 'the same for the API key, at services that need one in addition to the password',
    isPath: true,
  },
  hostnames: { kind: 'list', flag: 'hostname', describe: 'a hostname to keep up to date; repeatable' },
  removed: {
    kind: 'list',
    flag: 'remove',
    describe: 'no longer keep this hostname up to date; its record stays at the service; repeatable',
  },
  record: {
    kind: 'text',
    flag: 'record',
    describe: 'the number of the record, at services that number them',
  },
  interfaces: {
    kind: 'list',
    flag: 'interface',
    describe: 'look up the addresses only through this interface; repeatable: through the first that is up',
  },
  publish: {
    kind: 'text',
    flag: 'publish',
    describe: 'which addresses to publish; default: both',
    values: ['both', 'ipv4', 'ipv6'],
  },
  contact: {
    kind: 'text',
    flag: 'contact',
    describe:
      'your e-mail address, so that the service can reach you before it blocks the client; default: none',
  },
  start: {
    kind: 'text',
    flag: 'start',
    describe: 'how to run Holdfast from now on; default: not at all',
    values: STARTS,
  },
  isSending: {
    kind: 'switch',
    flag: 'send',
    describe: 'send the first update, which tests the settings; its result is saved',
  },
  isLooking: {
    kind: 'switch',
    flag: 'detect',
    isOpen: true,
    describe:
      'first look up the address (at most 8 seconds) and the records at their service; default when it asks questions',
  },
  isAgreed: { kind: 'switch', flag: 'yes', describe: 'ask nothing, and change an existing configuration' },
  isDryRun: DRY_RUN,
  ...WRITTEN_FILE,
} as const satisfies FlagTable
export type InitFlags = FlagsOf<typeof INIT_FLAGS> & {
  readonly settings: Pick<ClientSettingFlags, 'knownVariables'>
}

export const IMPORT_FLAGS = {
  asJson: JSON_OUTPUT,
  format: {
    kind: 'text',
    flag: 'from',
    describe: 'the other client; default: detected from the content of the file',
    values: FORMATS,
  },
  url: {
    kind: 'text',
    flag: 'url',
    describe: 'instead of a file: the update URL of a router or another client, with its placeholders',
  },
  isWriting: {
    kind: 'switch',
    flag: 'write',
    describe: 'write the configuration and the password files; existing files are not changed',
  },
  isPartial: { kind: 'switch', flag: 'partial', describe: 'exit with 0 even if something is not taken over' },
  ...WRITTEN_FILE,
  file: {
    kind: 'word',
    name: 'file',
    describe: 'the file of the other client, or - for standard input; default: the one found on this host',
  },
} as const satisfies FlagTable
export type ImportFlags = FlagsOf<typeof IMPORT_FLAGS>

export const SERVICE_FLAGS = {
  operation: {
    kind: 'choice',
    name: 'operation',
    choices: ['install', 'uninstall', 'status'],
    describe: 'install: write, enable and start the unit; uninstall: stop and remove it; status: show it',
  },
  isForUser: { kind: 'switch', flag: 'user', describe: 'use a unit of your own user, without root' },
  isTimer: {
    kind: 'switch',
    flag: 'timer',
    describe: 'use a timer that runs one update every five minutes, instead of the daemon',
  },
  isServe: {
    kind: 'switch',
    flag: 'serve',
    describe: 'the units of the update service (holdfast serve): the service, its ports, a daily backup',
  },
  isDryRun: DRY_RUN,
} as const satisfies FlagTable
export type ServiceFlags = FlagsOf<typeof SERVICE_FLAGS>
