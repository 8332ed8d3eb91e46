const WINDOW_MS = 60_000

/** Counts a request of the account, and returns its window with that request. */
export type CountRequest = (
  accountId: number,
  span: number,
) => Promise<{ readonly since: number; readonly count: number }>

/** In this process. */
export function countInMemory(now: () => number): CountRequest {
  const windows = new Map<number, { count: number; since: number }>()
  return async (accountId, span) => {
    const window = windows.get(accountId)
    const current = window === undefined || now() - window.since >= span ? { count: 0, since: now() } : window
    const counted = { ...current, count: current.count + 1 }
    windows.set(accountId, counted)
    return counted
  }
}

/** Fixed windows of a minute. Resolves with the seconds to wait; undefined if the request may pass. */
export const rateLimiter =
  (
    max: number,
    now: () => number,
    count: CountRequest,
  ): ((accountId: number) => Promise<number | undefined>) =>
  async (accountId) => {
    const { since, count: requests } = await count(accountId, WINDOW_MS)
    return requests <= max ? undefined : Math.max(1, Math.ceil((since + WINDOW_MS - now()) / 1000))
  }
