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
} from '../../../../src/shared/base/time.ts'
import { NEW_STATE } from '../../../../src/client/decide/state.ts'
import { type ClientTime, clientTime } from '../../../../src/client/agent/memory/client-time.ts'
import { formatState, parseState } from '../../../../src/client/agent/memory/codec.ts'
import { START } from '../../../fakes/world.ts'

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

/** The anchor that a process leaves on disk, read back from the text. */
const anchorOf = (time: ClientTime) => {
  const kept = parseState(formatState(NEW_STATE, time.anchor()))
  return kept.ok ? kept.value.anchor : undefined
}

describe('client time', () => {
  it.each([10 * YEAR, -10 * YEAR])('advances evenly although the wall clock jumps by %i', (jump) => {
    const host = machine()
    const time = clientTime(host.clocks)
    host.pass(minutes(10))
    host.jump(jump)
    host.pass(minutes(10))

    expect(time.now()).toBe(after(START, minutes(20)))
  })

  it('counts the time between two processes of one boot, sleep included', () => {
    const host = machine()
    const kept = anchorOf(clientTime(host.clocks))
    host.pass(hours(3))
    host.jump(10 * YEAR)
    const next = clientTime(host.clocks)
    next.resume(kept)

    expect(next.now()).toBe(after(START, hours(3)))
  })

  it('counts the time that the machine was off, by the wall clock', () => {
    const host = machine()
    const kept = anchorOf(clientTime(host.clocks))
    host.reboot(hours(2))
    const next = clientTime(host.clocks)
    next.resume(kept)

    expect(next.now()).toBe(after(START, hours(2)))
  })

  it('does not advance across a reboot after which the wall clock shows an earlier time', () => {
    const host = machine()
    const kept = anchorOf(clientTime(host.clocks))
    host.reboot(hours(2))
    host.setWall(instant(0))
    const next = clientTime(host.clocks)
    next.resume(kept)
    expect(next.now()).toBe(START)

    host.setWall(after(START, days(1))) // the network has told the time
    host.pass(minutes(30))
    expect(next.now()).toBe(after(START, minutes(30)))
  })

  it('converts a moment to what the wall clock shows', () => {
    const host = machine()
    const time = clientTime(host.clocks)
    host.jump(days(1))

    expect(time.wallAt(after(time.now(), minutes(30)))).toBe(
      after(START, (days(1) + minutes(30)) as Duration),
    )
  })

  it('shows the same for a moment, though the clocks advance in different steps', () => {
    const host = machine()
    const time = clientTime(host.clocks)
    host.jump(days(1))
    const moment = time.now()
    const shown = time.wallAt(moment)
    for (const step of [9, -9, 400, -990]) {
      host.jump(step)
      expect(time.wallAt(moment)).toBe(shown)
    }
    host.jump(-1000)
    expect(time.wallAt(moment)).not.toBe(shown)
  })

  it('never goes back, for any sequence of clock changes, reboots and restarts', () => {
    const event = fc.oneof(
      fc.record({ kind: fc.constant('pass' as const), span: fc.nat(1e9) }),
      fc.record({ kind: fc.constant('jump' as const), span: fc.integer({ min: -1e12, max: 1e12 }) }),
      fc.record({ kind: fc.constant('reboot' as const), span: fc.nat(1e9) }),
      fc.record({ kind: fc.constant('restart' as const), span: fc.constant(0) }),
    )
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        const host = machine()
        let time = clientTime(host.clocks)
        let last = time.now()
        for (const { kind, span } of events) {
          const kept = anchorOf(time)
          if (kind === 'pass') host.pass(milliseconds(span))
          if (kind === 'jump') host.jump(span)
          if (kind === 'reboot') host.reboot(milliseconds(span))
          if (kind === 'reboot' || kind === 'restart') {
            time = clientTime(host.clocks)
            time.resume(kept)
          }
          expect(time.now()).toBeGreaterThanOrEqual(last)
          last = time.now()
        }
      }),
    )
  })
})
