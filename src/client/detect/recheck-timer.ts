import { after, type Duration, type Instant, minutes, seconds, withJitter } from '../../base/time.ts'
import type { Clock, Random } from '../../ports/clock.ts'

/** After rounds in a row that came to nothing: a way out or a name server comes back within seconds or minutes. */
const PAUSES: readonly Duration[] = [1, 2, 5, 10, 20, 30].map(seconds)
const LONGEST: Duration = minutes(1)
const JITTER = 0.1

/** Has a round repeated that came to nothing, less often the longer that lasts. */
export interface RecheckTimer {
  /** Another round came to nothing. */
  again(): void
  /** There was a verdict, or a new reason to look: the pauses begin with the shortest. */
  reset(): void
}

export function recheckTimer(
  { clock, random, signal }: { readonly clock: Clock; readonly random: Random; readonly signal: AbortSignal },
  look: () => void,
): RecheckTimer {
  let rounds = 0
  let waiting = new AbortController()
  const wait = async (until: Instant, end: AbortSignal): Promise<void> => {
    await clock.sleep(until, end)
    if (!end.aborted) look()
  }
  return {
    reset: () => {
      rounds = 0
      waiting.abort()
    },
    again: () => {
      waiting.abort()
      const mine = new AbortController()
      waiting = mine
      const pause = withJitter(PAUSES[rounds++] ?? LONGEST, JITTER, random())
      void wait(after(clock.now(), pause), AbortSignal.any([signal, mine.signal]))
    },
  }
}
