import { between, type Duration, type Instant } from './time.ts'

export interface BucketLimits {
  /** The capacity of a bucket. */
  readonly burst: number
  /** The interval at which a token returns. */
  readonly refill: Duration
}

/** The tokens that were left at a moment. */
export interface TokenBucket {
  readonly tokens: number
  readonly at: Instant
}

export const fullBucket = ({ burst }: BucketLimits, now: Instant): TokenBucket => ({ tokens: burst, at: now })

/** The bucket without one token; undefined where it is empty. */
export function takeToken(
  { tokens, at }: TokenBucket,
  { burst, refill }: BucketLimits,
  now: Instant,
): TokenBucket | undefined {
  const refilled = Math.min(burst, tokens + between(at, now) / refill)
  return refilled < 1 ? undefined : { tokens: refilled - 1, at: now }
}
