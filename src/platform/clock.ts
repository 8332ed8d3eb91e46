import { readFileSync } from 'node:fs'
import { uptime } from 'node:os'
import { after, type Duration, type Instant, instant, milliseconds } from '../base/time.ts'
import type { Clock, Clocks, Random, Schedule } from '../ports/clock.ts'

/** Timers count milliseconds in 31 bits, and drift from a wall clock that is set; so long waits are short ones in a row. */
const LONGEST_NAP = 60_000

/** Linux names each boot (proc(5)); os.uptime() there is the boot clock, which goes on in sleep. */
const BOOT_ID = '/proc/sys/kernel/random/boot_id'

export function systemClocks(): Clocks {
  const boot = bootId()
  return () => ({ wall: instant(Date.now()), boot, uptime: milliseconds(Math.round(uptime() * 1000)) })
}

function bootId(): string | undefined {
  try {
    return readFileSync(BOOT_ID, 'utf8').trim()
  } catch {
    return undefined
  }
}

/** What timers/promises does, at a fraction of its cost: some wait each second for months. */
const pause = async (span: number, signal: AbortSignal): Promise<void> =>
  new Promise((done) => {
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      done()
    }
    const timer = setTimeout(end, span)
    signal.addEventListener('abort', end)
  })

/** Waiting by a time that is not the wall clock's. `beat` is called at least once a minute while a wait is going on. */
export const clockBy = (now: () => Instant, beat: () => void = () => undefined): Clock => ({
  now,
  async sleep(until, signal) {
    while (!signal.aborted && now() < until) {
      beat()
      const span = Math.min(until - now(), LONGEST_NAP)
      await pause(Math.max(span, 1), signal)
    }
  },
  deadline: (span) => AbortSignal.timeout(span),
})

/** The time of day: right for the service, whose records are read by others. */
export const systemClock: Clock = clockBy(() => instant(Date.now()))

export const systemRandom: Random = () => Math.random()

/** Even milliseconds from the start of this process on, with no relation to the time of day. Cheap to ask. */
export const steadyClock: Clock = clockBy(() => instant(performance.now()))

/** Looks at even distances. */
export const everyInterval = (interval: Duration): Schedule => ({ nextAfter: (now) => after(now, interval) })
