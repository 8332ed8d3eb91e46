import { after, type Duration } from '../../../base/time.ts'
import { WAIT_ENDED } from '../../../base/wait-ended.ts'
import type { Clock } from '../../../ports/clock.ts'
import { StoreBusy } from '../errors.ts'

/** The result of the work, or `StoreBusy` after the span; timers/promises would cost a sixth of a request. */
export async function inTime<T>(work: Promise<T>, span: Duration, clock: Clock): Promise<T> {
  const over = new AbortController()
  return new Promise((resolve, reject) => {
    const refuse = async (): Promise<void> => {
      await clock.sleep(after(clock.now(), span), over.signal)
      if (!over.signal.aborted) reject(new StoreBusy('the database did not answer in time'))
    }
    void refuse()
    void work.then(resolve, reject).finally(() => over.abort(WAIT_ENDED))
  })
}
