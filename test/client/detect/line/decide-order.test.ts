import { describe, expect, it } from 'vitest'
import { decideOrder, newOrder } from '../../../../src/client/detect/line/decide-order.ts'
import { instant, type Instant } from '../../../../src/shared/base/time.ts'

/** Plays whether each line is up, by second; returns the moves, and looks again where the reducer asks for it. */
function play(count: number, until: number, up: (second: number) => readonly boolean[]): readonly string[] {
  let state = newOrder(count)
  const moves: string[] = []
  for (let second = 0; second <= until; second++) {
    const before = state.active
    ;({ state } = decideOrder(state, { at: instant(second * 1000), up: up(second) }))
    if (state.active !== before) moves.push(`${second} ${state.active}`)
  }
  return moves
}

describe('an order of lines', () => {
  it('begins with the first that is up', () => {
    expect(play(2, 0, () => [true, true])).toEqual(['0 0'])
    expect(play(2, 9, (at) => [false, at >= 5])).toEqual(['5 1'])
    expect(play(2, 9, () => [false, false])).toEqual([])
  })

  it('moves at once when its line is down, and back when that was up for 30 s', () =>
    expect(play(2, 200, (at) => [at < 60 || at >= 100, true])).toEqual(['0 0', '60 1', '130 0']))

  it('begins the 30 s anew after each break', () =>
    expect(play(2, 200, (at) => [at < 60 || (at >= 100 && at !== 120), true])).toEqual([
      '0 0',
      '60 1',
      '151 0',
    ]))

  it('takes the next of three', () =>
    expect(play(3, 200, (at) => [at < 60, at < 100, true])).toEqual(['0 0', '60 1', '100 2']))

  it('moves at most once in 30 s', () =>
    expect(play(3, 200, (at) => [at < 60, at < 65, true])).toEqual(['0 0', '60 1', '90 2']))

  it('stays where no other is up', () => expect(play(2, 100, (at) => [at < 10, false])).toEqual(['0 0']))

  it('waits twice as long after each return that fails within ten minutes', () => {
    // Up for 40 s, down for 20 s.
    const moves = play(2, 3600, (at) => [at % 60 < 40, true])
    expect(moves).toEqual(['0 0', '40 1', '90 0', '160 1'])
  })

  it('of a line that flaps each 20 s moves at most twelve times a day', () => {
    const day = 24 * 3600
    expect(play(2, day, (at) => [Math.floor(at / 20) % 2 === 0, true]).length).toBeLessThanOrEqual(12)
    expect(play(2, day, (at) => [at % 700 < 640, true]).length).toBeGreaterThan(12)
  })

  it('waits 30 s again when a return lasted for ten minutes', () =>
    expect(
      play(2, 2000, (at) => [
        at < 60 || (at >= 100 && at < 200) || (at >= 260 && at < 1000) || at >= 1100,
        true,
      ]),
    ).toEqual(['0 0', '60 1', '130 0', '200 1', '320 0', '1000 1', '1130 0']))

  it('says when time alone may change it', () => {
    const at = (second: number): Instant => instant(second * 1000)
    let { state } = decideOrder(newOrder(2), { at: at(0), up: [true, true] })
    ;({ state } = decideOrder(state, { at: at(10), up: [false, true] }))
    const step = decideOrder(state, { at: at(20), up: [true, true] })
    expect(step.until).toBe(at(50))
  })
})
