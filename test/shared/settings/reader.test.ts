import { expect, it } from 'vitest'
import { minutes } from '../../../src/shared/base/time.ts'
import { duration, whole } from '../../../src/shared/settings/reader.ts'

it.each([
  ['1', true],
  ['5', true],
  ['0', false],
  ['6', false],
  ['', false],
  ['1.5', false],
  ['-1', false],
])('whole(1, 5) accepts %j: %s', (text, ok) => expect(whole(1, 5).read(text).ok).toBe(ok))

it.each([
  ['1m', true],
  ['5m', true],
  ['59s', false],
  ['5m1ms', false],
  ['0', false],
  ['1', false],
])('duration(1m, 5m) accepts %j: %s', (text, ok) =>
  expect(duration(minutes(1), minutes(5)).read(text).ok).toBe(ok),
)
