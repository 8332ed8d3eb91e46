import {
  after,
  between,
  type Duration,
  type Instant,
  isBefore,
  minutes,
  seconds,
} from '../../src/shared/base/time.ts'
import { AT } from './fleet-scenario.ts'

/** Requests are counted in spans of this length. */
export const SPAN = seconds(10)

/** How many requests each span from the start to the end had. */
export type Counts = Uint32Array

const spanAt = (at: Instant): number => Math.floor(between(AT.start, at) / SPAN)

export const noCounts = (): Counts => new Uint32Array(spanAt(AT.end))

export function count(counts: Counts, at: Instant): void {
  const span = spanAt(at)
  counts[span] = (counts[span] ?? 0) + 1
}

/** Requests per second from one moment to another. */
export const meanRate = (counts: Counts, from: Instant, to: Instant): number =>
  counts.subarray(spanAt(from), spanAt(to)).reduce((sum, count) => sum + count, 0) /
  (between(from, to) / seconds(1))

/** One mean after another, each over one span more than the last. */
function rolling(counts: Counts, over: Duration, from: Instant, to: Instant): readonly number[] {
  const rates: number[] = []
  for (let at = from; !isBefore(to, after(at, over)); at = after(at, SPAN))
    rates.push(meanRate(counts, at, after(at, over)))
  return rates
}

/** The greatest mean over a time of this length, wherever it begins once the service is back. */
export const peakRate = (counts: Counts, over: Duration): number =>
  Math.max(...rolling(counts, over, AT.back, AT.lastChange))

/** The mean of each minute. */
export const minuteRates = (counts: Counts, from: Instant, to: Instant): readonly number[] =>
  Array.from({ length: between(from, to) / minutes(1) }, (_, nth) =>
    meanRate(counts, after(from, minutes(nth)), after(from, minutes(nth + 1))),
  )
