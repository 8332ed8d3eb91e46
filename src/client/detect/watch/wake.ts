import { after, between, type Duration, seconds } from '../../../shared/base/time.ts'
import type { WatcherContext } from './watcher.ts'

const CHECK_INTERVAL: Duration = seconds(30)
const TOLERANCE: Duration = seconds(2)

/**
 * Sleep stops the monotonic clock and not the boot clock (clock_gettime(2)). In a process that was stopped, a pause takes
 * longer than it should. A change of the wall clock affects neither.
 */
export async function watchWake({ clock, hint, signal, uptime }: WatcherContext): Promise<void> {
  while (!signal.aborted) {
    const [bootBefore, before] = [uptime(), clock.now()]
    await clock.sleep(after(before, CHECK_INTERVAL), signal)
    const passed = between(before, clock.now())
    const slept = uptime() - bootBefore - passed
    if (!signal.aborted && (slept > TOLERANCE || passed > CHECK_INTERVAL + TOLERANCE)) hint('wake')
  }
}
