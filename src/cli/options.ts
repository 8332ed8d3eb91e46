import { formatDuration, milliseconds } from '../base/time.ts'
import { flagOf, type Setting, type SettingTable } from '../config/setting.ts'

/** One option of the command line, in the words of yargs. */
export interface Option {
  readonly type: 'string' | 'boolean'
  readonly describe: string
  readonly requiresArg?: true
  readonly group?: string
}

/** The command line's options, from the table of settings. Lists may be given as one list or by repeating the flag. */
export function optionsOf(table: SettingTable, group: string): Record<string, Option> {
  return Object.fromEntries(
    Object.entries(table).map(([key, setting]) => [
      flagOf(key, setting),
      {
        group,
        describe: setting.help + shown(setting),
        ...(setting.reader.shape === 'switch' ? { type: 'boolean' } : { type: 'string', requiresArg: true }),
      } satisfies Option,
    ]),
  )
}

function shown({ fallback, reader }: Setting<unknown>): string {
  if (typeof fallback === 'boolean') return ` [${fallback ? 'on' : 'off'}]`
  if (typeof fallback === 'string') return ` [${fallback}]`
  if (typeof fallback !== 'number') return ''
  return ` [${reader.shape === 'number' ? fallback : formatDuration(milliseconds(fallback))}]`
}
