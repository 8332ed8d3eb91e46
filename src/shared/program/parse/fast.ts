import type { Command } from './command.ts'
import type { Option, Options, ParsedFlags } from './flags.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { onOff } from '../../settings/reader.ts'

import parser from 'yargs-parser'

/** A valid command line. */
export interface ParsedCommand {
  readonly command: Command
  readonly flags: ParsedFlags
}

/** The parser's own options: the same here and for yargs, which contains the same parser. */
export const CONFIGURATION = {
  'camel-case-expansion': false,
  'dot-notation': false,
  'greedy-arrays': false,
} as const

/**
 * Parses a valid command line without yargs; undefined for every other line and for --help, which yargs handles.
 * Loading yargs takes longer than a whole update, and it adds only help and error messages.
 */
export async function parseFast(
  commands: readonly Command[],
  words: readonly string[],
): Promise<ParsedCommand | undefined> {
  const [name, ...rest] = words
  const command = commands.find((one) => one.name === name)
  if (command === undefined || rest.includes('--')) return undefined
  // The two parsers disagree on a single dash: yargs loses it where it stands for a file.
  const mayBeFile = command.positional?.name === 'file' || command.name === 'admin'
  if (rest.includes('-') && !mayBeFile) return undefined
  const options = await command.options()
  const { argv, error } = parser.detailed([...rest], parserOptions(options))
  if (error !== null) return undefined
  const { _: loose, ...values } = argv
  const areValid = Object.entries(values).every(
    ([flag, value]) => Object.hasOwn(options, flag) && isValid(options[flag], value),
  )
  const positional = positionalFlags(command, loose)
  return areValid && positional !== undefined ? { command, flags: { ...values, ...positional } } : undefined
}

function parserOptions(options: Options): parser.Options {
  const flags = Object.keys(options)
  const switches = flags.filter((flag) => options[flag]?.kind === 'switch')
  const others = flags.filter((flag) => options[flag]?.kind !== 'switch')
  return {
    boolean: switches,
    // "_" keeps an argument that looks like a number as text.
    string: [...others, '_'],
    narg: Object.fromEntries(others.map((flag) => [flag, 1])),
    configuration: CONFIGURATION,
  }
}

const isText = (value: unknown): boolean => typeof value === 'string'
const VALID: Readonly<Record<Option['kind'], (value: unknown) => boolean>> = {
  switch: (value) => typeof value === 'boolean',
  text: isText,
  list: (value) => isText(value) || (Array.isArray(value) && value.every(isText)),
}
const isValid = (option: Option | undefined, value: unknown): boolean =>
  option !== undefined && VALID[option.kind](value)

/** The positional's value by its name; undefined where the words do not fit it. */
function positionalFlags({ positional }: Command, loose: readonly unknown[]): ParsedFlags | undefined {
  const words = loose.filter((word) => typeof word === 'string')
  if (words.length !== loose.length) return undefined
  if (positional === undefined) return words.length === 0 ? {} : undefined
  const { name, kind } = positional
  if (kind === 'words') return { [name]: words }
  const [word, ...more] = words
  if (more.length > 0) return undefined
  if (word === undefined) return kind === 'choice' ? undefined : {}
  return kind === 'choice' && !positional.choices.includes(word) ? undefined : { [name]: word }
}

/** Short forms of options, and of one option with its value. */
export const SHORT_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  c: ['--config'],
  q: ['--quiet'],
  v: ['--log-level', 'debug'],
}

/**
 * Rewrites `-q` and `-qv` to the long forms that the command has. A word
 * after an option that needs a value is that value.
 */
function withLongForms(words: readonly string[], options: Options): readonly string[] {
  const has = (letter: string): boolean => {
    const [long = ''] = SHORT_OPTIONS[letter] ?? []
    return Object.hasOwn(options, long.slice(2))
  }
  const isValueAfter = (word = ''): boolean => {
    const option = word.startsWith('--') ? options[word.slice(2)] : undefined
    return option !== undefined && option.kind !== 'switch'
  }
  return words.flatMap((word, at) => {
    const letters = /^-([a-z]+)$/.exec(word)?.[1] ?? ''
    const [, path] = /^-c(.+)$/s.exec(word) ?? []
    if (
      path !== undefined &&
      has('c') &&
      (letters === '' || !letters.split('').every(has)) &&
      !isValueAfter(words[at - 1])
    )
      return ['--config', path]
    const isShort = letters !== '' && letters.split('').every(has) && !isValueAfter(words[at - 1])
    return isShort ? letters.split('').flatMap((letter) => SHORT_OPTIONS[letter] ?? []) : [word]
  })
}

/**
 * Rewrites `--dry-run=yes` and `--ipv6=off` to `--dry-run` and `--no-ipv6`. yargs reads every value except `true` as
 * false, so `--dry-run=yes` would send a real update. The error lists each value that is neither on nor off.
 */
export async function normalizeSwitches(
  commands: readonly Command[],
  words: readonly string[],
): Promise<Result<readonly string[], readonly string[]>> {
  if (words[0] === 'help' && words.length > 1)
    return normalizeSwitches(commands, [...words.slice(1), '--help'])
  const name = words.find((word) => commands.some((command) => command.name === word))
  const options = (await commands.find((command) => command.name === name)?.options()) ?? {}
  const end = words.includes('--') ? words.indexOf('--') : words.length
  const errors: string[] = []
  const normalized = withLongForms(words.slice(0, end), options).map((word) => {
    const [, flag = '', value = ''] = /^--([^=]+)=(.*)$/s.exec(word) ?? []
    if (!Object.hasOwn(options, flag) || options[flag]?.kind !== 'switch') return word
    const isOn = onOff.read(value)
    if (!isOn.ok) errors.push(`--${flag} ${isOn.error}; write --${flag} or --no-${flag}`)
    return isOn.ok && isOn.value ? `--${flag}` : `--no-${flag}`
  })
  return errors.length > 0 ? err(errors) : ok([...normalized, ...words.slice(end)])
}
