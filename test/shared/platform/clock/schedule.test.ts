import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../runs.ts'
import { instant } from '../../../../src/shared/base/time.ts'
import { cronSchedule } from '../../../../src/shared/platform/clock/schedule.ts'
import { cpuOf } from '../../../lab/cpu.ts'

const at = (text: string) => instant(new Date(text).getTime())
const nextOf = (expression: string, now: string): string => {
  const schedule = cronSchedule(expression)
  if (!schedule.ok) throw new Error(schedule.error)
  return new Date(schedule.value.nextAfter(at(now))).toString()
}

describe('cronSchedule', () => {
  // biome-ignore format: a table
  it.each([
    ['*/5 * * * *',      '2026-01-01T00:00:00', '2026-01-01T00:05:00'],
    ['*/5 * * * *',      '2026-01-01T00:04:59', '2026-01-01T00:05:00'],
    ['* * * * * *',      '2026-01-01T23:59:59', '2026-01-02T00:00:00'],
    ['*/20 * * * * *',   '2026-01-01T00:00:05', '2026-01-01T00:00:20'],
    ['30 3 * * *',       '2026-01-01T03:30:00', '2026-01-02T03:30:00'],
    ['0 0 29 2 *',       '2026-01-01T00:00:00', '2028-02-29T00:00:00'],
    ['0 12 * * 1-5',     '2026-01-02T12:00:00', '2026-01-05T12:00:00'],
    ['15,45 8-9 1 * *',  '2026-01-01T08:15:00', '2026-01-01T08:45:00'],
    ['0 0 1 1 *',        '2026-01-01T00:00:00', '2027-01-01T00:00:00'],
  ])('%s: the next time after %s is %s', (expression, now, then) => expect(nextOf(expression, now)).toBe(new Date(then).toString()))

  it('is pure, returns a later time, and skips no match', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 4e9 }),
        fc.constantFrom('*/7 * * * *', '5 */3 * * *', '0 0 * * 0', '*/20 * * * * *'),
        (now, expression) => {
          const schedule = cronSchedule(expression)
          if (!schedule.ok) throw new Error(schedule.error)
          const from = instant(now * 1000)
          const then = schedule.value.nextAfter(from)
          expect(then).toBeGreaterThan(from)
          expect(schedule.value.nextAfter(from)).toBe(then)
          expect(schedule.value.nextAfter(instant(then - 1))).toBe(then)
        },
      ),
      { numRuns: runs(50) },
    ))

  it('finds a date that is years away within a second of CPU time', () =>
    expect(cpuOf(() => void nextOf('0 0 29 2 *', '2024-02-29T00:00:00'))).toBeLessThan(1000))

  it('skips the hour that a clock change omits, and not its day', () => {
    const script = `
      const { cronSchedule } = await import(${JSON.stringify(join(import.meta.dirname, '../../../../src/shared/platform/clock/schedule.ts'))})
      const schedule = cronSchedule('30 2,12 * * *')
      console.log(new Date(schedule.value.nextAfter(new Date('2026-03-29T00:00:00').getTime())).toISOString())`
    const env = { ...process.env, TZ: 'Europe/Berlin' }
    const output = execFileSync(process.execPath, ['--no-warnings', '--input-type=module', '-e', script], {
      env,
      encoding: 'utf8',
    })

    expect(output).toBe('2026-03-29T10:30:00.000Z\n')
  })

  it.each(['', '* * *', '61 * * * *', 'hello', '* * * * * * *'])('rejects %j with the reason', (text) =>
    expect(cronSchedule(text)).toMatchObject({
      ok: false,
      error: expect.stringMatching(/^is not a cron expression: /) as string,
    }),
  )
})
