import { after, between } from '../../shared/base/time.ts'
import type { ClientTime } from '../agent/memory/client-time.ts'
import type { ClockView } from './report.ts'

/** The present moment for reports. The clocks are read once: a report shows several moments for each of many hostnames. */
export function clockView(time: ClientTime): ClockView {
  const now = time.now()
  const wall = time.wallAt(now)
  return { now, wallAt: (at) => after(wall, between(now, at)) }
}
