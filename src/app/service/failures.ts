import type { Log } from '../../ports/log.ts'
import { logBug } from '../log.ts'
import { isPassing } from '../../server/store/errors.ts'
import { adviceOnStore } from './store/open-store.ts'

/** In milliseconds: a full disk fails every request, and the log may be on the same disk. */
const REPORT_INTERVAL = 60_000

/**
 * Logs the failure of a request. One of the disk is one line a minute with
 * what to do; any other is a bug with its stack.
 */
export function failureLog(log: Log, now: () => number): (what: string, error: unknown) => void {
  let last = Number.NEGATIVE_INFINITY
  let leftOut = 0
  return (what, error) => {
    const { code, message } = error as NodeJS.ErrnoException
    const advice = isPassing(error) ? '' : code === undefined ? undefined : adviceOnStore(message)
    if (advice === undefined) {
      logBug(log, `${what} failed because of an internal error`, error)
      return
    }
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
}
