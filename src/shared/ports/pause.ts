import { after, milliseconds } from '../base/time.ts'
import type { Clock } from './clock.ts'

/** Resolves after this many milliseconds of the clock, or when the signal aborts. */
export const pause = async (
  clock: Clock,
  span: number,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> => clock.sleep(after(clock.now(), milliseconds(span)), signal)
