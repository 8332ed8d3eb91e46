import { type Instant, instant } from '../../base/time.ts'

/** What is bound to a statement. */
export type Bound = string | number | bigint | Uint8Array | null
export type Value = Bound | undefined
export type Row = Readonly<Record<string, Value>>

/** Counters and caches know these rows by their ids, so an id is never used again. */
export type NumberedTable = 'account' | 'ddns_key' | 'api_key'

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
