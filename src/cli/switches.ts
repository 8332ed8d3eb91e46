import { err, ok, type Result } from '../base/result.ts'
import { onOff } from '../config/reader.ts'
import { COMMANDS } from './commands.ts'

/**
 * The line with `--dry-run=yes` and `--ipv6=off` written as `--dry-run` and `--no-ipv6`, which both readers of the line
 * know: yargs takes every value but `true` for false, and an update that was to be a rehearsal would be sent.
 */
export async function withEnvironmentSwitches(
  words: readonly string[],
): Promise<Result<readonly string[], readonly string[]>> {
  const name = words.find((word) => COMMANDS.some((command) => command.name === word))
  const options = (await COMMANDS.find((command) => command.name === name)?.options()) ?? {}
  const end = words.includes('--') ? words.indexOf('--') : words.length
  const wrong: string[] = []
  const read = words.slice(0, end).map((word) => {
    const [, flag = '', value = ''] = /^--([^=]+)=(.*)$/s.exec(word) ?? []
    if (!Object.hasOwn(options, flag) || options[flag]?.type !== 'boolean') return word
    const isOn = onOff.read(value)
    if (!isOn.ok) wrong.push(`--${flag} ${isOn.error}; write --${flag} or --no-${flag}`)
    return isOn.ok && isOn.value ? `--${flag}` : `--no-${flag}`
  })
  return wrong.length > 0 ? err(wrong) : ok([...read, ...words.slice(end)])
}
