import { createTask, parse, validateDetailed } from 'node-cron'
import { err, ok, type Result } from '../base/result.ts'
import { type Instant, instant } from '../base/time.ts'
import type { Schedule } from '../ports/clock.ts'

/** Four years hold every day that a calendar has. */
const DAYS_AHEAD = 4 * 366

/**
 * A cron expression of five fields, or six with seconds, in the host's time zone. node-cron reads the expression
 * and says whether a moment fits it; its own timers are not used, because they stall when the clock is set back.
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
    for (let ahead = 0; ahead <= DAYS_AHEAD; ahead++) {
      const found = firstOn(
        new Date(from.getFullYear(), from.getMonth(), from.getDate() + ahead),
        from,
        fields,
        task,
      )
      if (found !== undefined) return instant(found.getTime())
    }
    return instant(now + DAYS_AHEAD * 86_400_000)
  }
  return ok({ nextAfter })
}

type Times = Pick<ReturnType<typeof parse>, 'hour' | 'minute' | 'second'>
type Matcher = Pick<ReturnType<typeof createTask>, 'match'>

/** The first moment of this day that fits and is later than `from`. */
function firstOn(day: Date, from: Date, { hour, minute, second }: Times, task: Matcher): Date | undefined {
  const at = (h = 0, m = 0, s = 0): Date =>
    new Date(day.getFullYear(), day.getMonth(), day.getDate(), h, m, s)
  const ends = [at(hour[0], minute[0], second[0]), at(hour.at(-1), minute.at(-1), second.at(-1))]
  // The hour that a clock change leaves out fits nothing; no day leaves out both ends of the list.
  if (!ends.some((end) => task.match(end))) return undefined
  for (const h of hour) {
    if (at(h, 59, 59) <= from) continue
    for (const m of minute) {
      if (at(h, m, 59) <= from) continue
      const found = second.map((s) => at(h, m, s)).find((moment) => moment > from && task.match(moment))
      if (found !== undefined) return found
    }
  }
  return undefined
}
