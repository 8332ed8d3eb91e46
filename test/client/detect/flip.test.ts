import { describe, expect, it } from 'vitest'
import { after, type Instant, instant, milliseconds, seconds } from '../../../src/base/time.ts'
import { type AddressHistory, NO_HISTORY, passOrHold } from '../../../src/client/detect/flip.ts'
import type { Address } from '../../../src/net/address.ts'

const at = (span: number): Instant => after(instant(0), milliseconds(span))

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
