const WINDOW_MS = 60_000

/** Counts requests per account in fixed windows of a minute. Returns seconds to wait; undefined if the request may pass. */
export function rateLimiter(max: number, now: () => number): (accountId: number) => number | undefined {
  const counts = new Map<number, { count: number; since: number }>()
  return (accountId) => {
    const window = counts.get(accountId)
    const current =
      window === undefined || now() - window.since >= WINDOW_MS ? { count: 0, since: now() } : window
    if (current.count >= max) return Math.ceil((current.since + WINDOW_MS - now()) / 1000)
    counts.set(accountId, { ...current, count: current.count + 1 })
    return undefined
  }
}
