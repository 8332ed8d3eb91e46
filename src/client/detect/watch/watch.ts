import { after, between, type Duration, seconds } from '../../../shared/base/time.ts'
import { FAMILIES } from '../../../shared/base/address.ts'
import { watchEvents } from './events.ts'
import { watchKernelEvents } from './kernel.ts'
import { watchOutside } from './outside.ts'
import { watchProbe } from './probe.ts'
import { watchRouter } from './router.ts'
import type { WatchedDetection, WatcherContext, WatcherState } from './watcher.ts'

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

/** Starts all watchers; they run until the signal. Only sources that detection uses are asked. */
export function watch(context: WatcherContext, detection: WatchedDetection): void {
  const state: WatcherState = {
    ...detection,
    doesRouterReport: false,
    hasEvents: false,
    isAnnounced: false,
    isProbed: false,
    otherLine: 'no',
    kernelListeners: new Set(),
    askRouterNow: () => undefined,
  }
  // Its own signal for each: Node 20 reports eleven listeners of one signal as a leak.
  const start = (name: string, watcher: (own: WatcherContext) => Promise<void>): void => {
    const own = { ...context, signal: AbortSignal.any([context.signal]) }
    void keepRunning(own, name, async () => watcher(own))
  }
  start('kernel', async (own) => watchKernelEvents(own, state))
  start('sleep', async (own) => watchWake(own))
  if (detection.asksRouter) {
    start('router', async (own) => watchRouter(own, state))
    start('event', async (own) => watchEvents(own, state))
  }
  if (detection.outside.length === 0) return
  for (const family of FAMILIES) start(`${family} outside`, async (own) => watchOutside(own, state, family))
  start('probe', async (own) => watchProbe(own, state))
}

const RESTART_DELAY = seconds(5)

/** Reports a watcher that fails, and restarts it: neither the daemon nor other watchers fail with it. */
async function keepRunning(
  { clock, report, signal }: WatcherContext,
  name: string,
  watcher: () => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    try {
      return await watcher()
    } catch (error) {
      const because = error instanceof Error ? (error.stack ?? error.message) : String(error)
      report({ kind: 'watcherFailed', watcher: name, because })
      await clock.sleep(after(clock.now(), RESTART_DELAY), signal)
    }
  }
}
