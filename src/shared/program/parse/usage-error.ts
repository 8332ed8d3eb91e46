import { nearest } from '../../base/nearest.ts'
import type { Command } from './command.ts'
import type { Options } from './flags.ts'

interface Mistake {
  /** The groups of the message of yargs. */
  readonly found: readonly string[]
  readonly words: readonly string[]
  /** Undefined if the line does not begin with a command. */
  readonly command: Command | undefined
  /** The flags of the command, or of all commands. */
  readonly flags: readonly string[]
  readonly commands: readonly string[]
}

/** Words that people try, and what they lead to. */
const LEADS: Readonly<Record<string, string>> = {
  setup: 'holdfast init',
  dyndns: 'holdfast init, or holdfast update',
  install: 'holdfast init, which offers to start the service; or holdfast service install',
  start: 'sudo systemctl enable --now holdfast, or holdfast run in this terminal',
  log: 'journalctl -u holdfast',
  logs: 'journalctl -u holdfast',
  version: 'holdfast --version',
}

function notACommand(word: string, commands: readonly string[]): string {
  const lead = Object.hasOwn(LEADS, word) ? LEADS[word] : undefined
  if (lead !== undefined) return `${word} is not a command; use ${lead}`
  const near = nearest(word, commands)
  return `${word} is not a command${near === undefined ? '' : ` (did you mean ${near}?)`}`
}

/**
 * The messages of yargs name its own terms; each row has the words of the
 * command line instead. Other messages stay as they are.
 */
const WORDINGS: readonly (readonly [RegExp, (mistake: Mistake) => string])[] = [
  [/^Did you mean .+\?/, ({ words: [word = ''], commands }) => notACommand(word, commands)],
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
  const commands = [...options].map(([{ name }]) => name)
  for (const [pattern, wording] of WORDINGS) {
    const match = pattern.exec(message)
    if (match !== null)
      return wording({ found: match.slice(1), words, command: own[0]?.[0], flags, commands })
  }
  return message
}

function unknownWording({ found: [name = ''], words, command, flags, commands }: Mistake): string {
  const isFlag = words.some((word) => /^--?([^=]+)/.exec(word)?.[1] === name)
  if (!isFlag)
    return name === words[0] ? notACommand(name, commands) : `the word ${name} is not expected here`
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
