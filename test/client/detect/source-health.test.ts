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
import { type AddressHistory, NO_HISTORY, passOrHold } from '../../../src/client/detect/flip.ts'
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
import type { Address } from '../../../src/net/address.ts'

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

describe('an address that flips', () => {
  const [A, B, C] = ['a', 'b', 'c'] as unknown as [Address, Address, Address]
  /** Sees each address at its second, and tells what was published after each. */
  const play = (...seen: readonly (readonly [second: number, address: Address])[]): readonly string[] => {
    let history: AddressHistory = NO_HISTORY
    return seen.map(([second, address]) => {
      const passed = passOrHold(history, address, { now: at(seconds(second)), hasNear: false })
      ;({ history } = passed)
      return passed.heldUntil === undefined
        ? String(history.current)
        : `held for ${(passed.heldUntil - seconds(second)) / 1000}`
    })
  }

  it('is let through while it is new', () => expect(play([0, A], [5, B], [10, C])).toEqual(['a', 'b', 'c']))

  it('is held back when it comes back too soon, and let through when it stays', () =>
    expect(play([0, A], [5, B], [10, A], [40, A], [70, A])).toEqual([
      'a',
      'b',
      'held for 60',
      'held for 30',
      'a',
    ]))

  it('is not published while the other one comes and goes', () =>
    expect(play([0, A], [5, B], [10, A], [15, B], [20, A], [25, B])).toEqual([
      'a',
      'b',
      'held for 60',
      'b',
      'held for 120',
      'b',
    ]))

  it('is let through when it comes back after a while', () =>
    expect(play([0, A], [5, B], [606, A])).toEqual(['a', 'b', 'a']))

  it('is let through at once when the router or an interface states it', () => {
    const stated = (history: AddressHistory, address: Address, second: number) =>
      passOrHold(history, address, { now: at(seconds(second)), hasNear: true }).history
    const back = stated(stated(stated(NO_HISTORY, A, 0), B, 1), A, 2)

    expect(back).toMatchObject({ current: A, flips: 0 })
  })

  it('is forgotten when a new one comes', () =>
    expect(play([0, A], [5, B], [10, A], [15, C])).toEqual(['a', 'b', 'held for 60', 'c']))
})
