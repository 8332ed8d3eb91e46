import type { Log } from '../../shared/ports/log.ts'
import { logBug } from '../../shared/program/log.ts'
import { isPassing, StoreBusy, StoreLocked } from '../store/errors.ts'
import { adviceOnStore } from '../admin/store/advice.ts'

/** In milliseconds: a full disk fails every request, and the log may be on the same disk. */
const REPORT_INTERVAL = 60_000

interface FailureLog {
  readonly report: (what: string, error: unknown) => void
  /** A change was stored: an outage is over, and the next one has a line of its own. */
  readonly stored: () => void
}

/**
 * Logs the failure of a request. One of the disk or the database is one line a minute with what to do, and one at its end;
 * any other is a bug with its stack.
 */
export function failureLog(log: Log, now: () => number): FailureLog {
  let last = Number.NEGATIVE_INFINITY
  let leftOut = 0
  let since: number | undefined
  const stored = (): void => {
    if (since === undefined) return
    const seconds = Math.round((now() - since) / 1000)
    log('info', 'the store can be used again', {
      fields: { seconds, leftOut },
      line: `the store can be used again, after ${seconds} s`,
    })
    since = undefined
    last = Number.NEGATIVE_INFINITY
    leftOut = 0
  }
  const report = (what: string, error: unknown): void => {
    const { code, message } = error as NodeJS.ErrnoException
    const advice = code !== undefined ? adviceOnStore(message) : isPassing(error) ? '' : undefined
    if (advice === undefined) {
      logBug(log, `${what} failed because of an internal error`, error)
      return
    }
    // What other requests lock is no outage.
    if (!(error instanceof StoreBusy) || error instanceof StoreLocked) since ??= now()
    if (now() - last < REPORT_INTERVAL) {
      leftOut++
      return
    }
    const others = leftOut === 0 ? '' : `; ${leftOut} more failures since the last line`
    log('error', 'the store cannot be used', {
      fields: { because: message, leftOut },
      line: `${what} failed: the store cannot be used: ${message}${advice}${others}`,
    })
    last = now()
    leftOut = 0
  }
  return { report, stored }
}
