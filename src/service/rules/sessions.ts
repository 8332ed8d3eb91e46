import { before, hours, type Instant, minutes } from '../../shared/base/time.ts'

/** A session ends this long after it began, and this long after its last request. */
export const SESSION_LIFETIME = hours(12)
export const SESSION_IDLE = minutes(30)

/** Sessions that began, or were last seen, before these times are over. */
export const overBefore = (now: Instant): { readonly created: Instant; readonly seen: Instant } => ({
  created: before(now, SESSION_LIFETIME),
  seen: before(now, SESSION_IDLE),
})
