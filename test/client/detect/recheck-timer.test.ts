import { expect, it } from 'vitest'
import { milliseconds, minutes, seconds } from '../../../src/shared/base/time.ts'
import { recheckTimer } from '../../../src/client/detect/recheck-timer.ts'
import { virtualClock } from '../../fakes/clock.ts'

function timer(random = 0) {
  const clock = virtualClock()
  let looks = 0
  const { signal } = new AbortController()
  const made = recheckTimer({ clock, random: () => random, signal }, () => looks++)
  return { clock, made, looks: () => looks }
}

it('a pause is at most a tenth longer', async () => {
  const { clock, made, looks } = timer(1)
  made.schedule()
  await clock.pass(milliseconds(1099))
  expect(looks()).toBe(0)
  await clock.pass(milliseconds(1))
  expect(looks()).toBe(1)
})

it('a hint or an agreement cancels the look that is due', async () => {
  const { clock, made, looks } = timer()
  made.schedule()
  made.reset()
  await clock.pass(minutes(2))

  expect(looks()).toBe(0)
})

it('a further round without an agreement replaces the look that is due', async () => {
  const { clock, made, looks } = timer()
  made.schedule()
  made.schedule()
  await clock.pass(seconds(1.9))
  expect(looks()).toBe(0)
  await clock.pass(minutes(2))
  expect(looks()).toBe(1)
})
