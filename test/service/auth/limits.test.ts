import { expect, it } from 'vitest'
import { hours, minutes } from '../../../src/shared/base/time.ts'
import { lockedOutUntil, recordFailedLogin } from '../../../src/service/auth/failed-logins.ts'
import { limitsOf } from '../../../src/service/auth/limits.ts'
import type { StoreWrites } from '../../../src/service/store/store.ts'
import { NOW } from '../update/made.ts'

const LIMITS = limitsOf({
  nochgLimit: 1,
  requestLimit: 2,
  refusalLimit: 3,
  badauthLimit: 4,
  longBlock: hours(5),
  shortBlock: hours(6),
})

it('the windows of the limits are fixed, and a first refusal is no repeat', () =>
  expect(LIMITS).toEqual({
    nochg: { max: 1, window: hours(24) },
    requests: { max: 2, window: minutes(5) },
    refusals: { max: 4, window: hours(24) },
    badauth: { max: 4, window: minutes(10) },
    longBlock: hours(5),
    shortBlock: hours(6),
    lockout: minutes(10),
  }))

it('a login from nowhere is not counted, and not locked out', async () => {
  const nothing = {} as unknown as StoreWrites
  expect(await lockedOutUntil(nothing, undefined, { limits: LIMITS, now: NOW })).toBeUndefined()
  expect(await recordFailedLogin(nothing, undefined, { limits: LIMITS, now: NOW })).toBe(false)
})
