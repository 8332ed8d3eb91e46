import { createTask, parse, validateDetailed } from 'node-cron'
import { err, ok, type Result } from '../../base/result.ts'
import { after, days, type Instant, instant } from '../../base/time.ts'
import type { Schedule } from '../../ports/clock.ts'

/** Four years contain every calendar day. */
const MAX_DAYS_AHEAD = 4 * 366

/**
 * The schedule of a cron expression with five fields, or six with seconds, in the time zone of the host. The error is a
 * predicate without subject. node-cron parses and matches; its timers are not used, because they stall when the clock
 * is set back.
 */
export function cronSchedule(expression: string): Result<Schedule, string> {
  const { valid, errors } = validateDetailed(expression)
  if (!valid)
    return err(
      `is not a cron expression: ${errors.map(({ field, message }) => `${field}: ${message}`).join('; ')}`,
    )
  const fields = parse(expression)
  const task = createTask(expression, () => undefined)
  const nextAfter = (now: Instant): Instant => {
    const from = new Date(now)
    for (let ahead = 0; ahead <= MAX_DAYS_AHEAD; ahead++) {
      const day = new Date(from.getFullYear(), from.getMonth(), from.getDate() + ahead)
      const first = firstMatch(day, from, { fields, task })
      if (first !== undefined) return instant(first.getTime())
    }
    return after(now, days(MAX_DAYS_AHEAD))
  }
  return ok({ nextAfter })
}

interface ParsedExpression {
  readonly fields: Pick<ReturnType<typeof parse>, 'hour' | 'minute' | 'second'>
  readonly task: Pick<ReturnType<typeof createTask>, 'match'>
}

/** The first time of the day that matches and is later than `from`. */
function firstMatch(day: Date, from: Date, { fields, task }: ParsedExpression): Date | undefined {
  const { hour, minute, second } = fields
  const at = (h = 0, m = 0, s = 0): Date =>
    new Date(day.getFullYear(), day.getMonth(), day.getDate(), h, m, s)
  const ends = [at(hour[0], minute[0], second[0]), at(hour.at(-1), minute.at(-1), second.at(-1))]
  // Skips days that do not match. A time in the hour that a clock change omits never matches, so both ends of the day are
  // tested.
  if (!ends.some((end) => task.match(end))) return undefined
  const firstInHour = (h: number): Date | undefined => {
    for (const m of minute) {
      const times = at(h, m, 59) > from ? second.map((s) => at(h, m, s)) : []
      const first = times.find((time) => time > from && task.match(time))
      if (first !== undefined) return first
    }
    return undefined
  }
  for (const h of hour) {
    const first = at(h, 59, 59) > from ? firstInHour(h) : undefined
    if (first !== undefined) return first
  }
  return undefined
}
