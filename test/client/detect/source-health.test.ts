import { describe, expect, it } from 'vitest'
import {
  after,
  hours,
  type Instant,
  instant,
  milliseconds,
  minutes,
  seconds,
} from '../../../src/shared/base/time.ts'
import {
  isQuarantined,
  mayAsk,
  NEW_RECORDS,
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
    const records = withRequest(NEW_RECORDS, { source, family: 'v4' }, START)

    expect(mayAsk(records, { source, family: 'v4' }, at(59_999))).toBe(false)
    expect(mayAsk(records, { source, family: 'v4' }, at(60_000))).toBe(true)
    expect(mayAsk(records, { source, family: 'v6' }, at(1))).toBe(true)
  })

  it('the second consecutive disagreement quarantines a source', () => {
    const once = withDisagreement(NEW_RECORDS, 'x', START)
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
    let records = NEW_RECORDS
    const spans = [1, 2, 3, 4].map(() => {
      records = withQuarantine(records, 'x', START)
      return [1, 4, 24].filter(
        (n) => isQuarantined(records, 'x', at(hours(n) - 1)) && !isQuarantined(records, 'x', at(hours(n))),
      )
    })

    expect(spans).toEqual([[1], [4], [24], [24]])
  })

  it('after a quarantine, one disagreement causes no other', () => {
    const quarantined = withQuarantine(NEW_RECORDS, 'x', START)
    const once = withDisagreement(quarantined, 'x', at(hours(1)))

    expect(isQuarantined(once, 'x', at(hours(1)))).toBe(false)
    expect(isQuarantined(withDisagreement(once, 'x', at(hours(1))), 'x', at(hours(1)))).toBe(true)
  })

  it('a source with a burst of eight is asked eight times within eight cooldowns', () => {
    const source = { name: 'x', cooldown: minutes(1), burst: 8 }
    let records = NEW_RECORDS
    const asked = Array.from({ length: 20 }, () => {
      const isAllowed = mayAsk(records, { source, family: 'v4' }, START)
      if (isAllowed) records = withRequest(records, { source, family: 'v4' }, START)
      return isAllowed
    })

    expect(asked.filter(Boolean)).toHaveLength(8)
    expect(mayAsk(records, { source, family: 'v4' }, at(minutes(8) - 1))).toBe(false)
    expect(mayAsk(records, { source, family: 'v4' }, at(minutes(8)))).toBe(true)
  })

  it('remembers no more requests of a source than the largest burst, however long the program runs', () => {
    const request = { source: { name: 'x', cooldown: minutes(1) }, family: 'v4' } as const
    let records = NEW_RECORDS
    for (let n = 0; n < 100; n++) records = withRequest(records, request, at(n))

    expect(Object.values(records.requests).flat()).toHaveLength(8)
  })
})

describe('the budget of rounds', () => {
  it('allows a burst of thirty, then one in three seconds, for each family', () => {
    const refill = seconds(3)
    let records = NEW_RECORDS
    const take = (now: Instant): boolean => {
      const next = withBudgetSpent(records, 'v4', now)
      records = next ?? records
      return next !== undefined
    }

    expect(Array.from({ length: 33 }, () => take(START)).filter(Boolean)).toHaveLength(30)
    expect(take(at(refill - 1))).toBe(false)
    expect(take(at(refill))).toBe(true)
    expect(Array.from({ length: 40 }, () => take(at(hours(1)))).filter(Boolean)).toHaveLength(30)
    expect(withBudgetSpent(records, 'v6', at(hours(1)))).toBeDefined()
  })
})
