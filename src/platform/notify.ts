import { spawn } from 'node:child_process'

/** What a supervisor hears of us (sd_notify(3)). Without one, nothing happens. */
export interface Notifier {
  ready(): void
  status(text: string): void
  reloaded(): void
  stopping(): void
  /** The loop is alive; passed on often enough for the watchdog, and no more often. */
  beat(): void
}

/**
 * By spawning systemd-notify, because Node has no datagram sockets of Unix: the unit must allow the message to come from
 * a child (NotifyAccess=all). Never fatal: a supervisor that does not hear us acts on that by itself.
 */
export function notifier(environment: NodeJS.ProcessEnv, now: () => number): Notifier {
  const socket = environment['NOTIFY_SOCKET']
  const send = (...variables: readonly string[]): void => {
    if (socket === undefined || socket === '') return
    const child = spawn('systemd-notify', variables, { stdio: 'ignore', env: environment })
    child.on('error', () => undefined)
  }
  const period = periodOf(environment)
  let [lastStatus, lastBeat] = ['', now()]
  return {
    ready: () => send('--ready'),
    reloaded: () => send('--ready'),
    stopping: () => send('STOPPING=1'),
    status: (text) => {
      if (text !== lastStatus) send(`--status=${text}`)
      lastStatus = text
    },
    beat: () => {
      if (period === undefined || now() - lastBeat < period / 3) return
      lastBeat = now()
      send('WATCHDOG=1')
    },
  }
}

/** In milliseconds; undefined where nobody watches, or somebody else is watched. */
function periodOf(environment: NodeJS.ProcessEnv): number | undefined {
  const microseconds = Number(environment['WATCHDOG_USEC'])
  const isOurs =
    environment['WATCHDOG_PID'] === undefined || environment['WATCHDOG_PID'] === String(process.pid)
  return isOurs && microseconds > 0 ? microseconds / 1000 : undefined
}
