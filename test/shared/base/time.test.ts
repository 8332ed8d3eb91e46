import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  formatDuration,
  formatInstant,
  hours,
  instant,
  milliseconds,
  minutes,
  parseDuration,
  parseInstant,
  seconds,
  withJitter,
} from '../../../src/shared/base/time.ts'

describe('parseDuration', () => {
  it.each([
    ['90s', seconds(90)],
    ['5m', minutes(5)],
    ['1h30m', minutes(90)],
    ['28d', hours(28 * 24)],
    ['250ms', milliseconds(250)],
    ['0', milliseconds(0)],
  ])('parses %s', (text, span) => expect(parseDuration(text)).toEqual({ ok: true, value: span }))

  it.each(['', '5', '5 m', 'm', '-5m', '5x', '1.5h', '5m!'])('rejects %j', (text) =>
    expect(parseDuration(text).ok).toBe(false),
  )

  it('is the inverse of formatDuration', () =>
    fc.assert(
      fc.property(fc.nat(1e11), (n) => {
        expect(parseDuration(formatDuration(milliseconds(n)))).toEqual({ ok: true, value: n })
      }),
    ))

  it('withJitter adds between nothing and the given share', () =>
    fc.assert(
      fc.property(fc.nat(1e9), fc.double({ min: 0, max: 0.999999, noNaN: true }), (n, random) => {
        const span = withJitter(milliseconds(n), 0.1, random)
        expect(span).toBeGreaterThanOrEqual(n)
        expect(span).toBeLessThanOrEqual(n * 1.1 + 1)
      }),
    ))
})

describe('parseInstant', () => {
  it('is the inverse of formatInstant', () =>
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), (n) => {
        expect(parseInstant(formatInstant(instant(n)))).toBe(n)
      }),
    ))

  it.each(['', 'yesterday', '2026-11-21', '2026-11-21T00:00:00', '2026-13-01T00:00:00Z'])(
    'rejects %j',
    (text) => expect(parseInstant(text)).toBeUndefined(),
  )
})
