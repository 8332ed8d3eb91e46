import { nearest } from '../../base/nearest.ts'
import type { Command } from './command.ts'
import type { Options } from './options.ts'

interface Mistake {
  /** The groups of the message of yargs. */
  readonly found: readonly string[]
  readonly words: readonly string[]
  /** Undefined if the line does not begin with a command. */
  readonly command: Command | undefined
  /** The flags of the command, or of all commands. */
  readonly flags: readonly string[]
}

/**
 * The messages of yargs name its own terms; each row has the words of the
 * command line instead. Other messages stay as they are.
 */
const WORDINGS: readonly (readonly [RegExp, (mistake: Mistake) => string])[] = [
  [
    /^Did you mean (.+)\?/,
    ({ found: [name = ''], words }) => `${words[0]} is not a command (did you mean ${name}?)`,
  ],
  [/^Unknown arguments?: ([^,]+)/, unknownWording],
  [/^Not enough arguments following: (.+)/, ({ found: [flag = ''] }) => `--${flag} needs a value`],
  [
    /^Not enough non-option arguments/,
    ({ command }) => `${command?.name ?? 'the command'} needs ${choicesOf(command)}`,
  ],
  [
    /^Invalid values:[^]*Given: "([^"]*)"/,
    ({ found: [word = ''], command }) =>
      `${command?.name ?? 'the command'} ${word} does not exist; use ${choicesOf(command)}`,
  ],
]

/** What is wrong with a command line, for the user. */
export function usageErrorText(
  message: string,
  words: readonly string[],
  options: ReadonlyMap<Command, Options>,
): string {
  const own = [...options].filter(([{ name }]) => name === words[0])
  const flags = (own.length > 0 ? own : [...options]).flatMap(([, some]) => Object.keys(some))
  for (const [pattern, wording] of WORDINGS) {
    const match = pattern.exec(message)
    if (match !== null) return wording({ found: match.slice(1), words, command: own[0]?.[0], flags })
  }
  return message
}

function unknownWording({ found: [name = ''], words, command, flags }: Mistake): string {
  const isFlag = words.some((word) => /^--?([^=]+)/.exec(word)?.[1] === name)
  if (!isFlag) return name === words[0] ? `${name} is not a command` : `the word ${name} is not expected here`
  const near = nearest(name, flags)
  const of = command === undefined ? '' : ` of ${command.name}`
  const advice = near === undefined ? '' : ` (did you mean --${near}?)`
  return `${name.length === 1 ? '-' : '--'}${name} is not an option${of}${advice}`
}

function choicesOf(command: Command | undefined): string {
  const positional = command?.positional
  return positional?.kind === 'choice'
    ? `one of ${positional.choices.join(', ')}`
    : (positional?.name ?? 'an argument')
}
