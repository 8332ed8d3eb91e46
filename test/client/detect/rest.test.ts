import { describe, expect, it } from 'vitest'
import { hours, minutes } from '../../../src/shared/base/time.ts'
import { Rest } from '../../../src/client/detect/rest.ts'
import type { Address } from '../../../src/shared/base/address.ts'
import { virtualClock } from '../../fakes/clock.ts'
import { NOTHING, NEW } from '../../fakes/detection.ts'

const vote = (isAnswered: boolean) => ({
  source: { name: 'x', operator: 'x', vantage: 'outside' } as const,
  sighting: isAnswered ? NEW : NOTHING,
})

async function failing(
  over: { readonly published?: readonly Address[]; readonly isOtherKnown?: boolean } = {},
) {
  const clock = virtualClock()
  const { published = [], isOtherKnown = true } = over
  const made = new Rest(
    'v4',
    { clock, published: (family) => (family === 'v4' ? published : ['2600::1' as Address]) },
    () => isOtherKnown,
  )
  made.record([vote(false)], 1)
  await clock.pass(minutes(9))
  made.record([vote(false)], 1)
  return { clock, made }
}

describe('a family without an answer', () => {
  it('is asked for ten minutes, and then once an hour and at each hint', async () => {
    const { clock, made } = await failing()
    expect(made.reason(1, true)).toBeUndefined()
    await clock.pass(minutes(1))
    expect([made.reason(1, true), made.reason(2, true)]).toEqual(['rest', undefined])
    await clock.pass(hours(1))
    expect(made.reason(1, true)).toBeUndefined()
    made.record([vote(false)], 1)
    expect(made.reason(1, true)).toBe('rest')
    made.record([vote(true)], 1)
    expect(made.reason(1, true)).toBeUndefined()
  })

  it.each([
    ['an address of it is published', { published: ['9.9.9.9' as Address] }],
    ['the other family is unknown too', { isOtherKnown: false }],
  ])('is asked on where %s', async (_, over) => {
    const { clock, made } = await failing(over)
    await clock.pass(minutes(20))
    expect(made.reason(1, true)).toBeUndefined()
  })
})

it('a host without a route asks once, and then as rarely, whatever is known and published', async () => {
  const clock = virtualClock()
  const made = new Rest('v4', { clock, published: () => ['9.9.9.9' as Address] }, () => false)
  expect(made.reason(1, false)).toBeUndefined()
  made.record([vote(false)], 1)
  expect([made.reason(1, false), made.reason(2, false), made.reason(1, true)]).toEqual([
    'route',
    undefined,
    undefined,
  ])
  await clock.pass(hours(1))
  expect(made.reason(1, false)).toBeUndefined()
  made.record([vote(true)], 1)
  expect(made.reason(1, false)).toBeUndefined()
})
