import { spawn } from 'node:child_process'
import type { Supervisor } from '../../ports/supervisor.ts'

/**
 * The loop sends a heartbeat when it acts and when it waits, so the longest time between two is one exchange: 20
 * minutes with the maximum of connect_timeout and response_timeout, 45 seconds with their defaults. In milliseconds.
 */
const MAX_HEARTBEAT_INTERVAL = 30 * 60_000

/** Runs systemd-notify(1), because Node has no Unix datagram sockets: the unit needs NotifyAccess=all. Never rejects. */
async function notify(environment: NodeJS.ProcessEnv, argument: string): Promise<void> {
  const socket = environment['NOTIFY_SOCKET']
  if (socket === undefined || socket === '') return
  await new Promise<void>((resolve) => {
    const child = spawn('systemd-notify', [argument], { stdio: 'ignore', env: environment })
    child.on('error', () => resolve())
    child.on('close', () => resolve())
  })
}

/** Reports to the supervisor that this environment names. A failed report is dropped. `now` is in milliseconds. */
export function supervisorOf(environment: NodeJS.ProcessEnv, now: () => number): Supervisor {
  /** In order, so that the last status remains. */
  let queue = Promise.resolve()
  const enqueue = (argument: string): void => {
    queue = queue.then(async () => notify(environment, argument))
  }
  let [lastStatus, lastBeat] = ['', now()]
  const period = watchdogPeriod(environment)
  const keepAlive = (): void => {
    if (now() - lastBeat < MAX_HEARTBEAT_INTERVAL) void notify(environment, 'WATCHDOG=1')
  }
  // A separate timer, because one exchange may take longer than the period. In a process that hangs, timers do not run.
  if (period !== undefined) setInterval(keepAlive, period / 3).unref()
  return {
    ready: () => enqueue('--ready'),
    reloaded: () => enqueue('--ready'),
    stopping: () => enqueue('STOPPING=1'),
    status: (text) => {
      lastBeat = now()
      if (text !== lastStatus) enqueue(`--status=${text}`)
      lastStatus = text
    },
    beat: () => {
      lastBeat = now()
    },
  }
}

/** In milliseconds; undefined where there is no watchdog, or it is for another process (sd_watchdog_enabled(3)). */
function watchdogPeriod(environment: NodeJS.ProcessEnv): number | undefined {
  const microseconds = Number(environment['WATCHDOG_USEC'])
  const isForThisProcess =
    environment['WATCHDOG_PID'] === undefined || environment['WATCHDOG_PID'] === String(process.pid)
  return isForThisProcess && microseconds > 0 ? microseconds / 1000 : undefined
}
