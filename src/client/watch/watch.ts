import { after, seconds } from '../../base/time.ts'
import { FAMILIES } from '../../net/address.ts'
import type { Dice } from '../../ports/clock.ts'
import { watchEvents } from './events.ts'
import { watchKernel } from './kernel.ts'
import { watchOutside } from './outside.ts'
import type { Shared, Watching } from './parts.ts'
import { watchProbe } from './probe.ts'
import { watchRouter } from './router.ts'
import { watchWake } from './wake.ts'

/** Everything that can notice a change. Returns at once; each goes on until the signal. */
export function watch(watching: Watching, shared: Shared, dice: Dice): void {
  const start = (name: string, watcher: () => Promise<void>): void => void keepGoing(watching, name, watcher)
  start('kernel', async () => watchKernel(watching, shared))
  start('sleep', async () => watchWake(watching, shared))
  // Only what is among the sources is asked.
  if (shared.asksRouter) {
    start('router', async () => watchRouter(watching, shared))
    start('event', async () => watchEvents(watching, shared))
  }
  if (shared.outside.length === 0) return
  for (const family of FAMILIES)
    start(`${family} outside`, async () => watchOutside(watching, shared, { family, dice }))
  start('probe', async () => watchProbe(watching, shared))
}

const RESTART = seconds(5)

/** A watcher that fails is said and started again: the daemon outlives it, and the other watchers too. */
async function keepGoing(
  { clock, note, signal }: Watching,
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
