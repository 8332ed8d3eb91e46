import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { instant, seconds } from '../../../src/base/time.ts'
import { exceeds, withEvent } from '../../../src/server/abuse/sliding-window.ts'

const LIMIT = { max: 3, window: seconds(10) }
const countAll = (timestamps: readonly number[]): readonly number[] =>
  timestamps.reduce<readonly number[]>((kept, at) => withEvent(kept, instant(at * 1000 + 999), LIMIT), [])

describe('what is counted', () => {
  it('is in whole seconds, and as many as it takes to see one too many', () => {
    expect(countAll([100, 101, 101])).toEqual([100, 101, 101])
    expect(exceeds(countAll([100, 101, 101]), LIMIT)).toBe(false)
    expect(countAll([100, 101, 101, 102, 103])).toEqual([101, 101, 102, 103])
    expect(exceeds(countAll([100, 101, 101, 102]), LIMIT)).toBe(true)
  })

  it('is forgotten when its span is over', () => {
    expect(countAll([100, 105, 109])).toEqual([100, 105, 109])
    expect(countAll([100, 105, 110])).toEqual([105, 110])
    expect(countAll([100, 105, 200])).toEqual([200])
  })

  it('is neither lost nor kept for longer when the clock is put back', () =>
    expect(countAll([1000, 100, 101, 111])).toEqual([111, 1000]))

  it('is what lies within the span, however it came', () =>
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 100, max: 130 }), { minLength: 1 }), (timestamps) => {
        const kept = countAll(timestamps)
        const now = timestamps.at(-1) ?? 0

        expect(kept).toEqual(kept.toSorted((a, b) => a - b))
        expect(kept.length).toBeLessThanOrEqual(LIMIT.max + 1)
        expect(kept.every((moment) => moment > now - 10)).toBe(true)
        expect(kept).toContain(now)
      }),
    ))
})
