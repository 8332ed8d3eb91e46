import type { Instant } from '../../shared/base/time.ts'

const WINDOW_MS = 60_000

/** Counts a request of the account in windows of this span, and returns its window with that request. */
type CountRequest = (
  accountId: number,
  now: Instant,
  span: number,
) => Promise<{ readonly since: number; readonly count: number }>

/** Fixed windows of a minute. Resolves with the seconds to wait; undefined if the request may pass. */
export const rateLimiter =
  (
    max: number,
    now: () => Instant,
    count: CountRequest,
  ): ((accountId: number) => Promise<number | undefined>) =>
  async (accountId) => {
    const { since, count: requests } = await count(accountId, now(), WINDOW_MS)
    return requests <= max ? undefined : Math.max(1, Math.ceil((since + WINDOW_MS - now()) / 1000))
  }
