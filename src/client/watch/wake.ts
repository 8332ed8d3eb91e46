import { after, between, type Duration, seconds } from '../../base/time.ts'
import type { WatcherContext, WatcherState } from './watcher.ts'

const EVERY: Duration = seconds(30)
const SLACK: Duration = seconds(2)

/**
 * Sleep stops the steady clock and not the boot clock (clock_gettime(2)); a process that was stopped finds that a pause
 * took longer than it should. A wall clock that is set moves neither.
 */
export async function watchWake(
  { clock, hint, signal }: WatcherContext,
  { uptime, steady }: WatcherState,
): Promise<void> {
  while (!signal.aborted) {
    const [boot, even] = [uptime(), steady()]
    await clock.sleep(after(clock.now(), EVERY), signal)
    const passed = between(even, steady())
    const slept = uptime() - boot - passed
    if (!signal.aborted && (slept > SLACK || passed > EVERY + SLACK)) hint('wake')
  }
}
