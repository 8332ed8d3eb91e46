import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ADDRESS, CRON, type Expectation, ROWS } from './day-rows.ts'
import { cronDays, type Day, daemonDays, killAll } from './day-run.ts'
import { buildFastClock, canBuild, type FastClock } from '../system/fast-clock.ts'

const WHOLE_DAY = 400_000
const GAPS_SHOWN = 7
const LINES_SHOWN = 10

const gapsOf = (day: Day): readonly number[] =>
  day.at.slice(1).map((minute, n) => minute - (day.at[n] ?? minute))

const shown = (minutes: number): string => (minutes < 10 ? minutes.toFixed(1) : minutes.toFixed(0))

function line(says: string, day: Day): string {
  const gaps = gapsOf(day).slice(0, GAPS_SHOWN).map(shown).join(' ')
  const end = [...new Set(day.exits)].map((exit) => `exit ${exit}`).join(', ')
  const how = day.isFullDay ? 'after the day' : 'by itself'
  return `${says.padEnd(28)}${String(day.at.length).padStart(4)}  ${gaps.padEnd(36)}  ${end} ${how}`
}

/** The state also knows what was sent. */
const isConfirmedIn = ({ state }: Day): boolean =>
  state.includes(`"confirmed"`) && new RegExp(`"confirmed": ?\\{[^}]*${ADDRESS}`).test(state)

/** Early is never right; late is, on a busy machine. */
function expectPace(says: string, day: Day, must: Expectation): void {
  const gaps = gapsOf(day)
  const least = gaps.map((_, n) => must.gaps[n] ?? must.gaps.at(-1) ?? 0)
  const story = `${line(says, day)}\n${day.log.slice(-LINES_SHOWN).join('\n')}`

  expect(day.at.length, story).toBeGreaterThanOrEqual(must.requests[0])
  expect(day.at.length, story).toBeLessThanOrEqual(must.requests[1])
  expect(
    gaps.filter((gap, n) => gap < (least[n] ?? 0)),
    story,
  ).toEqual([])
  expect(
    gaps.slice(0, must.soon).filter((gap) => gap >= 30),
    story,
  ).toEqual([])
  if (must.isConfirmed !== undefined) expect(isConfirmedIn(day), story).toBe(must.isConfirmed)
}

describe.skipIf(!canBuild())(
  '24 hours of the built program, on a clock that is a thousand times as fast',
  () => {
    let clock: FastClock
    let days: readonly Day[] = []
    let crons: readonly Day[] = []

    beforeAll(async () => {
      clock = buildFastClock()
      ;[days, crons] = await Promise.all([
        daemonDays(
          clock,
          ROWS.map(([, behaviour]) => behaviour),
        ),
        cronDays(
          clock,
          CRON.map(([, behaviour]) => behaviour),
        ),
      ])
      const table = ROWS.flatMap(([says], n) => (days[n] === undefined ? [] : [line(says, days[n])]))
      const cron = CRON.flatMap(([says], n) => (crons[n] === undefined ? [] : [line(says, crons[n])]))
      console.log(
        `\na day with three hostnames; requests, the first gaps in minutes, and the end\n\n${table.join('\n')}\n\n` +
          `holdfast update every 15 minutes\n\n${cron.join('\n')}\n`,
      )
    }, WHOLE_DAY)
    afterAll(() => {
      killAll()
      clock.remove()
    })

    it.each(ROWS.map(([says, behaviour, must], n) => ({ says, behaviour, must, n })))(
      'a daemon that is told "$says" does what the protocol asks',
      ({ says, behaviour, must, n }) => {
        const day = days[n]
        if (day === undefined) throw new Error('the day did not take place')

        expectPace(says, day, must)
        expect(day.exits).toEqual([must.exit])
        expect(day.isFullDay).toBe(must.exit === 0)
        // What is logged is what happens; a request may be under way at the end.
        if (behaviour.kind !== 'refuses') expect(Math.abs(day.sent - day.arrived)).toBeLessThanOrEqual(1)
      },
    )

    it.each(CRON.map(([says, , must], n) => ({ says, must, n })))(
      'holdfast update from cron that is told "$says" does the same',
      ({ says, must, n }) => {
        const day = crons[n]
        if (day === undefined) throw new Error('the day did not take place')

        expectPace(says, day, must)
        expect(new Set(day.exits)).toEqual(new Set([must.exit === 0 ? 75 : must.exit]))
        // 96 where the machine is not busy.
        expect(day.exits.length).toBeGreaterThan(24)
        expect(day.sent).toBe(day.arrived)
      },
    )
  },
)
