import type { ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { start } from '../e2e/processes.ts'
import { ADDRESS, type Behaviour, HOSTNAMES } from './day-rows.ts'
import { dayService } from './day-service.ts'
import type { FastClock } from '../system/fast-clock.ts'

/** A day lasts 86 seconds. At twice the factor, a busy machine is late by more than a time-out of ten minutes. */
const FACTOR = 1000
const MINUTE = 60_000 / FACTOR
const DAY = 24 * 60 * MINUTE
const CRON_MINUTES = 15
/** So many programs start at the same time. */
const STARTING = 3
const START_TIMEOUT = 20_000

export interface Day {
  /** When each request was made, in virtual minutes. */
  readonly at: readonly number[]
  /** What the program said that it sent, and what arrived at the service (nothing does where it refuses). */
  readonly sent: number
  readonly arrived: number
  readonly exits: readonly (number | null)[]
  /** Whether it went on for all of the day. */
  readonly isFullDay: boolean
  readonly state: string
  readonly log: readonly string[]
}

interface Place {
  readonly url: string
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
}

/** The longest time-outs that can be set: a request of 5 real milliseconds takes 5 virtual seconds. */
const TIMEOUTS = ['--connect-timeout', '10m', '--response-timeout', '10m']

function launch(command: 'run' | 'update', { url, folder, environment }: Place): ChildProcess {
  const account = ['--server', url, '--username', 'day', '--hostname', HOSTNAMES.join(',')]
  const folders = ['--state-dir', folder, '--runtime-dir', folder]
  const address = ['--myip', ADDRESS, '--allow', 'documentation']
  const log = ['--json', '--log-level', 'debug']
  const watch = command === 'run' ? ['--watch', 'false'] : []
  const child = start([command, ...account, ...folders, ...address, ...TIMEOUTS, ...watch, ...log], {
    env: {
      ...environment,
      HOLDFAST_PASSWORD: 'secret',
      HOLDFAST_VERIFY: 'no',
      HOLDFAST_RUNTIME_DIR: undefined,
    },
  })
  child.stdout?.resume()
  return child
}

/** The virtual moments at which a program logs that it sends a request, as they come. */
function sendings(child: ChildProcess, log: string[]): readonly number[] {
  const moments: number[] = []
  if (child.stderr === null) return moments
  createInterface({ input: child.stderr }).on('line', (line) => {
    log.push(line)
    if (!/"to":"[^"]*\/nic\/update/.test(line)) return
    moments.push(Date.parse((JSON.parse(line) as { time: string }).time))
  })
  return moments
}

const ending = async (child: ChildProcess): Promise<number | null> =>
  new Promise((done) => child.on('close', done))

const running = new Set<ChildProcess>()
export const killAll = (): void => running.forEach((child) => void child.kill('SIGKILL'))

/** Reads the requests in minutes: from the service where each answer comes from it, else from the program's log. */
const minutesOf = (
  behaviour: Behaviour,
  seen: readonly number[],
  sent: readonly number[],
): readonly number[] => {
  const moments = behaviour.kind === 'answers' ? seen.map((at) => at / MINUTE) : sent.map((at) => at / 60_000)
  return moments.map((at) => at - (moments[0] ?? 0))
}

const stateIn = (folder: string): string => {
  const file = join(folder, 'state.json')
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

/** The words of a time-out, of Node, undici or Holdfast. */
const TIMEOUT = /"because":"[^"]*(timed out|time-?out)/i

/**
 * A request that is answered at once times out only because the machine has no time for the program. Such a day says
 * nothing about the answer: it is lived through once more, now that most others are over.
 */
async function undisturbed(behaviour: Behaviour, live: () => Promise<Day>): Promise<Day> {
  const day = await live()
  return behaviour.kind === 'answers' && day.log.some((line) => TIMEOUT.test(line)) ? live() : day
}

/** A daemon's day. `started` is called when it has sent its first request, or has ended. */
async function daemonDay(clock: FastClock, behaviour: Behaviour, started: () => void): Promise<Day> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-day-'))
  const service = await dayService(behaviour)
  const log: string[] = []
  const child = launch('run', { url: service.url, folder, environment: clock.environment(FACTOR) })
  running.add(child)
  const begun = performance.now()
  const ended = ending(child)
  const sent = sendings(child, log)
  const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null
  while (sent.length === 0 && !isOver() && performance.now() - begun < START_TIMEOUT) await sleep(20)
  started()
  await Promise.race([ended, sleep(DAY - (performance.now() - begun))])
  const isFullDay = !isOver()
  child.kill('SIGTERM')
  const exits = [await ended]
  running.delete(child)
  service.close()
  const state = stateIn(folder)
  rmSync(folder, { recursive: true, force: true })
  const at = minutesOf(behaviour, service.seen, sent)
  return { at, sent: sent.length, arrived: service.seen.length, exits, isFullDay, state, log }
}

/** A tick at which the last process still runs is left out. */
const nextTick = (now: number, tick: number): number => (Math.floor(now / tick) + 1) * tick

/** `holdfast update` from cron: processes that share a clock and a state folder. */
async function cronDay(clock: FastClock, behaviour: Behaviour): Promise<Day> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-day-'))
  const service = await dayService(behaviour)
  const [log, exits]: [string[], (number | null)[]] = [[], []]
  const environment = clock.environment(FACTOR, process.hrtime.bigint())
  const begun = performance.now()
  let sent = 0
  const tick = CRON_MINUTES * MINUTE
  for (let at = 0; at < DAY; at = nextTick(performance.now() - begun, tick)) {
    await sleep(Math.max(0, begun + at - performance.now()))
    const child = launch('update', { url: service.url, folder, environment })
    running.add(child)
    const requests = sendings(child, log)
    exits.push(await ending(child))
    running.delete(child)
    sent += requests.length
  }
  service.close()
  const state = stateIn(folder)
  rmSync(folder, { recursive: true, force: true })
  const at = minutesOf(behaviour, service.seen, [])
  return { at, sent, arrived: service.seen.length, exits, isFullDay: true, state, log }
}

/** All days at the same time; few programs start at once, because a start is the most work that they do. */
export async function daemonDays(
  clock: FastClock,
  behaviours: readonly Behaviour[],
): Promise<readonly Day[]> {
  const days: Promise<Day>[] = []
  const waiting = behaviours.map((behaviour, index) => ({ behaviour, index }))
  await Promise.all(
    Array.from({ length: STARTING }, async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const { behaviour, index } = next
        await new Promise<void>((started) => {
          days[index] = undisturbed(behaviour, async () => daemonDay(clock, behaviour, started))
        })
      }
    }),
  )
  return Promise.all(days)
}

export const cronDays = async (clock: FastClock, behaviours: readonly Behaviour[]): Promise<readonly Day[]> =>
  Promise.all(behaviours.map(async (one) => undisturbed(one, async () => cronDay(clock, one))))
