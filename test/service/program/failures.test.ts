import { expect, it } from 'vitest'
import { StoreAway, StoreBusy, StoreLocked } from '../../../src/service/store/errors.ts'
import { failureLog } from '../../../src/service/program/failures.ts'

function reporting() {
  const lines: string[] = []
  const time = { now: 0 }
  const { report, stored } = failureLog(
    (level, msg, details) => void lines.push(`${level} ${details?.line ?? msg}`),
    () => time.now,
  )
  return { report, stored, lines, time }
}
const FULL = Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR' })

it('a full disk is one line a minute, which says what to do and counts the others', () => {
  const { report, lines, time } = reporting()
  for (let n = 0; n < 500; n++) report('an update request', FULL)
  time.now = 60_000
  report('an update request', FULL)

  const line =
    'error an update request failed: the store cannot be used: database or disk is full; free space on its disk'
  expect(lines).toEqual([line, `${line}; 499 more failures since the last line`])
})

it('any other error has its stack', () => {
  const { report, lines } = reporting()
  report('an API request', new TypeError('x is not a function'))

  expect(lines[0]).toMatch(
    /^error an API request failed because of an internal error: TypeError: x is not a function\n +at /,
  )
})

it('each outage has its own line, and a line at its end', () => {
  const { report, stored, lines, time } = reporting()
  stored()
  const away = new StoreAway('the database cannot be reached')
  for (const at of [0, 1000]) {
    time.now = at
    report('an update request', away)
    report('an update request', away)
    time.now = at + 7000
    stored()
    stored()
  }
  const line = 'error an update request failed: the store cannot be used: the database cannot be reached'
  expect(lines).toEqual([
    line,
    'info the store can be used again, after 7 s',
    line,
    'info the store can be used again, after 7 s',
  ])
})

it('rows that others lock are no outage, but a store that another program has locked', () => {
  const { report, stored, lines } = reporting()
  report('an update request', new StoreBusy('locked'))
  stored()
  expect(lines).toHaveLength(1)
  report('an update request', new StoreLocked('another program writes'))
  stored()
  expect(lines).toEqual([expect.any(String), 'info the store can be used again, after 0 s'])
})
