import { after, type Duration } from '../../base/time.ts'
import { steadyClock } from './clock.ts'

/**
 * Does the work, and again this long after each end of it, until the signal. Work that fails is done the next time:
 * what it uses reports that to others.
 */
export async function repeat(span: Duration, ending: AbortSignal, work: () => unknown): Promise<void> {
  while (!ending.aborted) {
    try {
      await work()
    } catch {
      // The next time is soon enough.
    }
    await steadyClock.sleep(after(steadyClock.now(), span), ending)
  }
}
