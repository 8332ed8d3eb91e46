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

/** An option of a command's own, with its name on the command line. */
interface FlagOption extends Option {
  readonly flag: string
  /** Of a switch: that it is not given means something else than off. */
  readonly isOpen?: true
}

/** An argument without a flag: one optional word, one of several choices, or any number of words. */
export type Positional =
  | {
      readonly kind: 'word' | 'words'
      readonly name: string
      readonly describe: string
      /** Words that it may be, for completion. */
      readonly suggestions?: readonly string[]
    }
  | {
      readonly kind: 'choice'
      readonly name: string
      readonly describe: string
      readonly choices: readonly string[]
    }

/** What a command takes, by the field of its record of flags. */
export type FlagTable = Readonly<Record<string, FlagOption | Positional>>

/** The values of a command line as the parser returns them, by the name of the flag or of the positional. */
export type ParsedFlags = Readonly<Record<string, unknown>>

export const JSON_OUTPUT = { kind: 'switch', flag: 'json', describe: 'print the result as JSON' } as const

interface ValueOfKind {
  readonly switch: boolean
  readonly text: string | undefined
  readonly list: readonly string[]
  readonly word: string | undefined
  readonly words: readonly string[]
}
type ValueOf<Row> = Row extends { readonly kind: 'choice'; readonly choices: readonly (infer Choice)[] }
  ? Choice
  : Row extends { readonly kind: 'switch'; readonly isOpen: true }
    ? boolean | undefined
    : Row extends { readonly kind: keyof ValueOfKind }
      ? ValueOfKind[Row['kind']]
      : never

/** The typed record that a table of flags gives. */
export type FlagsOf<Table extends FlagTable> = { readonly [Field in keyof Table]: ValueOf<Table[Field]> }

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const list = (value: unknown): readonly string[] => [value ?? []].flat().map(String)

const READERS: Readonly<Record<FlagTable[string]['kind'], (value: unknown) => unknown>> = {
  switch: (value) => value === true,
  text,
  list,
  word: text,
  choice: text,
  words: list,
}

const valueOf = (row: FlagTable[string], value: unknown): unknown =>
  'isOpen' in row && value === undefined ? undefined : READERS[row.kind](value)

/** Reads the flags of one command. Both parsers have checked the kinds and the choices, which the type relies on. */
export const readFlags = <Table extends FlagTable>(table: Table, parsed: ParsedFlags): FlagsOf<Table> =>
  Object.fromEntries(
    Object.entries(table).map(([field, row]) => [
      field,
      valueOf(row, parsed['flag' in row ? row.flag : row.name]),
    ]),
  ) as FlagsOf<Table>

/** The options of a table of flags, by the flag's name. */
export const optionsIn = (table: FlagTable): Options =>
  Object.fromEntries(Object.values(table).flatMap((row) => ('flag' in row ? [[row.flag, row]] : [])))

/** The positional of a table of flags; a command has one at most. */
export const positionalIn = (table: FlagTable): Positional | undefined =>
  Object.values(table).find((row): row is Positional => !('flag' in row))
