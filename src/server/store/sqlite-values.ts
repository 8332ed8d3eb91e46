import type { SQLOutputValue, StatementSync } from 'node:sqlite'
import { type Instant, instant } from '../../base/time.ts'

/** A prepared statement for each text; every value is bound. */
export type Sql = (text: string) => StatementSync
export type Row = Record<string, SQLOutputValue>

export const text = (value: SQLOutputValue | undefined): string => String(value)
export const number = (value: SQLOutputValue | undefined): number => Number(value)
export const isOn = (value: SQLOutputValue | undefined): boolean => value === 1
export const optional = <K extends string, T>(
  key: K,
  value: T | null | undefined,
): { readonly [P in K]?: T } =>
  value === null || value === undefined ? {} : ({ [key]: value } as { readonly [P in K]: T })
export const words = (value: SQLOutputValue | undefined): readonly string[] | undefined =>
  typeof value === 'string' ? value.split(' ').filter((word) => word !== '') : undefined
export const whole = (value: SQLOutputValue | undefined): number | undefined =>
  typeof value === 'number' ? value : undefined
export const instantOf = (value: SQLOutputValue | undefined): Instant | undefined =>
  typeof value === 'number' ? instant(value) : undefined
