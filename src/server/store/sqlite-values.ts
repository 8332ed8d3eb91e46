import type { SQLOutputValue, StatementSync } from 'node:sqlite'
import { type Instant, instant } from '../../base/time.ts'

/** Returns the prepared statement of a text; values are always bound. */
export type Sql = (text: string) => StatementSync
export type Row = Record<string, SQLOutputValue>

export type Value = SQLOutputValue | undefined

export const textValue = (value: Value): string => String(value)
export const number = (value: Value): number => Number(value)
export const isOn = (value: Value): boolean => value === 1
/** An object with this property, or an empty one without a value. */
export const optional = <K extends string, T>(
  key: K,
  value: T | null | undefined,
): { readonly [P in K]?: T } =>
  value === null || value === undefined ? {} : ({ [key]: value } as { readonly [P in K]: T })
export const wordList = (value: Value): readonly string[] | undefined =>
  typeof value === 'string' ? value.split(' ').filter((word) => word !== '') : undefined
export const integer = (value: Value): number | undefined => (typeof value === 'number' ? value : undefined)
export const instantOf = (value: Value): Instant | undefined =>
  typeof value === 'number' ? instant(value) : undefined

/** In SQL, the names beneath ?1, which is reversed: '/' is the character after '.'. */
export const BENEATH = `labels_reversed > ?1 || '.' AND labels_reversed < ?1 || '/'`

/** Which hash key new hashes are made with: rotations count it up. */
export const HASH_KEY_NUMBER = `(SELECT coalesce(max(CAST(value AS INTEGER)), 1) FROM fact WHERE name = 'hash_key_number')`

/** In SQL, an id that no row of the table has had. */
export const newId = (table: 'account' | 'ddns_key' | 'api_key'): string =>
  `max(coalesce((SELECT max(id) FROM ${table}), 0), coalesce((SELECT id FROM last_id WHERE of = '${table}'), 0)) + 1`
