import { describe, expect, it } from 'vitest'
import { after, type Instant, instant, milliseconds, seconds } from '../../../src/shared/base/time.ts'
import { type AddressHistory, NO_HISTORY, passOrHold } from '../../../src/client/detect/flip.ts'
import type { Address } from '../../../src/shared/base/address.ts'

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

  it('is held back for half an hour at most', () => {
    const rounds = Array.from({ length: 7 }, (_, n) => [
      [10 * n, A] as const,
      [10 * n + 5, B] as const,
    ]).flat()
    const held = play(...rounds).filter((result) => result.startsWith('held'))

    expect(held).toEqual([60, 120, 240, 480, 960, 1800].map((second) => `held for ${second}`))
  })

  it('passes when it returns ten minutes after it was replaced, and not before', () => {
    expect(play([0, A], [5, B], [605, A])).toEqual(['a', 'b', 'a'])
    expect(play([0, A], [5, B], [604.999, A])).toEqual(['a', 'b', 'held for 60'])
  })

  it('is held back when it returns after several others', () =>
    expect(play([0, A], [5, B], [10, C], [15, A])).toEqual(['a', 'b', 'c', 'held for 60']))

  it('is held back until the end of its pause, however long ago it was replaced', () => {
    const flips = [0, 10, 20, 30, 40].flatMap((second) => [[second, A] as const, [second + 5, B] as const])
    expect(play(...flips, [50, A], [700, A], [1010, A]).slice(-3)).toEqual([
      'held for 960',
      'held for 310',
      'a',
    ])
  })

  it('is forgotten ten minutes after it was replaced', () => {
    const history = ([0, 5, 605] as const).reduce<AddressHistory>(
      (before, second, n) =>
        passOrHold(before, [A, B, C][n] ?? A, { now: at(seconds(second)), hasNear: false }).history,
      NO_HISTORY,
    )
    expect(Object.keys(history.left)).toEqual(['b'])
    const first = passOrHold(NO_HISTORY, A, { now: at(0), hasNear: false }).history
    expect(first.left).toEqual({})
  })

  it('passes immediately when the router or an interface reports it', () => {
    const reported = (history: AddressHistory, address: Address, second: number) =>
      passOrHold(history, address, { now: at(seconds(second)), hasNear: true }).history
    const back = reported(reported(reported(NO_HISTORY, A, 0), B, 1), A, 2)

    expect(back).toMatchObject({ current: A, flips: 0 })
  })

  it('no longer counts as returning when a new one comes', () =>
    expect(play([0, A], [5, B], [10, A], [15, C])).toEqual(['a', 'b', 'held for 60', 'c']))
})
