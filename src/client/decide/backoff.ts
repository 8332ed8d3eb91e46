import { type Duration, hours, minutes, seconds, withJitter } from '../../shared/base/time.ts'
import { MIN_WAIT } from '../../shared/protocol/reply.ts'
import type { WaitCause } from './state.ts'

/**
 * The waits after a reply that requires one. Gateway errors (502, 503, 504: a proxy while the service restarts) start
 * with the first row; everything else starts with the minimum of the protocol. The last row repeats.
 */
// biome-ignore format: a table
const WAITS: readonly Duration[] = [
  //            total
  minutes(1),   // 1 m
  minutes(5),   // 6 m
  MIN_WAIT,     // 36 m
  hours(1),     // 1 h 36 m
  hours(2),     // 3 h 36 m
  hours(4),     // 7 h 36 m
]
const MIN_STEP = WAITS.indexOf(MIN_WAIT)

/** While the service is not reached: it did not receive the request, or that is not known. */
// biome-ignore format: a table
const RETRIES: readonly Duration[] = [
  //            total
  seconds(5),   // 5 s
  seconds(15),  // 20 s
  seconds(45),  // 1 m 5 s
  minutes(2),   // 3 m 5 s
  minutes(5),   // 8 m 5 s
]
/** After the last row: between this and twice this, so that clients which failed together do not return together. */
const LAST_RETRY = minutes(5)

/** Jitter only adds, so that a minimum stays a minimum. */
const JITTER = 0.1

const isFromGateway = (cause: WaitCause): boolean => /^HTTP 50[234]$/.test(cause)

/** The row of the next wait: the one after the previous wait, or the first one for this cause. */
export const nextWait = (cause: WaitCause, previous: number | undefined): number =>
  Math.max(isFromGateway(cause) ? 0 : MIN_STEP, previous === undefined ? 0 : previous + 1)

/** `random` is in [0, 1). */
export const waitAt = (step: number, random: number): Duration =>
  withJitter(WAITS[Math.max(0, Math.min(step, WAITS.length - 1))] ?? MIN_WAIT, JITTER, random)

/** The delay after `attempt` failed rounds before this one; `random` is in [0, 1). */
export function retryAt(attempt: number, random: number): Duration {
  const step = RETRIES[Math.max(0, attempt)]
  return step === undefined ? withJitter(LAST_RETRY, 1, random) : withJitter(step, JITTER, random)
}
