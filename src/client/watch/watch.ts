import type { Dice } from '../../ports/clock.ts'
import { watchKernel } from './kernel.ts'
import { watchOutside } from './outside.ts'
import type { Shared, Watching } from './parts.ts'
import { watchProbe } from './probe.ts'
import { watchRouter } from './router.ts'
import { watchWake } from './wake.ts'

/** Everything that can notice a change. Returns at once; each goes on until the signal. */
export function watch(watching: Watching, shared: Shared, dice: Dice): void {
  void watchKernel(watching, shared)
  void watchWake(watching, shared)
  // Nobody is asked who is not among the sources.
  if (shared.asksRouter) void watchRouter(watching, shared)
  if (shared.outside.length === 0) return
  void watchOutside(watching, shared, dice)
  void watchProbe(watching, shared)
}
