import { type Duration, hours, minutes, seconds, stretched } from '../../base/time.ts'

/** After 911 and whatever else was not an answer: the protocol's floor, doubled while it lasts. The last step repeats. */
// biome-ignore format: a table
const WAITS: readonly Duration[] = [
  //            in all
  minutes(30),  // 30 m
  hours(1),     // 1 h 30 m
  hours(2),     // 3 h 30 m
  hours(4),     // 7 h 30 m
]

/**
 * While the service is not reached. Everybody else waits for it too: each step below an hour is one steady rate more when
 * it comes back, so that there are two of them and no more (decision 0022).
 */
// biome-ignore format: a table
const AWAY: readonly Duration[] = [
  //            in all
  seconds(5),   // 5 s
  minutes(10),  // 10 m 5 s
  hours(1),     // 1 h 10 m 5 s
]

/** While this host reaches nobody: that is about our own network, and nobody else waits with us. */
// biome-ignore format: a table
const CUT_OFF: readonly Duration[] = [
  //            in all
  seconds(5),   // 5 s
  seconds(15),  // 20 s
  seconds(45),  // 1 m 5 s
  minutes(2),   // 3 m 5 s
  minutes(5),   // 8 m 5 s
]

/** Jitter only adds, so that a floor stays a floor. */
const JITTER = 0.1

export const waitAt = (rung: number, dice: number): Duration => stretched(step(WAITS, rung), JITTER, dice)
export const awayAt = (rung: number, dice: number): Duration => stretched(step(AWAY, rung), JITTER, dice)
export const cutOffAt = (rung: number, dice: number): Duration => stretched(step(CUT_OFF, rung), JITTER, dice)

const step = (ladder: readonly Duration[], rung: number): Duration =>
  ladder[Math.max(0, Math.min(rung, ladder.length - 1))] ?? minutes(30)
