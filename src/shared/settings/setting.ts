import { nearest } from '../base/nearest.ts'
import { err, ok, type Result } from '../base/result.ts'
import { ARGUMENT_END, type SettingReader, type Shape } from './reader.ts'

/**
 * The definition of one setting. Its names in files, on the command line and in the environment derive from its key in
 * the table.
 */
export interface Setting<T> {
  readonly reader: SettingReader<T>
  /** One line for --help, the schema and docs/settings.md, with unit and default unless `fallback` shows it. */
  readonly help: string
  /** The value where no layer has one. */
  readonly fallback?: T
  /** A missing value is a complaint. */
  readonly isNeeded?: true
  /** The name of the flag, where it differs from the key. */
  readonly flag?: string
}

/** Definitions of settings by key (camelCase), such as ACCOUNT_SETTINGS. */
export type SettingTable = Readonly<Record<string, Setting<unknown>>>

type ValueOf<S extends Setting<unknown>> = Extract<ReturnType<S['reader']['read']>, { ok: true }>['value']
/**
 * The values of a table by key. Settings with a fallback and needed settings are always present, all others may be
 * undefined.
 */
export type Values<T extends SettingTable> = {
  readonly [K in keyof T]: T[K] extends { readonly fallback: unknown } | { readonly isNeeded: true }
    ? ValueOf<T[K]>
    : ValueOf<T[K]> | undefined
}

const snake = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
export const fileKeyOf = (key: string): string => snake(key)
export const envOf = (key: string): string => `HOLDFAST_${snake(key).toUpperCase()}`
export const flagOf = (key: string, setting: Setting<unknown>): string =>
  setting.flag ?? snake(key).replaceAll('_', '-')

/** An unparsed value and its place: "holdfast.toml:12", "--interval" or "HOLDFAST_INTERVAL". */
export interface GivenValue {
  readonly value: unknown
  readonly where: string
}

/** The unparsed values of one origin (the flags, the environment, or one table of the file), by setting key. */
export type SettingLayer = Readonly<Record<string, GivenValue>>

/** The place of each given value, by setting key. Settings that no layer has are absent. */
export type ValuePlaces = Readonly<Record<string, string>>

/**
 * One fault in the settings: its place (empty where there is none), and a sentence that says what is wrong and what would
 * be right.
 */
export interface Complaint {
  readonly where: string
  readonly problem: string
}

export const formatComplaint = ({ where, problem }: Complaint): string =>
  where === '' ? problem : `${where}: ${problem}`

/** A table that was read. Where `complaints` is not empty, the values of the faulty settings are their fallbacks. */
export interface TableResult<T extends SettingTable> {
  readonly values: Values<T>
  readonly complaints: readonly Complaint[]
  readonly places: ValuePlaces
}

/** What reading a table needs besides its layers. */
export interface ReadContext {
  /** For complaints about a missing setting: its table, such as "account home"; empty for the top of the file. */
  readonly subject: string
  /** The file in which to set a missing setting. */
  readonly file: string
  /** Makes a path whole. Default: it stays as it is written. */
  readonly wholePath?: ((path: string) => Result<string, string>) | undefined
}

/** Reads every setting of a table from the first layer that has it, and collects all complaints. */
export function readTable<T extends SettingTable>(
  table: T,
  layers: readonly SettingLayer[],
  { subject, file, wholePath = ok }: ReadContext,
): TableResult<T> {
  const complaints: Complaint[] = []
  const places: Record<string, string> = {}
  const values = Object.fromEntries(
    Object.entries(table).map(([key, setting]) => {
      const given = layers.find((layer) => Object.hasOwn(layer, key))?.[key]
      if (given === undefined) {
        if (setting.isNeeded) complaints.push({ where: subject, problem: missing(key, setting, file) })
        return [key, setting.fallback]
      }
      places[key] = given.where
      const read = readValue(given.value, setting.reader, wholePath)
      if (read.ok) return [key, read.value]
      for (const problem of read.error.split('\n'))
        complaints.push({ where: given.where, problem: `${fileKeyOf(key)} ${problem}` })
      return [key, setting.fallback]
    }),
  )
  return { values: values as Values<T>, complaints, places }
}

function readValue(
  value: unknown,
  reader: SettingReader<unknown>,
  wholePath: (path: string) => Result<string, string>,
): Result<unknown, string> {
  const text = asText(value, reader.shape)
  if (text === undefined) return err(shapeProblem(value, reader))
  const read = reader.read(text)
  return read.ok && reader.isPath === true && typeof read.value === 'string' ? wholePath(read.value) : read
}

const missing = (key: string, setting: Setting<unknown>, file: string): string =>
  `${fileKeyOf(key)} is missing (${setting.help}); set it in ${file}, as --${flagOf(key, setting)} or ${envOf(key)}`

const EXPECTED: Readonly<Record<Shape, string>> = {
  text: 'must be text in quotes',
  list: 'must be a list of texts in quotes, such as ["a", "b"]',
  arguments: 'must be a list of texts in quotes, such as ["/usr/local/bin/program", "argument"]',
  switch: 'must be true or false, without quotes',
  number: 'must be a whole number, without quotes',
  span: 'must be a duration in quotes, such as "5m"',
}

/** Why a value does not have the shape of its setting. A repeated flag is a list of texts. */
const shapeProblem = (value: unknown, { shape, hint }: SettingReader<unknown>): string =>
  Array.isArray(value) && shape !== 'list' && shape !== 'arguments'
    ? 'must be one value, and is set more than once or as a list'
    : (hint?.(value) ?? EXPECTED[shape])

function asText(value: unknown, shape: Shape): string | undefined {
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) {
    if (shape === 'list') return value.join(',')
    if (shape === 'arguments') return value.map((item) => `${item}${ARGUMENT_END}`).join('')
  }
  if (typeof value === 'boolean' && shape === 'switch') return String(value)
  if (value === 0 && shape === 'span') return '0'
  return typeof value === 'number' && shape === 'number' ? String(value) : undefined
}

/** The layer of the environment. An empty variable counts as unset. */
export function fromEnvironment(
  table: SettingTable,
  environment: Readonly<Record<string, string | undefined>>,
): SettingLayer {
  return Object.fromEntries(
    Object.keys(table).flatMap((key) => {
      const value = environment[envOf(key)]
      return value === undefined || value === '' ? [] : [[key, { value, where: envOf(key) }]]
    }),
  )
}

/** The layer of the command line, from values by flag name. */
export function fromFlags(table: SettingTable, flags: Readonly<Record<string, unknown>>): SettingLayer {
  return Object.fromEntries(
    Object.entries(table).flatMap(([key, setting]) => {
      const flag = flagOf(key, setting)
      return flags[flag] === undefined ? [] : [[key, { value: flags[flag], where: `--${flag}` }]]
    }),
  )
}

/** Names that other update clients use for these settings. */
// biome-ignore format: a table
const FOREIGN_NAMES: Readonly<Record<string, string>> = {
  user: 'username', login: 'username',
  pass: 'password', passwd: 'password', pw: 'password', token: 'password',
  host: 'hostnames', hosts: 'hostnames', domain: 'hostnames', domains: 'hostnames',
  url: 'server', service: 'provider',
  daemon: 'interval', period: 'interval',
  use: 'sources', iface: 'sources', web: 'sources',
}

/** The known setting key closest to an unknown key; undefined where none is close. */
export function closestSetting(key: string, known: readonly string[]): string | undefined {
  const name = FOREIGN_NAMES[key.toLowerCase()]
  return name !== undefined && known.includes(name) ? name : nearest(key, known)
}

/** The complaint about an unknown key. An error and not a warning, because a mistyped setting has no effect. */
export function unknownKey(key: string, known: readonly string[]): string {
  const closest = closestSetting(key, known)
  return `${key} is not a setting${closest === undefined ? '' : `; did you mean ${closest}?`}`
}
