import { err, ok, type Result } from '../../shared/base/result.ts'
import { after } from '../../shared/base/time.ts'
import type { Schedule } from '../../shared/ports/clock.ts'
import type { Failure } from '../../shared/program/exit-codes.ts'
import type { ResolvedSettings } from './settings.ts'

/** The schedule of the settings. The parser of cron expressions is loaded only for one. */
export async function scheduleOf({ config }: ResolvedSettings): Promise<Result<Schedule, Failure>> {
  const { interval } = config
  if (config.schedule === undefined) return ok({ nextAfter: (now) => after(now, interval) })
  const { cronSchedule } = await import('../../shared/platform/clock/schedule.ts')
  const schedule = cronSchedule(config.schedule)
  return schedule.ok ? schedule : err({ exit: 'configuration', messages: [`schedule ${schedule.error}`] })
}
