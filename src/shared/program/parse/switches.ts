import { err, ok, type Result } from '../../base/result.ts'
import { onOff } from '../../settings/reader.ts'
import type { Command } from './command.ts'
import type { Options } from './options.ts'

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
