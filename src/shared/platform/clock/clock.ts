import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { uptime } from 'node:os'
import { type Instant, instant, milliseconds } from '../../base/time.ts'
import type { Clock, Clocks, Entropy, NextTurn, Random } from '../../ports/clock.ts'
import { timeoutSignal } from './timer.ts'

/** Long waits are split: timers hold 31 bits of milliseconds, and do not follow a clock that is set. In milliseconds. */
const MAX_TIMER = 60_000

/** The boot id of Linux (proc(5)). os.uptime() on Linux is the boot clock, which includes suspend. */
const BOOT_ID = '/proc/sys/kernel/random/boot_id'

/** The clocks of this host; the boot id is read once. */
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

/** Like timers/promises, at a fraction of its cost: a daemon waits every second for months. */
const pause = async (span: number, ends: readonly AbortSignal[]): Promise<void> =>
  new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer)
      for (const end of ends) end.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, span)
    for (const end of ends) end.addEventListener('abort', finish)
  })

const isAborted = ({ aborted }: AbortSignal): boolean => aborted

/** A clock with its own time source. Calls `onWait` at least once a minute during a wait. */
export const clockBy = (now: () => Instant, onWait: () => void = () => undefined): Clock => ({
  now,
  async sleep(until, ...ends) {
    while (!ends.some(isAborted) && now() < until) {
      onWait()
      const span = Math.min(until - now(), MAX_TIMER)
      await pause(Math.max(span, 1), ends)
    }
  },
  deadline: (span) => timeoutSignal(span),
})

/** The time of day, for the service: other programs read the times in its records. */
export const systemClock: Clock = clockBy(() => instant(Date.now()))

export const systemRandom: Random = () => Math.random()

/** Monotonic milliseconds since the start of this process, unrelated to the time of day. */
export const steadyClock: Clock = clockBy(() => instant(performance.now()))

export const nextTurn: NextTurn = async () =>
  new Promise((resolve) => {
    setImmediate(resolve)
  })

/** From the generator of the system. */
export const systemEntropy: Entropy = (octets) => randomBytes(octets)
