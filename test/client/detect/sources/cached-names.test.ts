import { expect, it } from 'vitest'
import { milliseconds, minutes, seconds } from '../../../../src/shared/base/time.ts'
import { cachingResolve } from '../../../../src/client/detect/sources/cached-names.ts'
import type { LookUpName } from '../../../../src/shared/ports/network.ts'
import { address } from '../../../fakes/address.ts'
import { virtualClock } from '../../../fakes/clock.ts'

/** A resolver whose nth answer is the nth text; an empty one fails. */
function names(answers: readonly string[], ttl = seconds(60)) {
  const clock = virtualClock()
  let asked = 0
  const lookUp: LookUpName = async () => {
    const answer = answers[asked++] ?? ''
    if (answer === '') throw new Error('ETIMEOUT')
    return Promise.resolve({ addresses: [address(answer)], ttl })
  }
  const { resolve, forget } = cachingResolve(lookUp, clock)
  return {
    clock,
    forget: () => forget('a.test', 'v4'),
    resolve: async () => resolve('a.test', 'v4'),
    asked: () => asked,
  }
}

it('an answer serves until its time is over, and once more while it is refreshed (RFC 8767)', async () => {
  const { clock, resolve, asked } = names(['192.0.2.1', '192.0.2.2'])
  expect(await resolve()).toEqual(['192.0.2.1'])
  await clock.pass(seconds(59))
  expect([await resolve(), asked()]).toEqual([['192.0.2.1'], 1])
  await clock.pass(seconds(2))
  expect([await resolve(), asked()]).toEqual([['192.0.2.1'], 2])
  await clock.pass(milliseconds(1))
  expect(await resolve()).toEqual(['192.0.2.2'])
})

it('a refresh that fails keeps the old answer; a name that is forgotten is looked up', async () => {
  const { clock, resolve, forget, asked } = names(['192.0.2.1', '', '192.0.2.3'])
  await resolve()
  await clock.pass(minutes(2))
  await resolve()
  await clock.pass(milliseconds(1))
  forget()
  expect(await resolve()).toEqual(['192.0.2.3'])
  expect(asked()).toBe(3)
})

it('a failure is not kept, and no time to live is shorter than a second or longer than five minutes', async () => {
  const failing = names(['', '192.0.2.1'])
  expect(await failing.resolve()).toEqual([])
  expect(await failing.resolve()).toEqual(['192.0.2.1'])

  const short = names(['192.0.2.1', '192.0.2.2'], seconds(0))
  await short.resolve()
  await short.clock.pass(milliseconds(900))
  await short.resolve()
  expect(short.asked()).toBe(1)

  const long = names(['192.0.2.1', '192.0.2.2'], minutes(60))
  await long.resolve()
  await long.clock.pass(minutes(6))
  await long.resolve()
  expect(long.asked()).toBe(2)
})
