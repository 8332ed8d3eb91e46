import type { Instant } from '../../shared/base/time.ts'
import type { AccountReport } from '../report/report.ts'
import { CLOCK_TOLERANCE, isSettled } from './compare.ts'
import type { NotifyMemory } from './memory.ts'

interface PingContext {
  /** Milliseconds between two pings, of the accounts that have a check. */
  readonly every: ReadonlyMap<string, number>
  readonly now: Instant
}

/** Accounts that are due for a ping while all is well. */
export function duePings(
  memory: NotifyMemory,
  reports: readonly AccountReport[],
  { every, now }: PingContext,
): { readonly memory: NotifyMemory; readonly accounts: readonly string[] } {
  const due = reports.filter((report) => {
    const { account } = report
    const interval = every.get(account)
    const pinged = memory.accounts[account]?.pinged
    if (interval === undefined || !isSettled(report)) return false
    return pinged === undefined || now - pinged >= interval || pinged - now > CLOCK_TOLERANCE
  })
  const accounts = due.map(({ account }) => account)
  return { memory: accounts.reduce((one, account) => withPing(one, account, now), memory), accounts }
}

export function withPing(memory: NotifyMemory, account: string, now: Instant): NotifyMemory {
  const earlier = memory.accounts[account] ?? { confirmed: {}, events: {} }
  return { ...memory, accounts: { ...memory.accounts, [account]: { ...earlier, pinged: now } } }
}

/** The next look at which all is well pings. */
export function withoutPing(memory: NotifyMemory, account: string): NotifyMemory {
  const earlier = memory.accounts[account]
  if (earlier === undefined) return memory
  const { pinged: _pinged, ...rest } = earlier
  return { ...memory, accounts: { ...memory.accounts, [account]: rest } }
}
