import yargs, { type Argv } from 'yargs'
import { ABOUT } from '../about.ts'
import { EXITS } from '../exit-codes.ts'
import type { Command } from './command.ts'
import type { Option, Options, Positional } from './flags.ts'
import { CONFIGURATION, type ParsedCommand, SHORT_OPTIONS } from './fast.ts'
import { usageErrorText } from './usage-error.ts'

/** A mistake on the command line, for the user. */
export class UsageError extends Error {}

const [MIN_WIDTH, MAX_WIDTH] = [40, 110]

/** A terminal on a serial line does not know its width. */
const widthOf = ({ isTTY, columns }: NodeJS.WriteStream): number =>
  isTTY && columns > 0 ? Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, columns)) : MAX_WIDTH

/** Parses any command line. Prints --help or --version and returns undefined; throws UsageError for a mistake. */
export async function parseWithYargs(
  commands: readonly Command[],
  words: readonly string[],
): Promise<ParsedCommand | undefined> {
  let parsed: ParsedCommand | undefined
  const options = new Map(
    await Promise.all(commands.map(async (command) => [command, await command.options()] as const)),
  )
  const fail = (message: string | null, error: Error | undefined): never => {
    if (message === null && error !== undefined) throw error
    throw new UsageError(usageErrorText(message ?? error?.message ?? '', words, options))
  }
  const parser = commands
    .reduce(
      (args, command) =>
        args.command(
          `${command.name}${positionalUsage(command.positional)}`,
          command.summary,
          (own) => withOptions(own, command, options.get(command) ?? {}),
          (flags) => {
            parsed = { command, flags }
          },
        ),
      yargs([...words]),
    )
    .scriptName('holdfast')
    .locale('en')
    .usage(OVERVIEW)
    .version('version', 'show the version', ABOUT.version)
    .help('help', 'show this help')
    .alias({ help: 'h', version: 'V' })
    .demandCommand(1, `a command is missing: ${namesOf(commands)}`)
    .strict()
    .recommendCommands()
    .showHelpOnFail(false)
    .exitProcess(false)
    .wrap(widthOf(process.stdout))
    .epilogue(EXIT_CODES)
    .parserConfiguration(CONFIGURATION)
    .fail(fail)
  await parser.parseAsync()
  return parsed
}

/** yargs removes indentation here, so that a prompt marks the commands. */
const examplesOf = (examples: readonly string[]): readonly string[] => [
  'Examples:',
  ...examples.map((example) => `$ ${example}`),
]

const OVERVIEW = [
  'holdfast <command> [options]',
  '',
  ...examplesOf([
    'holdfast init',
    'holdfast update --server dyn.example --username KEY --password-file FILE --hostname home.example.org',
    'holdfast run --config /etc/holdfast/holdfast.toml',
    'holdfast explain abuse',
  ]),
  '',
  'Holdfast keeps hostnames pointing to a changing address (dynamic DNS).',
  'holdfast <command> --help shows the main options of a command; holdfast run --help shows all settings.',
  '-v is short for --log-level debug.',
].join('\n')

const namesOf = (commands: readonly Command[]): string =>
  commands
    .map(({ name }) => name)
    .join(', ')
    .replace(/, (?=\w+$)/, ' or ')

const EXIT_CODES = [
  'Exit codes:',
  ...Object.values(EXITS).map(({ code, meaning }) => `  ${String(code).padStart(3)}  ${meaning}`),
].join('\n')

function positionalUsage(positional: Positional | undefined): string {
  if (positional === undefined) return ''
  const { name, kind } = positional
  return kind === 'choice' ? ` <${name}>` : ` [${name}${kind === 'words' ? '..' : ''}]`
}

/** Gives a command its positional, its options and the first lines of its --help. */
function withOptions(args: Argv, command: Command, options: Options): Argv {
  const { name, summary, examples, details, positional } = command
  const usage = [
    `holdfast ${name}${positionalUsage(positional)} [options]`,
    '',
    ...examplesOf(examples),
    '',
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
    ...details,
  ].join('\n')
  const own =
    positional === undefined ? args : args.positional(positional.name, positionalOptions(positional))
  return own
    .usage(usage)
    .options(
      Object.fromEntries(
        Object.entries(options).map(([flag, option]) => [
          flag,
          yargsOption({ ...option, describe: withShort(flag, withValues(option)) }),
        ]),
      ),
    )
    .check((values) => {
      const repeated = Object.keys(options).find(
        (flag) => options[flag]?.kind === 'text' && Array.isArray(values[flag]),
      )
      return repeated === undefined ? true : `--${repeated} is given twice; keep one`
    })
}

/** The only values of an option, where its description does not name them. */
function withValues({ describe, values = [] }: Option): string {
  const isNamed = values.every((value) => new RegExp(`\\b${value}\\b`).test(describe))
  return isNamed || values.length > MAX_VALUES ? describe : `${describe} (${values.join(', ')})`
}
const MAX_VALUES = 12

/** The short forms are rewritten before the line is parsed, and yargs would return an alias as a flag of its own. */
function withShort(flag: string, describe: string): string {
  const short = Object.entries(SHORT_OPTIONS).find(
    ([, [long, value]]) => long === `--${flag}` && value === undefined,
  )
  return short === undefined ? describe : `${describe} (short: -${short[0]})`
}

const yargsOption = ({ kind, describe, group, isHidden }: Option) => ({
  describe,
  hidden: isHidden === true,
  ...(group !== undefined && { group }),
  ...(kind === 'switch'
    ? { type: 'boolean' as const }
    : { type: 'string' as const, requiresArg: true as const }),
})

const positionalOptions = (positional: Positional) => ({
  type: 'string' as const,
  describe: positional.describe,
  ...(positional.kind === 'words' && { array: true }),
  ...(positional.kind === 'choice' && { choices: positional.choices }),
})
