import { after, type Duration, type Instant, minutes, seconds, withJitter } from '../../shared/base/time.ts'
import { WAIT_ENDED } from '../../shared/base/concurrency.ts'
import type { Clock, Random } from '../../shared/ports/clock.ts'

/** After consecutive rounds without an agreement: an uplink or a name server returns within seconds or minutes. */
const PAUSES: readonly Duration[] = [1, 2, 5, 10, 20, 30].map(seconds)
const MAX_PAUSE: Duration = minutes(1)
const JITTER = 0.1

/** Repeats rounds without an agreement, with increasing pauses. */
export interface RecheckTimer {
  /** A round ended without an agreement. */
  schedule(): void
  /** A round ended with an agreement, or there is a new hint: the next pause is the first again. */
  reset(): void
}

export function recheckTimer(
  { clock, random, signal }: { readonly clock: Clock; readonly random: Random; readonly signal: AbortSignal },
  requestLook: () => void,
): RecheckTimer {
  let rounds = 0
  let pending = new AbortController()
  const wait = async (until: Instant, end: AbortSignal): Promise<void> => {
    await clock.sleep(until, signal, end)
    if (!signal.aborted && !end.aborted) requestLook()
  }
  return {
    reset: () => {
      rounds = 0
      pending.abort(WAIT_ENDED)
    },
    schedule: () => {
      pending.abort(WAIT_ENDED)
      pending = new AbortController()
      const pause = withJitter(PAUSES[rounds++] ?? MAX_PAUSE, JITTER, random())
      void wait(after(clock.now(), pause), pending.signal)
    },
  }
}
