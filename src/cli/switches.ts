import { err, ok, type Result } from '../base/result.ts'
import { onOff } from '../config/reader.ts'
import { COMMANDS } from './commands.ts'

/**
 * Rewrites `--dry-run=yes` and `--ipv6=off` to `--dry-run` and `--no-ipv6`. yargs reads every value except `true` as
 * false, so `--dry-run=yes` would send a real update. The error lists each value that is neither on nor off.
 */
export async function normalizeSwitches(
  words: readonly string[],
): Promise<Result<readonly string[], readonly string[]>> {
  const name = words.find((word) => COMMANDS.some((command) => command.name === word))
  const options = (await COMMANDS.find((command) => command.name === name)?.options()) ?? {}
  const end = words.includes('--') ? words.indexOf('--') : words.length
  const errors: string[] = []
  const normalized = words.slice(0, end).map((word) => {
    const [, flag = '', value = ''] = /^--([^=]+)=(.*)$/s.exec(word) ?? []
    if (!Object.hasOwn(options, flag) || options[flag]?.kind !== 'switch') return word
    const isOn = onOff.read(value)
    if (!isOn.ok) errors.push(`--${flag} ${isOn.error}; write --${flag} or --no-${flag}`)
    return isOn.ok && isOn.value ? `--${flag}` : `--no-${flag}`
  })
  return errors.length > 0 ? err(errors) : ok([...normalized, ...words.slice(end)])
}
