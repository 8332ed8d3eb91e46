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
  void watchRouter(watching, shared)
  void watchOutside(watching, shared, dice)
  void watchWake(watching, shared)
  void watchProbe(watching, shared)
}
