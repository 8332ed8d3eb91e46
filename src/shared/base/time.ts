import { err, ok, type Result } from './result.ts'

declare const unit: unique symbol
type Unit<Name extends string> = number & { readonly [unit]: Name }

/** A span of time in milliseconds. Only the functions below make one, so a bare number is a compile error. */
export type Duration = Unit<'duration'>
/** A point in time: milliseconds since the Unix epoch, UTC. */
export type Instant = Unit<'instant'>

export const milliseconds = (n: number): Duration => n as Duration
export const seconds = (n: number): Duration => (n * 1000) as Duration
export const minutes = (n: number): Duration => seconds(n * 60)
export const hours = (n: number): Duration => minutes(n * 60)
export const days = (n: number): Duration => hours(n * 24)

export const instant = (epochMilliseconds: number): Instant => epochMilliseconds as Instant
/** The latest moment that a Date can hold (ECMA-262 §21.4.1.1): stands for "never". */
export const LAST_INSTANT: Instant = instant(8_640_000_000_000_000)
export const after = (from: Instant, span: Duration): Instant => (from + span) as Instant
export const before = (from: Instant, span: Duration): Instant => (from - span) as Instant
export const between = (from: Instant, to: Instant): Duration => (to - from) as Duration
export const isBefore = (a: Instant, b: Instant): boolean => a < b
export const earliest = (first: Instant, ...others: readonly Instant[]): Instant =>
  Math.min(first, ...others) as Instant
export const latest = (first: Instant, ...others: readonly Instant[]): Instant =>
  Math.max(first, ...others) as Instant
export const longest = (first: Duration, ...others: readonly Duration[]): Duration =>
  Math.max(first, ...others) as Duration

/** Adds jitter: at most `share` of the span, never less than the span itself. `random` is in [0, 1). */
export const withJitter = (span: Duration, share: number, random: number): Duration =>
  Math.round(span * (1 + share * random)) as Duration

/** RFC 3339 in UTC: the only form on disk and in output for programs. */
export const formatInstant = (at: Instant): string => new Date(at).toISOString()

/** For people, in the time zone of the host: "2026-11-21 18:02:26". */
export function formatLocal(at: Instant): string {
  const date = new Date(at)
  const two = (value: number): string => String(value).padStart(2, '0')
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}

/** Accepts RFC 3339 in UTC ("…Z") only; undefined for everything else. */
export function parseInstant(text: string): Instant | undefined {
  const at = Date.parse(text)
  const isForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text) && !Number.isNaN(at)
  // Date.parse takes February 30 for March 2.
  return isForm && new Date(at).toISOString().slice(0, 19) === text.slice(0, 19) ? instant(at) : undefined
}

const UNITS = [
  ['d', days(1)],
  ['h', hours(1)],
  ['m', minutes(1)],
  ['s', seconds(1)],
  ['ms', milliseconds(1)],
] as const

/** Units that `parseDuration` accepts and `formatDuration` does not write. */
const INPUT_UNITS = [
  ['w', days(7)],
  ['min', minutes(1)],
] as const

/** Parses "90s", "5m", "1h30m", "2w". A number without a unit is an error, except "0". */
export function parseDuration(text: string): Result<Duration, string> {
  if (text === '0') return ok(milliseconds(0))
  const span = spanOf(text)
  if (span !== undefined) return ok(span)
  if (/^\d+$/.test(text)) return err('needs a unit, such as 90s, 5m or 1h30m')
  const short = abbreviated(text)
  return err(
    spanOf(short) === undefined
      ? 'is not a duration such as 90s, 5m or 1h30m'
      : `is not a duration; write ${short}`,
  )
}

function spanOf(text: string): Duration | undefined {
  const parts = [...text.matchAll(/(\d+)(min|ms|w|d|h|m|s)/g)]
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) return undefined
  const all = [...UNITS, ...INPUT_UNITS]
  const spans = parts.map(
    ([, count, name]) => Number(count) * (all.find(([unit]) => unit === name)?.[1] ?? 0),
  )
  return milliseconds(spans.reduce((a, b) => a + b, 0))
}

/** Long unit names as short ones: "28 days" becomes "28d". */
const abbreviated = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[\s,]+/g, '')
    .replaceAll(/(\d)([wdhms])(?:eeks?|ays?|ours?|rs?|inutes?|ins?|econds?|ecs?)(?=\d|$)/g, '$1$2')

/** Rounded up, for people. */
export const wholeSeconds = (span: Duration): Duration => milliseconds(Math.ceil(span / 1000) * 1000)

/** The inverse of parseDuration, in the largest units that fit: "1h30m". */
export function formatDuration(span: Duration): string {
  let remaining: number = span
  const parts = UNITS.flatMap(([name, size]) => {
    const count = Math.floor(remaining / size)
    remaining -= count * size
    return count > 0 ? [`${count}${name}`] : []
  })
  return parts.length === 0 ? '0' : parts.join('')
}
