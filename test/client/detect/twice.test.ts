import { describe, expect, it } from 'vitest'
import { milliseconds, seconds } from '../../../src/shared/base/time.ts'
import { SecondRound } from '../../../src/client/detect/second-round.ts'
import { virtualClock } from '../../fakes/clock.ts'

function scene() {
  const clock = virtualClock()
  const end = new AbortController()
  let looks = 0
  const made = new SecondRound({ clock, requestLook: () => looks++, signal: end.signal })
  return { clock, end, made, looks: () => looks }
}

describe('what two rounds must show', () => {
  it('is confirmed by a second round after a while, which is requested once', async () => {
    const { clock, made, looks } = scene()
    expect([made.isConfirmed('x'), made.isOpen, made.isConfirmed('x')]).toEqual([false, true, false])
    await clock.pass(seconds(2))
    expect(looks()).toBe(1)
    expect([made.isConfirmed('x'), made.isOpen]).toEqual([true, false])
  })

  it('is asked for again after a round just before, whose answer would be reused', async () => {
    const { clock, made, looks } = scene()
    made.isConfirmed('x')
    await clock.pass(milliseconds(1900))
    expect(made.isConfirmed('x')).toBe(false)
    await clock.pass(seconds(2))
    expect([looks(), made.isConfirmed('x')]).toEqual([2, true])
  })

  it('is not confirmed where something else was seen in between', async () => {
    const { clock, made } = scene()
    for (const what of ['x', 'y', undefined, 'x']) {
      expect(made.isConfirmed(what)).toBe(false)
      await clock.pass(seconds(2))
    }
    expect(made.isConfirmed('x')).toBe(true)
  })

  it('requests no round after the end', async () => {
    const { clock, end, made, looks } = scene()
    made.isConfirmed('x')
    end.abort()
    await clock.pass(seconds(5))
    expect(looks()).toBe(0)
  })
})
