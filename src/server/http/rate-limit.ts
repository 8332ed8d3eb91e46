const WINDOW = 60_000

/** Counts requests per account in a fixed minute. Gives the seconds to wait, or undefined where the request may pass. */
export function rateLimiter(max: number, now: () => number): (accountId: number) => number | undefined {
  const counts = new Map<number, { count: number; since: number }>()
  return (accountId) => {
    const known = counts.get(accountId)
    const current = known === undefined || now() - known.since >= WINDOW ? { count: 0, since: now() } : known
    if (current.count >= max) return Math.ceil((current.since + WINDOW - now()) / 1000)
    counts.set(accountId, { ...current, count: current.count + 1 })
    return undefined
  }
}
