import { err, ok, type Result } from './result.ts'

declare const unit: unique symbol
type Unit<Name extends string> = number & { readonly [unit]: Name }

/** A span of time. Held in milliseconds; made only by the units below, so no bare number gets in. */
export type Duration = Unit<'duration'>
/** A moment: milliseconds since the Unix epoch, UTC. */
export type Instant = Unit<'instant'>

export const milliseconds = (n: number): Duration => n as Duration
export const seconds = (n: number): Duration => (n * 1000) as Duration
export const minutes = (n: number): Duration => seconds(n * 60)
export const hours = (n: number): Duration => minutes(n * 60)
export const days = (n: number): Duration => hours(n * 24)

export const instant = (epochMilliseconds: number): Instant => epochMilliseconds as Instant
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

/** A span made longer by at most `share` of itself. `random` is in [0, 1): jitter only ever adds. */
export const stretched = (span: Duration, share: number, random: number): Duration =>
  Math.round(span * (1 + share * random)) as Duration

/** RFC 3339, the only form in which a moment is written to disk or shown to a program. */
export const formatInstant = (at: Instant): string => new Date(at).toISOString()

/** For people, by the host's clock and time zone: "2026-11-21 18:02:26". */
export function formatLocal(at: Instant): string {
  const date = new Date(at)
  const two = (value: number): string => String(value).padStart(2, '0')
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}

export function parseInstant(text: string): Instant | undefined {
  const at = Date.parse(text)
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text) && !Number.isNaN(at) ? instant(at) : undefined
}

const UNITS = [
  ['d', days(1)],
  ['h', hours(1)],
  ['m', minutes(1)],
  ['s', seconds(1)],
  ['ms', milliseconds(1)],
] as const

/** Units that are read, and never written. */
const MORE_UNITS = [
  ['w', days(7)],
  ['min', minutes(1)],
] as const

/** "90s", "5m", "1h30m", "2w": never a bare number, so that the unit need not be remembered. "0" needs none. */
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
  const all = [...UNITS, ...MORE_UNITS]
  const spans = parts.map(
    ([, count, name]) => Number(count) * (all.find(([unit]) => unit === name)?.[1] ?? 0),
  )
  return milliseconds(spans.reduce((a, b) => a + b, 0))
}

/** "28 days" as "28d". */
const abbreviated = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[\s,]+/g, '')
    .replaceAll(/(\d)([wdhms])(?:eeks?|ays?|ours?|rs?|inutes?|ins?|econds?|ecs?)(?=\d|$)/g, '$1$2')

/** The inverse of parseDuration, in the largest units that fit: "1h30m". */
export function formatDuration(span: Duration): string {
  let rest: number = span
  const parts = UNITS.flatMap(([name, size]) => {
    const count = Math.floor(rest / size)
    rest -= count * size
    return count > 0 ? [`${count}${name}`] : []
  })
  return parts.length === 0 ? '0' : parts.join('')
}
