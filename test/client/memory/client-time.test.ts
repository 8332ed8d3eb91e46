import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  after,
  type Duration,
  days,
  hours,
  type Instant,
  instant,
  milliseconds,
  minutes,
} from '../../../src/base/time.ts'
import { NEW_STATE } from '../../../src/client/decide/state.ts'
import { type ClientTime, clientTime } from '../../../src/client/memory/client-time.ts'
import { formatState, parseState } from '../../../src/client/memory/codec.ts'
import { START } from '../../fakes/world.ts'

const YEAR: number = days(365)

/** A machine whose wall clock can be set, that sleeps, and that boots. */
function machine() {
  let [wall, uptime, boot] = [START as number, 0, 1]
  return {
    clocks: () => ({ wall: instant(wall), boot: `boot-${boot}`, uptime: milliseconds(uptime) }),
    pass: (span: Duration) => void ((wall += span), (uptime += span)),
    setWall: (to: Instant) => void (wall = to),
    jump: (span: number) => void (wall += span),
    reboot: (off: Duration) => void ((wall += off), (uptime = 0), boot++),
  }
}

/** Where a process that ends leaves our time, read back from the text on disk. */
const anchorOf = (time: ClientTime) => {
  const kept = parseState(formatState(NEW_STATE, time.anchor()))
  return kept.ok ? kept.value.anchor : undefined
}

describe('our own time', () => {
  it.each([10 * YEAR, -10 * YEAR])('goes on evenly although the wall clock jumps by %i', (jump) => {
    const on = machine()
    const time = clientTime(on.clocks)
    on.pass(minutes(10))
    on.jump(jump)
    on.pass(minutes(10))

    expect(time.now()).toBe(after(START, minutes(20)))
  })

  it('counts the time between two processes of one boot, sleep included', () => {
    const on = machine()
    const kept = anchorOf(clientTime(on.clocks))
    on.pass(hours(3))
    on.jump(10 * YEAR)
    const next = clientTime(on.clocks)
    next.resume(kept)

    expect(next.now()).toBe(after(START, hours(3)))
  })

  it('counts the time that the machine was off by the wall clock', () => {
    const on = machine()
    const kept = anchorOf(clientTime(on.clocks))
    on.reboot(hours(2))
    const next = clientTime(on.clocks)
    next.resume(kept)

    expect(next.now()).toBe(after(START, hours(2)))
  })

  it('has not gone on, as far as anybody can tell, when a clock without battery starts in the past', () => {
    const on = machine()
    const kept = anchorOf(clientTime(on.clocks))
    on.reboot(hours(2))
    on.setWall(instant(0))
    const next = clientTime(on.clocks)
    next.resume(kept)
    expect(next.now()).toBe(START)

    on.setWall(after(START, days(1))) // the network has told the time
    on.pass(minutes(30))
    expect(next.now()).toBe(after(START, minutes(30)))
  })

  it('is shown to people by the wall clock', () => {
    const on = machine()
    const time = clientTime(on.clocks)
    on.jump(days(1))

    expect(time.wallAt(after(time.now(), minutes(30)))).toBe(
      after(START, (days(1) + minutes(30)) as Duration),
    )
  })

  it('never goes back, whatever happens to the machine', () => {
    const event = fc.oneof(
      fc.record({ kind: fc.constant('pass' as const), span: fc.nat(1e9) }),
      fc.record({ kind: fc.constant('jump' as const), span: fc.integer({ min: -1e12, max: 1e12 }) }),
      fc.record({ kind: fc.constant('reboot' as const), span: fc.nat(1e9) }),
      fc.record({ kind: fc.constant('restart' as const), span: fc.constant(0) }),
    )
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        const on = machine()
        let time = clientTime(on.clocks)
        let last = time.now()
        for (const { kind, span } of events) {
          const kept = anchorOf(time)
          if (kind === 'pass') on.pass(milliseconds(span))
          if (kind === 'jump') on.jump(span)
          if (kind === 'reboot') on.reboot(milliseconds(span))
          if (kind === 'reboot' || kind === 'restart') {
            time = clientTime(on.clocks)
            time.resume(kept)
          }
          expect(time.now()).toBeGreaterThanOrEqual(last)
          last = time.now()
        }
      }),
    )
  })
})
