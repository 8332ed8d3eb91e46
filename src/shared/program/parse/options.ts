import { formatDuration, milliseconds } from '../../base/time.ts'
import { flagOf, type Setting, type SettingTable } from '../../settings/setting.ts'

/** One option of the command line. A switch is on or off, a text is given once, a list may be repeated. */
export interface Option {
  readonly kind: 'switch' | 'text' | 'list'
  readonly describe: string
  /** The only values, where it has a few. */
  readonly values?: readonly string[]
  /** The value is the path of a file or folder. */
  readonly isPath?: true
  /** Taken, and left out of --help: this command does nothing with it. */
  readonly isHidden?: true
  /** The heading of the option in --help. */
  readonly group?: string
}

/** Options by the flag's name. */
export type Options = Readonly<Record<string, Option>>

/** The options of a table of settings. The settings check themselves how often a flag may be given. */
export const optionsOf = (table: SettingTable, group: string): Options =>
  Object.fromEntries(
    Object.entries(table).map(([key, setting]) => [
      flagOf(key, setting),
      {
        kind: setting.reader.shape === 'switch' ? 'switch' : 'list',
        group,
        describe: setting.help + formatDefault(setting),
        ...(setting.reader.schema['enum'] !== undefined && {
          values: setting.reader.schema['enum'] as readonly string[],
        }),
        ...(setting.reader.isPath && { isPath: true }),
      } satisfies Option,
    ]),
  )

function formatDefault({ fallback, reader }: Setting<unknown>): string {
  if (typeof fallback === 'boolean') return ` [${fallback ? 'on' : 'off'}]`
  if (typeof fallback === 'string') return ` [${fallback}]`
  if (typeof fallback !== 'number') return ''
  return ` [${reader.shape === 'number' ? fallback : formatDuration(milliseconds(fallback))}]`
}
