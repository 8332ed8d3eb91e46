import { hours, type Instant } from '../../shared/base/time.ts'
import type { StoreWrites } from '../store/store.ts'
import { exceeds, withEvent } from './sliding-window.ts'

/** Above this count, the account owner is notified. */
const TOLD_ABOVE = { max: 24, window: hours(24) } as const

/**
 * Counts wrong passwords per account, across networks and endpoints, and notifies the owner. It does not lock the account,
 * because then anyone could lock it.
 */
export async function countWrongPassword(
  w: Pick<StoreWrites, 'login' | 'failuresOf' | 'putFailures' | 'addEvent'>,
  username: string | undefined,
  now: Instant,
): Promise<void> {
  const login = username === undefined || username === '' ? undefined : await w.login(username)
  if (login?.kind !== 'account') return
  const counted = `account ${login.accountId}`
  const buckets = withEvent((await w.failuresOf(counted)).buckets, now, TOLD_ABOVE)
  const isExceeded = exceeds(buckets, TOLD_ABOVE)
  await w.putFailures(counted, { buckets: isExceeded ? [] : buckets })
  if (isExceeded)
    await w.addEvent(login.accountId, { kind: 'wrongPasswords', subject: String(TOLD_ABOVE.max + 1) }, now)
}
