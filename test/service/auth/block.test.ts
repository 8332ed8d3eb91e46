import { expect, it } from 'vitest'
import { after, type Duration, days, hours, instant, milliseconds } from '../../../src/shared/base/time.ts'
import { blockEnd } from '../../../src/service/auth/sanctions.ts'

const NOW = instant(Date.UTC(2026, 0, 1))

it.each<[string, Duration | undefined, boolean]>([
  ['no end is not in force', undefined, false],
  ['an end in the past is not in force', milliseconds(-1), false],
  ['an end at this moment is not in force', milliseconds(0), false],
  ['an end after this moment is in force', milliseconds(1), true],
  ['an end as far ahead as the longest block is in force', hours(24), true],
  ['an end further ahead is not in force', milliseconds(hours(24) + 1), false],
  ['an end two days ahead is not in force', days(2), false],
])('a block with %s', (_, ahead, isInForce) => {
  const blockedUntil = ahead === undefined ? undefined : after(NOW, ahead)
  const end = blockEnd(blockedUntil === undefined ? {} : { blockedUntil }, NOW, hours(24))

  expect(end).toBe(isInForce ? blockedUntil : undefined)
})
