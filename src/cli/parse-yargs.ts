import yargs, { type Argv, type Options } from 'yargs'
import { ABOUT } from '../app/about.ts'
import { EXITS } from '../app/exit-codes.ts'
import { nearest } from '../base/nearest.ts'
import { ACCOUNT_SETTINGS, CLIENT_SETTINGS } from '../config/client-settings.ts'
import { SERVICE_SETTINGS } from '../config/service-settings.ts'
import { flagOf, type SettingTable } from '../config/setting.ts'
import type { Command, Positional } from './command.ts'
import { COMMANDS } from './commands.ts'
import type { Option } from './options.ts'
import { CONFIGURATION, type ParsedCommand } from './parse-fast.ts'

export class UsageError extends Error {}

/** Reads any line: prints the help that it asks for, and then there is no command; throws UsageError for what is wrong. */
export async function parseWithYargs(words: readonly string[]): Promise<ParsedCommand | undefined> {
  let chosen: ParsedCommand | undefined
  const options = new Map(await Promise.all(COMMANDS.map(async (one) => [one, await one.options()] as const)))
  const parser = COMMANDS.reduce(
    (args, command) =>
      args.command(
        `${command.name}${usageOf(command.positional)}`,
        command.describe,
        (own) => built(own, command, options.get(command) ?? {}),
        (flags) => {
          chosen = { command, flags }
        },
      ),
    yargs([...words]),
  )
    .scriptName('holdfast')
    .locale('en')
    .version(ABOUT.version)
    .alias({ help: 'h', version: 'V' })
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
        .map(({ code, meaning }) => `${code} ${meaning}`)
        .join('; ')}.`,
    )
    .parserConfiguration(CONFIGURATION)
    .fail((message: string | null, error: Error | undefined) => {
      if (message === null && error !== undefined) throw error
      const said = message ?? error?.message ?? ''
      throw new UsageError(`${said}${meant(said)}`)
    })
  await parser.parseAsync()
  return chosen
}

const usageOf = (positional: Positional | undefined): string => {
  if (positional === undefined) return ''
  const { name, form } = positional
  return form === 'needed' ? ` <${name}>` : ` [${name}${form === 'words' ? '..' : ''}]`
}

function built(args: Argv, { positional }: Command, options: Readonly<Record<string, Option>>): Argv {
  const own =
    positional === undefined ? args : args.positional(positional.name, positionalOptions(positional))
  return own.options(options as Record<string, Options>)
}

const positionalOptions = ({ describe, form, choices }: Positional) => ({
  type: 'string' as const,
  ...(describe !== undefined && { describe }),
  ...(form === 'words' && { array: true }),
  ...(choices !== undefined && { choices }),
})

const ALL_FLAGS = [ACCOUNT_SETTINGS, CLIENT_SETTINGS, SERVICE_SETTINGS].flatMap((table: SettingTable) =>
  Object.entries(table).map(([key, setting]) => flagOf(key, setting)),
)

/** yargs names the unknown flag; the tables know what was probably meant. */
function meant(message: string): string {
  const [, unknown] = /^Unknown arguments?: ([^,\s]+)/.exec(message) ?? []
  const near = unknown === undefined ? undefined : nearest(unknown, ALL_FLAGS)
  return near === undefined ? '' : ` (did you mean --${near}?)`
}
