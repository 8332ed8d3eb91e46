import { expect, it } from 'vitest'
import { after, type Instant, instant, seconds } from '../../../src/shared/base/time.ts'
import { fullBucket, takeToken } from '../../../src/shared/base/token-bucket.ts'

const START = instant(0)
const LIMITS = { burst: 3, refill: seconds(5) }

it('a bucket gives its burst, then one token for each interval, and never more than its burst', () => {
  let bucket = fullBucket(LIMITS, START)
  const taken = (count: number, second: number): number => {
    const now: Instant = after(START, seconds(second))
    const results = Array.from({ length: count }, () => {
      const next = takeToken(bucket, LIMITS, now)
      bucket = next ?? bucket
      return next !== undefined
    })
    return results.filter(Boolean).length
  }

  expect([taken(5, 0), taken(1, 4), taken(2, 5), taken(9, 3600)]).toEqual([3, 0, 1, 3])
})
