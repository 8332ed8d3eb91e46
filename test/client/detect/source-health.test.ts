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

describe('the record of a source', () => {
  it('a source is not asked again for a family within its cooldown', () => {
    const source = { name: 'x', cooldown: minutes(1) }
    const records = withRequest(newSourceRecords(START), { source, family: 'v4' }, START)

    expect(mayAsk(records, { source, family: 'v4' }, at(59_999))).toBe(false)
    expect(mayAsk(records, { source, family: 'v4' }, at(60_000))).toBe(true)
    expect(mayAsk(records, { source, family: 'v6' }, at(1))).toBe(true)
  })

  it('the second consecutive disagreement quarantines a source', () => {
    const once = withDisagreement(newSourceRecords(START), 'x', START)
    const interrupted = withDisagreement(withAgreement(once, 'x'), 'x', START)
    const twice = withDisagreement(once, 'x', START)

    expect([once, interrupted, twice].map((records) => isQuarantined(records, 'x', at(1)))).toEqual([
      false,
      false,
      true,
    ])
    expect(isQuarantined(twice, 'y', at(1))).toBe(false)
  })

  it('each quarantine is longer than the one before', () => {
    let records = newSourceRecords(START)
    const spans = [1, 2, 3, 4].map(() => {
      records = withQuarantine(records, 'x', START)
      return [0.9, 1, 3.9, 4, 23.9, 24].filter((n) => isQuarantined(records, 'x', at(hours(n) - 1))).at(-1)
    })

    expect(spans).toEqual([1, 4, 24, 24])
  })
})

describe('the budget of rounds', () => {
  it('allows a burst of thirty, then one in five seconds, separately for each reason', () => {
    let records = newSourceRecords(START)
    const take = (now: Instant): boolean => {
      const next = withBudgetSpent(records, 'hint', now)
      records = next ?? records
      return next !== undefined
    }

    expect(Array.from({ length: 33 }, () => take(START)).filter(Boolean)).toHaveLength(30)
    expect(take(at(seconds(4)))).toBe(false)
    expect(take(at(seconds(5)))).toBe(true)
    expect(Array.from({ length: 40 }, () => take(at(hours(1)))).filter(Boolean)).toHaveLength(30)
    expect(withBudgetSpent(records, 'news', START)).toBeDefined()
  })
})
