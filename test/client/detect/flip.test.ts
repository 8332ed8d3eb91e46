import { describe, expect, it } from 'vitest'
import { after, type Instant, instant, milliseconds, seconds } from '../../../src/base/time.ts'
import { type AddressHistory, NO_HISTORY, passOrHold } from '../../../src/client/detect/flip.ts'
import type { Address } from '../../../src/net/address.ts'

const at = (span: number): Instant => after(instant(0), milliseconds(span))

describe('an address', () => {
  const [A, B, C] = ['a', 'b', 'c'] as unknown as [Address, Address, Address]
  /** Passes each address at its second; returns the published address after each. */
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

  it('passes while it is new', () => expect(play([0, A], [5, B], [10, C])).toEqual(['a', 'b', 'c']))

  it('is held back when it returns too soon, and passes when it stays', () =>
    expect(play([0, A], [5, B], [10, A], [40, A], [70, A])).toEqual([
      'a',
      'b',
      'held for 60',
      'held for 30',
      'a',
    ]))

  it('is held back longer each time while two addresses alternate', () =>
    expect(play([0, A], [5, B], [10, A], [15, B], [20, A], [25, B])).toEqual([
      'a',
      'b',
      'held for 60',
      'b',
      'held for 120',
      'b',
    ]))

  it('passes when it returns after ten minutes', () =>
    expect(play([0, A], [5, B], [606, A])).toEqual(['a', 'b', 'a']))

  it('passes immediately when the router or an interface reports it', () => {
    const reported = (history: AddressHistory, address: Address, second: number) =>
      passOrHold(history, address, { now: at(seconds(second)), hasNear: true }).history
    const back = reported(reported(reported(NO_HISTORY, A, 0), B, 1), A, 2)

    expect(back).toMatchObject({ current: A, flips: 0 })
  })

  it('no longer counts as returning when a new one comes', () =>
    expect(play([0, A], [5, B], [10, A], [15, C])).toEqual(['a', 'b', 'held for 60', 'c']))
})
