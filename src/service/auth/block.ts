import { after, type Duration, type Instant, isBefore } from '../../shared/base/time.ts'

/**
 * The end of the block that is in force at `now`; undefined if there is none. An end further ahead than `longest`, the
 * longest block that is imposed, was stored while the clock was ahead: the block would last until the clock is there again.
 */
export function blockEnd(
  { blockedUntil }: { readonly blockedUntil?: Instant },
  now: Instant,
  longest: Duration,
): Instant | undefined {
  if (blockedUntil === undefined || !isBefore(now, blockedUntil)) return undefined
  return isBefore(after(now, longest), blockedUntil) ? undefined : blockedUntil
}
