import { describe, expect, it } from 'vitest'
import { type Duration, hours, minutes, seconds } from '../../../src/shared/base/time.ts'
import { nextWait, retryAt, waitAt } from '../../../src/client/decide/backoff.ts'
import { batchOf } from '../../../src/client/decide/next-action.ts'
import { aboutOf, fingerprint, isLifted } from '../../../src/client/decide/desired-state.ts'
import { START } from '../../fakes/world.ts'

describe('the next wait', () => {
  it.each([
    ['911', undefined, 30],
    ['unrecognized-reply', undefined, 30],
    ['HTTP 500', undefined, 30],
    ['HTTP 501', undefined, 30],
    ['HTTP 502', undefined, 1],
    ['HTTP 503', undefined, 1],
    ['HTTP 504', undefined, 1],
    ['HTTP 505', undefined, 30],
    ['HTTP 503', 0, 5],
    ['HTTP 503', 1, 30],
    ['911', 0, 30],
    ['911', 2, 60],
    ['911', 3, 120],
    ['911', 4, 240],
    ['911', 5, 240],
    ['911', 99, 240],
  ] as const)('after %s at step %j is %i minutes', (cause, before, length) =>
    expect(waitAt(nextWait(cause, before), 0)).toBe(minutes(length)),
  )

  it('is longer by a tenth at most', () => expect(waitAt(2, 0.5)).toBe(minutes(31.5)))
  it('of a step before the first is the first', () => expect(waitAt(-1, 0)).toBe(minutes(1)))
})

describe('a retry', () => {
  it.each<[number, Duration]>([
    [-1, seconds(5)],
    [0, seconds(5)],
    [1, seconds(15)],
    [2, seconds(45)],
    [3, minutes(2)],
    [4, minutes(5)],
    [5, minutes(5)],
    [99, minutes(5)],
  ])('after attempt %i comes after %i ms', (attempt, span) => expect(retryAt(attempt, 0)).toBe(span))

  it('is spread by a tenth at first, and by twice its span later', () => {
    expect(retryAt(4, 0.5)).toBe(minutes(5.25))
    expect(retryAt(5, 0.5)).toBe(minutes(7.5))
  })
})

describe('a request holds', () => {
  const names = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `${at}.test`)
  it.each([
    [1, undefined, 20, 2000],
    [160, undefined, 20, 2000],
    [161, undefined, 21, 7000],
    [800, undefined, 100, 7000],
    [800, 1, 1, 2000],
    [800, 20, 20, 2000],
    [1, 21, 21, 7000],
  ])('of %i names with batch %j: %i in %i characters', (count, batch, maxNames, maxQueryLength) =>
    expect(batchOf({ hostnames: names(count), ...(batch !== undefined && { batch }) })).toEqual({
      maxNames,
      maxQueryLength,
    }),
  )
})

describe('a stop', () => {
  const now = { credentials: 'c', agent: 'a', settings: 's' }
  it.each([
    ['nohost', 'c'],
    ['badauth', 'c'],
    ['badagent', 'a'],
    ['!donator', 's'],
    ['abuse', ''],
  ] as const)('by %s is about %j, and lifted when that changes', (because, about) => {
    expect(aboutOf(because, now)).toBe(about)
    expect(isLifted({ since: START, because, about }, now)).toBe(false)
    expect(isLifted({ since: START, because, about: 'other' }, now)).toBe(about !== '')
  })

  it('by a word that stops nothing, as another version may have saved it, is lifted only by resume', () => {
    expect(isLifted({ since: START, because: '911', about: '' }, now)).toBe(false)
  })

  it('keeps 96 bits of a digest that depends on where its parts end', () => {
    expect(fingerprint('a', 'b')).toMatch(/^[\w-]{16}$/)
    expect(fingerprint('a', 'b')).not.toBe(fingerprint('ab', ''))
  })
})

it('the longest wait is four hours', () => expect(waitAt(6, 0)).toBe(hours(4)))
