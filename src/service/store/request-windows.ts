import type { RequestWindow, Store } from './store.ts'

/** Counts requests in this process. */
export function requestWindows(): Store['countRequest'] {
  const windows = new Map<number, RequestWindow>()
  return async (accountId, now, span) => {
    const window = windows.get(accountId)
    const current = window === undefined || now - window.since >= span ? { count: 0, since: now } : window
    const counted = { ...current, count: current.count + 1 }
    windows.set(accountId, counted)
    return counted
  }
}
