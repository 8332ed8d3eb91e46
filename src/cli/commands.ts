import { ACCOUNT_SETTINGS, CLIENT_SETTINGS } from '../config/client-settings.ts'
import { tuneForDaemon, tuneForService } from '../platform/v8-flags.ts'
import type { Command } from './command.ts'
import { type Option, optionsOf } from './options.ts'

const CONFIG: Option = { type: 'string', requiresArg: true, describe: 'configuration file, TOML or .json' }
const JSON_ANSWER: Option = { type: 'boolean', describe: 'answer in JSON, for programs' }

const clientOptions =
  (more: Readonly<Record<string, Option>> = {}) =>
  (): Readonly<Record<string, Option>> => ({
    ...optionsOf(ACCOUNT_SETTINGS, 'Account:'),
    ...optionsOf(CLIENT_SETTINGS, 'Client:'),
    config: CONFIG,
    account: { type: 'string', requiresArg: true, describe: 'only this account of the file; repeatable' },
    json: JSON_ANSWER,
    ...more,
  })

const serviceOptions =
  (more: Readonly<Record<string, Option>>) => async (): Promise<Readonly<Record<string, Option>>> => {
    const { SERVICE_SETTINGS } = await import('../config/service-settings.ts')
    return { ...optionsOf(SERVICE_SETTINGS, 'Service:'), config: CONFIG, ...more }
  }

const QUIET: Option = { type: 'boolean', describe: 'say nothing where nothing was sent and all is well' }
const WATCH: Option = { type: 'boolean', describe: 'go on, and show every change' }

/** Every command: what --help says of it, what it takes, and where it is. */
export const COMMANDS: readonly Command[] = [
  {
    name: 'update',
    describe: 'bring the hostnames up to date once',
    options: clientOptions({
      force: {
        type: 'boolean',
        describe: 'confirm once more what is confirmed already; never against a stop or a wait',
      },
      'dry-run': {
        type: 'boolean',
        describe: 'print the exact request, the secret masked, and send nothing',
      },
      quiet: QUIET,
    }),
    load: async () => (await import('./update.ts')).updateCommand,
  },
  {
    name: 'run',
    describe: 'keep the hostnames up to date until told to stop',
    options: clientOptions(),
    load: async () => {
      // Before the rest is loaded: what is compiled by then stays as it is.
      tuneForDaemon()
      return (await import('./run.ts')).runCommand
    },
  },
  {
    name: 'serve',
    describe: 'be the service: answer /nic/update from an embedded store',
    options: serviceOptions({
      dev: {
        type: 'boolean',
        describe: 'loopback, a throw-away store, and an account, a zone and a key made and printed',
      },
      fault: {
        type: 'string',
        requiresArg: true,
        describe:
          'with --dev: word:WORD, outage:SPAN, slow:SPAN, reset[:EVERY] or impatient:COUNT; several with commas',
      },
      json: { type: 'boolean', describe: 'one first line of JSON that says where and who' },
    }),
    load: async () => {
      tuneForService()
      const { withSqlite } = await import('./with-sqlite.ts')
      return withSqlite('the service', async () => (await import('./serve.ts')).serveCommand)
    },
  },
  {
    name: 'admin',
    describe:
      'on the store of the service: desiredStates, accounts, API keys, zones, flags, members, locks, blocks',
    positional: { name: 'words', form: 'words', describe: 'what is to be done; without words, the list' },
    options: serviceOptions({ json: JSON_ANSWER }),
    load: async () => {
      const { withSqlite } = await import('./with-sqlite.ts')
      return withSqlite('admin', async () => (await import('./admin.ts')).adminCommand)
    },
  },
  {
    name: 'status',
    describe: 'how things stand, from the daemon or from what is remembered',
    options: clientOptions({ watch: WATCH }),
    load: async () => (await import('./status.ts')).statusCommand,
  },
  {
    name: 'detect',
    describe: 'ask every source of the address, side by side, and show what would be sent and why',
    options: clientOptions({ watch: WATCH }),
    load: async () => (await import('./detect.ts')).detectCommand,
  },
  {
    name: 'doctor',
    describe: 'what is wrong with this network: each with evidence and a remedy; sends no update',
    options: clientOptions(),
    load: async () => (await import('./doctor.ts')).doctorCommand,
  },
  {
    name: 'explain',
    describe: 'what happened, why, what to do and what comes next: of an account, or what a reply word means',
    positional: { name: 'subject', form: 'optional', describe: 'an account or a reply word' },
    options: clientOptions(),
    load: async () => (await import('./explain.ts')).explainCommand,
  },
  {
    name: 'poke',
    describe: 'check the address now: the daemon looks at once; without one, an update',
    positional: { name: 'subject', form: 'optional', describe: 'an account' },
    options: clientOptions({ quiet: QUIET }),
    load: async () => (await import('./poke.ts')).pokeCommand,
  },
  {
    name: 'resume',
    describe:
      'go on after a stop or after an answer without a reply word (429, 5xx), with one account or with all; a wait for 911 still stands',
    positional: { name: 'subject', form: 'optional', describe: 'an account' },
    options: clientOptions(),
    load: async () => (await import('./resume.ts')).resumeCommand,
  },
  {
    name: 'service',
    describe:
      'install, uninstall: write and enable the systemd unit of this program, or take it away; status: show it',
    positional: { name: 'what', form: 'needed', choices: ['install', 'uninstall', 'status'] },
    options: () => ({
      user: { type: 'boolean', describe: 'for yourself, without root' },
      timer: {
        type: 'boolean',
        describe: 'a timer that runs one update every five minutes, instead of the daemon',
      },
      'dry-run': { type: 'boolean', describe: 'print what would be done, and do nothing' },
    }),
    load: async () => (await import('./unit.ts')).unitCommand,
  },
  {
    name: 'config',
    describe:
      'check: what is wrong with the configuration; show: what is in force, without secrets; schema: JSON Schema for editors',
    positional: { name: 'what', form: 'needed', choices: ['check', 'show', 'schema'] },
    options: clientOptions(),
    load: async () => (await import('./config.ts')).configCommand,
  },
]
