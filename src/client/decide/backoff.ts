import { type Duration, hours, minutes, seconds, withJitter } from '../../base/time.ts'
import type { WaitCause } from './state.ts'

/**
 * After an answer that obliges us to wait. What something in front of the service said (502, 503, 504: a proxy during a
 * restart) begins at the top; everything else begins at the protocol's floor of 30 minutes. The last step repeats.
 */
// biome-ignore format: a table
const WAITS: readonly Duration[] = [
  //            in all
  minutes(1),   // 1 m
  minutes(5),   // 6 m
  minutes(30),  // 36 m        the floor of 911
  hours(1),     // 1 h 36 m
  hours(2),     // 3 h 36 m
  hours(4),     // 7 h 36 m
]
const FLOOR = WAITS.indexOf(minutes(30))

/** While the service is not reached: it never saw the request, or we cannot know. */
// biome-ignore format: a table
const RETRIES: readonly Duration[] = [
  //            in all
  seconds(5),   // 5 s
  seconds(15),  // 20 s
  seconds(45),  // 1 m 5 s
  minutes(2),   // 3 m 5 s
  minutes(5),   // 8 m 5 s
]
/** From then on each time between five and ten minutes, so that clients that failed together come back apart. */
const STEADY = minutes(5)

/** Jitter only adds, so that a floor stays a floor. */
const JITTER = 0.1

const isFromGateway = (cause: WaitCause): boolean => /^HTTP 50[234]$/.test(cause)

/** The step of the next wait, after the one that is over; without one, the first for this cause. */
export const nextWait = (cause: WaitCause, before: number | undefined): number =>
  Math.max(isFromGateway(cause) ? 0 : FLOOR, before === undefined ? 0 : before + 1)

/** `random` is in [0, 1). */
export const waitAt = (step: number, random: number): Duration =>
  withJitter(WAITS[Math.max(0, Math.min(step, WAITS.length - 1))] ?? minutes(30), JITTER, random)

export function retryAt(attempt: number, random: number): Duration {
  const step = RETRIES[Math.max(0, attempt)]
  return step === undefined ? withJitter(STEADY, 1, random) : withJitter(step, JITTER, random)
}
