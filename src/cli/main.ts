import yargs, { type ArgumentsCamelCase, type Argv } from 'yargs'
import { nearest } from '../base/nearest.ts'
import { ACCOUNT_SETTINGS, CLIENT_SETTINGS } from '../config/client-settings.ts'
import { SERVICE_SETTINGS } from '../config/service-settings.ts'
import { type Table, flagOf } from '../config/setting.ts'
import { ABOUT } from './about.ts'
import { EXITS, type Exit } from './exit-codes.ts'
import { optionsOf } from './options.ts'

export type Flags = ArgumentsCamelCase
type Handler = (flags: Flags) => Promise<Exit>

interface Command {
  readonly usage: string
  readonly describe: string
  readonly build: (args: Argv) => Argv
  /** The command's own chunk, loaded only when it is asked for. */
  readonly load: () => Promise<Handler>
}

const clientOptions = (args: Argv): Argv =>
  args
    .options(optionsOf(ACCOUNT_SETTINGS, 'Account:'))
    .options(optionsOf(CLIENT_SETTINGS, 'Client:'))
    .option('config', { type: 'string', requiresArg: true, describe: 'configuration file, TOML or .json' })
    .option('account', {
      type: 'string',
      requiresArg: true,
      describe: 'only this account of the file; repeatable',
    })
    .option('json', { type: 'boolean', describe: 'answer in JSON, for programs' })

const COMMANDS: readonly Command[] = [
  {
    usage: 'update',
    describe: 'bring the hostnames up to date once',
    build: (args) =>
      clientOptions(args)
        .option('force', {
          type: 'boolean',
          describe: 'confirm once more what is confirmed already; never against a stop or a wait',
        })
        .option('dry-run', {
          type: 'boolean',
          describe: 'print the exact request, the secret masked, and send nothing',
        }),
    load: async () => (await import('./update.ts')).updateCommand,
  },
  {
    usage: 'run',
    describe: 'keep the hostnames up to date until told to stop',
    build: clientOptions,
    load: async () => (await import('./run.ts')).runCommand,
  },
  {
    usage: 'serve',
    describe: 'be the service: answer /nic/update from an embedded store',
    build: (args) =>
      args
        .options(optionsOf(SERVICE_SETTINGS, 'Service:'))
        .option('config', {
          type: 'string',
          requiresArg: true,
          describe: 'configuration file, TOML or .json',
        })
        .option('dev', {
          type: 'boolean',
          describe: 'loopback, a throw-away store, and an account, a zone and a key made and printed',
        })
        .option('weather', {
          type: 'string',
          requiresArg: true,
          describe:
            'with --dev: word:WORD, outage:SPAN, slow:SPAN, reset[:EVERY] or impatient:COUNT; several with commas',
        })
        .option('json', { type: 'boolean', describe: 'one first line of JSON that says where and who' }),
    load: async () => (await import('./serve.ts')).serveCommand,
  },
  {
    usage: 'admin [words..]',
    describe: 'on the store of the service: plans, accounts, API keys, zones, flags, members, locks, blocks',
    build: (args) =>
      args
        .positional('words', {
          type: 'string',
          array: true,
          describe: 'what is to be done; without words, the list',
        })
        .options(optionsOf(SERVICE_SETTINGS, 'Service:'))
        .option('config', {
          type: 'string',
          requiresArg: true,
          describe: 'configuration file, TOML or .json',
        })
        .option('json', { type: 'boolean', describe: 'answer in JSON, for programs' }),
    load: async () => (await import('./admin.ts')).adminCommand,
  },
  {
    usage: 'status',
    describe: 'how things stand, from the daemon or from what is remembered',
    build: (args) =>
      clientOptions(args).option('watch', { type: 'boolean', describe: 'go on, and show every change' }),
    load: async () => (await import('./status.ts')).statusCommand,
  },
  {
    usage: 'detect',
    describe: 'ask every source of the address, side by side, and show what would be sent and why',
    build: (args) =>
      clientOptions(args).option('watch', { type: 'boolean', describe: 'go on, and show every change' }),
    load: async () => (await import('./detect.ts')).detectCommand,
  },
  {
    usage: 'doctor',
    describe: 'what is wrong with this network: each with evidence and a remedy; sends no update',
    build: clientOptions,
    load: async () => (await import('./doctor.ts')).doctorCommand,
  },
  {
    usage: 'explain [subject]',
    describe: 'what happened, why, what to do and what comes next: of an account, or what a reply word means',
    build: (args) =>
      clientOptions(args).positional('subject', { type: 'string', describe: 'an account or a reply word' }),
    load: async () => (await import('./explain.ts')).explainCommand,
  },
  {
    usage: 'poke',
    describe: 'something may have changed: have the daemon look at once',
    build: clientOptions,
    load: async () => (await import('./poke.ts')).pokeCommand,
  },
  {
    usage: 'resume [subject]',
    describe:
      'go on after a stop, with one account or with all; a wait that the service asked for still stands',
    build: (args) => clientOptions(args).positional('subject', { type: 'string', describe: 'an account' }),
    load: async () => (await import('./resume.ts')).resumeCommand,
  },
  {
    usage: 'service <what>',
    describe:
      'install, uninstall: write and enable the systemd unit of this program, or take it away; status: show it',
    build: (args) =>
      args
        .positional('what', { choices: ['install', 'uninstall', 'status'] as const, type: 'string' })
        .option('user', { type: 'boolean', describe: 'for yourself, without root' })
        .option('dry-run', { type: 'boolean', describe: 'print what would be done, and do nothing' }),
    load: async () => (await import('./unit.ts')).unitCommand,
  },
  {
    usage: 'config <what>',
    describe:
      'check: what is wrong with the configuration; show: what is in force, without secrets; schema: JSON Schema for editors',
    build: (args) =>
      clientOptions(args).positional('what', {
        choices: ['check', 'show', 'schema'] as const,
        type: 'string',
      }),
    load: async () => (await import('./config.ts')).configCommand,
  },
]

class UsageError extends Error {}

/** Runs one command line; resolves with the exit code. Nothing but the chosen command is loaded. */
export async function main(argv: readonly string[]): Promise<number> {
  const ending: { exit: Exit } = { exit: 'settled' }
  const parser = COMMANDS.reduce(
    (args, { usage, describe, build, load }) =>
      args.command(usage, describe, build, async (flags) => {
        ending.exit = await (await load())(flags)
      }),
    yargs([...argv]),
  )
    .scriptName('holdfast')
    .locale('en')
    .version(ABOUT.version)
    .usage('$0 <command> keeps hostnames on a moving address')
    .demandCommand(
      1,
      'a command is missing: update, run, detect, doctor, status, explain, poke, resume, service, serve, admin or config',
    )
    .strict()
    .recommendCommands()
    .showHelpOnFail(false)
    .exitProcess(false)
    .wrap(110)
    .epilogue(
      `Exit codes: ${Object.values(EXITS)
        .map(({ code, means }) => `${code} ${means}`)
        .join('; ')}.`,
    )
    .parserConfiguration({ 'camel-case-expansion': false, 'dot-notation': false, 'greedy-arrays': false })
    .fail((message: string | null, error: Error | undefined) => {
      throw message === null && error !== undefined ? error : new UsageError(message ?? error?.message)
    })
  try {
    await parser.parseAsync()
  } catch (error) {
    if (!(error instanceof UsageError)) return bug(error)
    process.stderr.write(`holdfast: ${error.message}${meant(error.message)}; see holdfast --help\n`)
    return EXITS.usage.code
  }
  return EXITS[ending.exit].code
}

const ALL_FLAGS = [ACCOUNT_SETTINGS, CLIENT_SETTINGS, SERVICE_SETTINGS].flatMap((table: Table) =>
  Object.entries(table).map(([key, setting]) => flagOf(key, setting)),
)

/** yargs names the unknown flag; the tables know what was probably meant. */
function meant(message: string): string {
  const [, unknown] = /^Unknown arguments?: ([^,\s]+)/.exec(message) ?? []
  const near = unknown === undefined ? undefined : nearest(unknown, ALL_FLAGS)
  return near === undefined ? '' : ` (did you mean --${near}?)`
}

/** Nothing of ours may fail in a way that we did not think of; where it does, say so and give the trace. */
export function bug(error: unknown): number {
  const trace = error instanceof Error ? error.stack : String(error)
  process.stderr.write(
    `holdfast: this is a bug in Holdfast ${ABOUT.version}; please report it with these lines\n${trace}\n`,
  )
  return EXITS.bug.code
}
