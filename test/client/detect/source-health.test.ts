import { describe, expect, it } from 'vitest'
import {
  after,
  hours,
  type Instant,
  instant,
  milliseconds,
  minutes,
  seconds,
} from '../../../src/base/time.ts'
import {
  isQuarantined,
  mayAsk,
  newSourceRecords,
  withAgreement,
  withBudgetSpent,
  withDisagreement,
  withQuarantine,
  withRequest,
} from '../../../src/client/detect/source-health.ts'

const START = instant(0)
const at = (span: number): Instant => after(START, milliseconds(span))

describe('a source', () => {
  it('rests between two questions for one family', () => {
    const source = { name: 'x', cooldown: minutes(1) }
    const trust = withRequest(newSourceRecords(START), { source, family: 'v4' }, START)

    expect(mayAsk(trust, { source, family: 'v4' }, at(59_999))).toBe(false)
    expect(mayAsk(trust, { source, family: 'v4' }, at(60_000))).toBe(true)
    expect(mayAsk(trust, { source, family: 'v6' }, at(1))).toBe(true)
  })

  it('may stand alone once, and is left alone after the second time in a row', () => {
    const once = withDisagreement(newSourceRecords(START), 'x', START)
    const forgiven = withDisagreement(withAgreement(once, 'x'), 'x', START)
    const twice = withDisagreement(once, 'x', START)

    expect([once, forgiven, twice].map((trust) => isQuarantined(trust, 'x', at(1)))).toEqual([
      false,
      false,
      true,
    ])
    expect(isQuarantined(twice, 'y', at(1))).toBe(false)
  })

  it('is left alone for longer each time', () => {
    let trust = newSourceRecords(START)
    const spans = [1, 2, 3, 4].map(() => {
      trust = withQuarantine(trust, 'x', START)
      return [0.9, 1, 3.9, 4, 23.9, 24].filter((n) => isQuarantined(trust, 'x', at(hours(n) - 1))).at(-1)
    })

    expect(spans).toEqual([1, 4, 24, 24])
  })
})

describe('the budget of hints', () => {
  it('is thirty at once, and then one in five seconds', () => {
    let trust = newSourceRecords(START)
    const take = (now: Instant): boolean => {
      const next = withBudgetSpent(trust, 'hint', now)
      trust = next ?? trust
      return next !== undefined
    }

    expect(Array.from({ length: 33 }, () => take(START)).filter(Boolean)).toHaveLength(30)
    expect(take(at(seconds(4)))).toBe(false)
    expect(take(at(seconds(5)))).toBe(true)
    expect(Array.from({ length: 40 }, () => take(at(hours(1)))).filter(Boolean)).toHaveLength(30)
    // What is no hint has its own.
    expect(withBudgetSpent(trust, 'news', START)).toBeDefined()
  })
})
