import { days, formatDuration, milliseconds, minutes, parseDuration } from '../../../shared/base/time.ts'
import type { Remarks } from './imported.ts'

/** As they are written in a configuration. */
export interface PeriodSettings {
  readonly interval?: string
  readonly refresh?: string
}

interface WrittenPeriod {
  readonly value: string
  readonly line: number
}

/** Seconds, or a number with s, m, h or d; undefined where it is neither. In milliseconds. */
export function periodOf(text: string): number | undefined {
  const compound = parseDuration(text.trim())
  if (compound.ok) return compound.value
  const [, count, unit = 's'] = /^(\d+)\s*([smhd]?)/.exec(text.trim()) ?? []
  if (count === undefined) return undefined
  const factors: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }
  return Number(count) * (factors[unit === '' ? 's' : unit] ?? 1) * 1000
}

const within = (span: number, least: number, most: number): number => Math.min(Math.max(span, least), most)
const periodText = (span: number): string => formatDuration(milliseconds(span))

/** The interval between checks. A shorter one than a minute has no use: changes are noticed at once. */
export function intervalOf(
  { value, line }: WrittenPeriod,
  remarks: Remarks,
): Pick<PeriodSettings, 'interval'> {
  const span = periodOf(value)
  if (span === undefined) {
    remarks.add('lost', line, `the interval ${value} is not a duration`)
    return {}
  }
  const bounded = within(span, minutes(1), days(7))
  if (bounded !== span)
    remarks.add('changed', line, `the interval of ${periodText(span)} becomes ${periodText(bounded)}`)
  return { interval: periodText(bounded) }
}

/** The time after which an unchanged address is sent again: 1d to 3650d. */
export function refreshOf({ value, line }: WrittenPeriod, remarks: Remarks): Pick<PeriodSettings, 'refresh'> {
  const span = periodOf(value)
  if (span === undefined) {
    remarks.add('lost', line, `the period ${value} is not a duration`)
    return {}
  }
  const bounded = within(span, days(1), days(3650))
  if (bounded !== span)
    remarks.add(
      'changed',
      line,
      `an unchanged address is sent again after ${periodText(bounded)}, not after ${periodText(span)}`,
    )
  return { refresh: periodText(bounded) }
}
