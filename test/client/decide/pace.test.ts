import { describe, expect, it } from 'vitest'
import {
  type Duration,
  type Instant,
  after,
  before,
  minutes,
  seconds,
} from '../../../src/shared/base/time.ts'
import type { Address } from '../../../src/shared/base/address.ts'
import { paceDelay, withSent, sentOf } from '../../../src/client/decide/pace.ts'
import { START } from '../../fakes/world.ts'

const minGap = seconds(0)

const at = (n: number): Instant => after(START, seconds(n))
const request = (...addresses: readonly string[]) => {
  const [v4, v6] = ['.', ':'].map(
    (mark) => addresses.find((text) => text.includes(mark)) as Address | undefined,
  )
  return { hostnames: ['h'], addresses: { ...(v4 && { v4 }), ...(v6 && { v6 }) } }
}
/** A request every second, from the start. */
const sent = (...addresses: readonly string[]) => addresses.map((text, n) => sentOf(request(text), at(n)))
const now = at(100)

describe('what was sent', () => {
  it('is identified by its first hostname and its addresses', () =>
    expect(sentOf({ ...request('192.0.2.1', '2001:db8::1'), hostnames: ['a', 'b'] }, START)).toEqual({
      at: START,
      hostname: 'a',
      addresses: '192.0.2.1,2001:db8::1',
    }))

  it('counts for five minutes, to the millisecond', () => {
    const [first, second] = sent('192.0.2.1', '192.0.2.2')
    const kept = withSent(
      [first, second].filter((one) => one !== undefined),
      request('192.0.2.3'),
      { pace: 25, minGap, now: at(300) },
    )
    expect(kept.map(({ addresses }) => addresses)).toEqual(['192.0.2.2', '192.0.2.3'])
  })

  it('is no more than the pace', () => {
    const kept = withSent(sent('192.0.2.1', '192.0.2.2'), request('192.0.2.3'), { pace: 2, minGap, now })
    expect(kept.map(({ addresses }) => addresses)).toEqual(['192.0.2.2', '192.0.2.3'])
  })
})

describe('a request is held back', () => {
  const same = (count: number) => sent(...Array<string>(count).fill('192.0.2.1'))

  it('when as many as the pace went out, until the oldest of them is five minutes old', () => {
    expect(paceDelay(same(4), request('192.0.2.1'), { pace: 5, minGap, now })).toBeUndefined()
    expect(paceDelay(same(5), request('192.0.2.1'), { pace: 5, minGap, now })).toEqual({
      until: at(300),
      limit: 'requests',
      max: 5,
    })
    expect(paceDelay(same(6), request('192.0.2.1'), { pace: 5, minGap, now })?.until).toBe(at(301))
  })

  it('not by what went out five minutes ago', () =>
    expect(paceDelay(same(5), request('192.0.2.1'), { pace: 5, minGap, now: at(300) })).toBeUndefined())

  it('not by the second family of the last change', () => {
    const earlier = ['192.0.2.1', '198.51.100.1', '203.0.113.1'].map((text, n) =>
      sentOf(request(text), at(n * 30)),
    )
    const all = [...earlier, sentOf(request('2001:db8::1'), at(62))]
    expect(paceDelay(all, request('192.0.2.9'), { pace: 10, minGap, now: at(200) })).toBeUndefined()
    const fourth = [...all, sentOf(request('2001:db9::1'), at(90))]
    expect(paceDelay(fourth, request('192.0.2.9'), { pace: 10, minGap, now: at(200) })).toMatchObject({
      limit: 'changes of address',
    })
  })

  it('when two of five were changes of address, and it is another', () => {
    const two = sent('192.0.2.1', '192.0.2.2')
    expect(paceDelay(two, request('192.0.2.2'), { pace: 5, minGap, now })).toBeUndefined()
    expect(paceDelay(two, request('192.0.2.3'), { pace: 5, minGap, now })).toEqual({
      until: at(300),
      limit: 'changes of address',
      max: 2,
    })
  })

  it('not where it goes to the line of the last one', () =>
    expect(
      paceDelay(sent('192.0.2.1', '192.0.2.2', '192.0.2.3'), request('192.0.2.3'), { pace: 5, minGap, now }),
    ).toBeUndefined())

  it('for another line where the 64th bit differs, and not where the 65th does', () => {
    const held = (next: string) =>
      paceDelay(sent('2001:db8::1'), request(next), { pace: 1, minGap, now })?.limit
    const byChanges = paceDelay(sent('2001:db8::1', '2001:db8::1'), request('2001:db8:0:1::1'), {
      pace: 4,
      minGap,
      now,
    })
    expect(byChanges?.limit).toBe('changes of address')
    expect(
      paceDelay(sent('2001:db8::1', '2001:db8::1'), request('2001:db8::8000:0:0:1'), {
        pace: 4,
        minGap,
        now,
      }),
    ).toBeUndefined()
    expect(held('2001:db8::1')).toBe('requests')
  })

  it.each<[string, readonly string[], Duration, boolean]>([
    ['IPv6 fifteen seconds after IPv4 is a change', ['192.0.2.1', '192.0.2.2'], seconds(15), true],
    ['IPv6 sooner belongs to it', ['192.0.2.1', '192.0.2.2'], seconds(14), false],
    ['but IPv6 twice does not', ['192.0.2.1', '192.0.2.2,2001:db8:1::1'], seconds(1), true],
  ])('%s', (_, before, later, isHeld) => {
    const recent = before.map((text, n) => sentOf(request(...text.split(',')), at(100 * n)))
    const delay = paceDelay(recent, request('192.0.2.2', '2001:db8:2::1'), {
      pace: 5,
      minGap,
      now: after(at(100), later),
    })
    expect(delay?.limit).toBe(isHeld ? 'changes of address' : undefined)
  })

  it('by the first change already, where the pace is one or two', () =>
    expect(
      [1, 2, 4].map((pace) => paceDelay(sent('192.0.2.1'), request('192.0.2.2'), { pace, minGap, now })?.max),
    ).toEqual([1, 1, 1]))

  it('not for another host part in the same /64', () => {
    const two = sent('2001:db8:0:1::1', '2001:db8:0:1::2', '2001:db8:0:1::3')
    expect(paceDelay(two, request('2001:db8:0:1::4'), { pace: 5, minGap, now })).toBeUndefined()
    expect(paceDelay(two, request('2001:db8:0:2::4'), { pace: 5, minGap, now })).toBeUndefined()
    expect(
      paceDelay([...two, sentOf(request('2001:db8:0:2::1'), at(3))], request('2001:db8:0:1::4'), {
        pace: 5,
        minGap,
        now,
      })?.limit,
    ).toBe('changes of address')
  })

  it('until both limits allow it', () => {
    const late = sent('192.0.2.1', '192.0.2.1', '192.0.2.2', '192.0.2.1', '192.0.2.1')
    expect(paceDelay(late, request('192.0.2.3'), { pace: 5, minGap, now })).toMatchObject({
      until: at(302),
      limit: 'changes of address',
    })
    const many = sent('192.0.2.1', '192.0.2.2', '192.0.2.2', '192.0.2.2', '192.0.2.2', '192.0.2.2')
    expect(paceDelay(many, request('192.0.2.3'), { pace: 5, minGap, now })).toMatchObject({
      until: at(301),
      limit: 'requests',
    })
  })

  it('by the number of requests, where both limits end at the same moment', () =>
    expect(paceDelay(sent('192.0.2.1'), request('192.0.2.2'), { pace: 1, minGap, now })?.limit).toBe(
      'requests',
    ))
})

it('a window is five minutes', () =>
  expect(paceDelay(sent('192.0.2.1'), request('192.0.2.2'), { pace: 1, minGap, now })?.until).toBe(
    after(START, minutes(5)),
  ))

describe('the least time between two requests', () => {
  const gap = minutes(10)
  const last = sent('192.0.2.1')
  const lastAt = last[0]?.at ?? START
  const delayAt = (moment: Instant, minGap = gap) =>
    paceDelay(last, request('192.0.2.2'), { pace: 25, minGap, now: moment })

  it('delays a request until it is over', () => {
    const until = after(lastAt, gap)
    expect(delayAt(lastAt)).toEqual({ until, limit: 'gap', max: 1 })
    expect(delayAt(after(lastAt, seconds(599)))?.until).toBe(until)
    expect(delayAt(until)).toBeUndefined()
  })

  it('of zero delays nothing', () => expect(delayAt(lastAt, seconds(0))).toBeUndefined())

  it('does not count from a moment that is still to come', () =>
    expect(delayAt(before(lastAt, seconds(1)))).toBeUndefined())

  it('does not shorten the delay of the pace, and is not shortened by it', () => {
    const delayOf = (minGap: Duration) =>
      paceDelay(last, request('192.0.2.1'), { pace: 1, minGap, now: after(lastAt, seconds(1)) })
    expect(delayOf(minutes(1))).toMatchObject({ limit: 'requests', until: after(lastAt, minutes(5)) })
    expect(delayOf(minutes(10))).toMatchObject({ limit: 'gap', until: after(lastAt, minutes(10)) })
  })

  it('keeps requests that are older than the window', () => {
    const moment = after(lastAt, minutes(6))
    const kept = (minGap: Duration) =>
      withSent(last, request('192.0.2.2'), { pace: 25, minGap, now: moment }).length
    expect([kept(gap), kept(minutes(1))]).toEqual([2, 1])
  })
})
