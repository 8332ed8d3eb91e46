import parser from 'yargs-parser'
import type { Flags } from '../app/flags.ts'
import type { Command } from './command.ts'
import { COMMANDS } from './commands.ts'
import type { Option } from './options.ts'

/** A command line that was understood. */
export interface ParsedCommand {
  readonly command: Command
  readonly flags: Flags
}

/** How a line is taken apart; the same for the quick reader and for yargs, which has the same parser inside. */
export const CONFIGURATION = {
  'camel-case-expansion': false,
  'dot-notation': false,
  'greedy-arrays': false,
} as const

/**
 * Reads a line in which nothing is wrong and no help is asked for; undefined for every other, which is yargs' to read.
 * yargs takes longer to load than a whole update takes, and what it adds is the words for what is wrong.
 */
export async function parseFast(words: readonly string[]): Promise<ParsedCommand | undefined> {
  const [name, ...rest] = words
  const command = COMMANDS.find((one) => one.name === name)
  // A lone dash is a word to one reader and nothing to the other.
  if (command === undefined || rest.includes('--') || rest.includes('-')) return undefined
  const options = await command.options()
  const { argv, error } = parser.detailed([...rest], hintsOf(options))
  if (error !== null) return undefined
  const { _: loose, ...given } = argv
  const isPlain = Object.entries(given).every(
    ([flag, value]) => Object.hasOwn(options, flag) && isFit(options[flag], value),
  )
  const positional = positionalOf(command, loose)
  return isPlain && positional !== undefined ? { command, flags: { ...given, ...positional } } : undefined
}

function hintsOf(options: Readonly<Record<string, Option>>): parser.Options {
  const of = (type: Option['type']): string[] =>
    Object.keys(options).filter((key) => options[key]?.type === type)
  const needy = Object.keys(options).filter((key) => options[key]?.requiresArg)
  return {
    boolean: of('boolean'),
    // "_" too: a word that looks like a number is a word.
    string: [...of('string'), '_'],
    narg: Object.fromEntries(needy.map((key) => [key, 1])),
    configuration: CONFIGURATION,
  }
}

const isFit = (option: Option | undefined, value: unknown): boolean =>
  option?.type === 'boolean' ? typeof value === 'boolean' : option !== undefined && isText(value)

const isText = (value: unknown): boolean =>
  typeof value === 'string' || (Array.isArray(value) && value.every((one) => typeof one === 'string'))

function positionalOf({ positional }: Command, loose: readonly unknown[]): Flags | undefined {
  const words = loose.filter((word) => typeof word === 'string')
  if (words.length !== loose.length) return undefined
  if (positional === undefined) return words.length === 0 ? {} : undefined
  const { name, form, choices } = positional
  if (form === 'words') return { [name]: words }
  const [word, ...more] = words
  if (more.length > 0 || (word === undefined && form === 'needed')) return undefined
  if (word === undefined) return {}
  return choices === undefined || choices.includes(word) ? { [name]: word } : undefined
}
