import { nearest } from '../base/nearest.ts'
import type { SettingReader, Shape } from './reader.ts'

/** One setting: how it is read and what it is for. Its names in files, flags and the environment follow from its key. */
export interface Setting<T> {
  readonly reader: SettingReader<T>
  /** One line for --help, the schema and the documentation. */
  readonly help: string
  readonly fallback?: T
  /** Must be given somewhere. */
  readonly isNeeded?: true
  /** Another word on the command line than the key's own. */
  readonly flag?: string
}

export type SettingTable = Readonly<Record<string, Setting<unknown>>>

type ValueOf<S extends Setting<unknown>> = Extract<ReturnType<S['reader']['read']>, { ok: true }>['value']
/** What a table gives once read: settings with a fallback, or needed ones, are always there. */
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

/** A value as somebody gave it, and where: "holdfast.toml:12", "--interval", "HOLDFAST_INTERVAL". */
export interface GivenValue {
  readonly value: unknown
  readonly where: string
}

/** Values by setting key. */
export type SettingLayer = Readonly<Record<string, GivenValue>>

/** One thing that is wrong, where, and what would be right. */
export interface Complaint {
  readonly where: string
  readonly problem: string
}

export const formatComplaint = ({ where, problem }: Complaint): string =>
  where === '' ? problem : `${where}: ${problem}`

export interface TableResult<T extends SettingTable> {
  readonly values: Values<T>
  readonly complaints: readonly Complaint[]
  /** Where each value that somebody gave stands, by setting key. */
  readonly places: Readonly<Record<string, string>>
}

/** For what is said of a setting that is missing: whose it is, and the file that it could stand in. */
export interface MissingContext {
  readonly subject: string
  readonly file: string
}

/** Reads every setting of a table from the first layer that has it. All complaints at once. */
export function readTable<T extends SettingTable>(
  table: T,
  layers: readonly SettingLayer[],
  { subject, file }: MissingContext,
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
      const plain = asText(given.value, setting.reader.shape)
      const read = plain === undefined ? undefined : setting.reader.read(plain)
      if (read?.ok) return [key, read.value]
      const wrong = read?.error ?? misfit(given.value, setting.reader)
      for (const one of wrong.split('\n'))
        complaints.push({ where: given.where, problem: `${fileKeyOf(key)} ${one}` })
      return [key, setting.fallback]
    }),
  )
  return { values: values as Values<T>, complaints, places }
}

const missing = (key: string, setting: Setting<unknown>, file: string): string =>
  `${fileKeyOf(key)} is missing (${setting.help}); give it in ${file}, as --${flagOf(key, setting)} or ${envOf(key)}`

const NEEDS: Readonly<Record<Shape, string>> = {
  text: 'must be text in quotes',
  list: 'must be a list of texts',
  switch: 'must be true or false',
  number: 'must be a whole number',
  span: 'must be a duration in quotes, such as "5m"',
}

/** A flag that is repeated comes as a list of texts. */
const misfit = (value: unknown, { shape, instead }: SettingReader<unknown>): string =>
  Array.isArray(value) && shape !== 'list'
    ? 'is given more than once, or as a list'
    : (instead?.(value) ?? NEEDS[shape])

function asText(value: unknown, shape: Shape): string | undefined {
  if (typeof value === 'string') return value
  if (Array.isArray(value) && shape === 'list' && value.every((item) => typeof item === 'string'))
    return value.join(',')
  if (typeof value === 'boolean' && shape === 'switch') return String(value)
  if (value === 0 && shape === 'span') return '0'
  return typeof value === 'number' && shape === 'number' ? String(value) : undefined
}

/** The environment's layer. An empty variable is as good as none. */
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

/** The command line's layer, from options by flag name. */
export function fromFlags(table: SettingTable, flags: Readonly<Record<string, unknown>>): SettingLayer {
  return Object.fromEntries(
    Object.entries(table).flatMap(([key, setting]) => {
      const flag = flagOf(key, setting)
      return flags[flag] === undefined ? [] : [[key, { value: flags[flag], where: `--${flag}` }]]
    }),
  )
}

/** What other update clients call our settings. */
// biome-ignore format: a table
const ELSEWHERE: Readonly<Record<string, string>> = {
  user: 'username', login: 'username',
  pass: 'password', passwd: 'password', pw: 'password', token: 'password',
  host: 'hostnames', hosts: 'hostnames', domain: 'hostnames', domains: 'hostnames',
  url: 'server', provider: 'server',
  daemon: 'interval', period: 'interval',
  use: 'sources', iface: 'sources', web: 'sources',
}

/** The setting that a key was probably meant to be. */
export function closestSetting(key: string, known: readonly string[]): string | undefined {
  const word = ELSEWHERE[key.toLowerCase()]
  return word !== undefined && known.includes(word) ? word : nearest(key, known)
}

/** A key that no setting has: an error, because a mistyped setting that is ignored is a setting that lies. */
export function unknownKey(key: string, known: readonly string[]): string {
  const meant = closestSetting(key, known)
  return `${key} is no setting${meant === undefined ? '' : `; did you mean ${meant}?`}`
}
