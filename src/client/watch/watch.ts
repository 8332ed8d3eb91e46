import { after, seconds } from '../../base/time.ts'
import { FAMILIES } from '../../net/address.ts'
import type { Random } from '../../ports/clock.ts'
import { watchEvents } from './events.ts'
import { watchKernelEvents } from './kernel.ts'
import { watchOutside } from './outside.ts'
import { watchProbe } from './probe.ts'
import { watchRouter } from './router.ts'
import { watchWake } from './wake.ts'
import type { WatcherContext, WatcherState } from './watcher.ts'

/** Everything that can notice a change. Returns at once; each goes on until the signal. */
export function watch(watching: WatcherContext, shared: WatcherState, random: Random): void {
  const start = (name: string, watcher: () => Promise<void>): void => void keepGoing(watching, name, watcher)
  start('kernel', async () => watchKernelEvents(watching, shared))
  start('sleep', async () => watchWake(watching, shared))
  // Only what is among the sources is asked.
  if (shared.asksRouter) {
    start('router', async () => watchRouter(watching, shared))
    start('event', async () => watchEvents(watching, shared))
  }
  if (shared.outside.length === 0) return
  for (const family of FAMILIES)
    start(`${family} outside`, async () => watchOutside(watching, shared, { family, random }))
  start('probe', async () => watchProbe(watching, shared))
}

const RESTART = seconds(5)

/** A watcher that fails is said and started again: the daemon outlives it, and the other watchers too. */
async function keepGoing(
  { clock, note, signal }: WatcherContext,
  name: string,
  watcher: () => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    try {
      return await watcher()
    } catch (error) {
      const because = error instanceof Error ? (error.stack ?? error.message) : String(error)
      note({ kind: 'watcherFailed', watcher: name, because })
      await clock.sleep(after(clock.now(), RESTART), signal)
    }
  }
}
