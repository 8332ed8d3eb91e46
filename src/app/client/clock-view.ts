import type { ClientTime } from '../../client/memory/client-time.ts'
import type { ClockView } from '../../client/report/report.ts'

/** The present moment for reports. */
export const clockView = (time: ClientTime): ClockView => ({
  now: time.now(),
  wallAt: (at) => time.wallAt(at),
})
