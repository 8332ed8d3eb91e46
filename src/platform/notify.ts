import { spawn } from 'node:child_process'

/** What a supervisor hears of us (sd_notify(3)). Without one, nothing happens. */
export interface Notifier {
  ready(): void
  /** How the loop stands, said whenever it has acted: a beat too. */
  status(text: string): void
  reloaded(): void
  stopping(): void
  /** The loop is alive. */
  beat(): void
}

/**
 * The loop beats when it acts and when it waits, so between two beats lies at most one exchange: twenty minutes with the
 * longest connect_timeout and response_timeout that the settings allow, and 45 seconds with their defaults.
 */
const MAX_SILENCE = 30 * 60_000

/**
 * By spawning systemd-notify, because Node has no datagram sockets of Unix: the unit must allow the message to come from
 * a child (NotifyAccess=all). Never fatal: a supervisor that does not hear us acts on that by itself.
 */
export function notifier(environment: NodeJS.ProcessEnv, now: () => number): Notifier {
  const socket = environment['NOTIFY_SOCKET']
  const send = async (variable: string): Promise<void> =>
    new Promise((done) => {
      if (socket === undefined || socket === '') return done()
      const child = spawn('systemd-notify', [variable], { stdio: 'ignore', env: environment })
      child.on('error', () => done())
      child.on('close', () => done())
    })
  /** One after the other: the last status is the one that stays. */
  let last = Promise.resolve()
  const sendInTurn = (variable: string): void => {
    last = last.then(async () => send(variable))
  }
  let [lastStatus, lastBeat] = ['', now()]
  const period = periodOf(environment)
  const keepAlive = (): void => {
    if (now() - lastBeat < MAX_SILENCE) void send('WATCHDOG=1')
  }
  // By a timer of its own, because the loop may be busy for longer than the period. A process that hangs has no timers.
  if (period !== undefined) setInterval(keepAlive, period / 3).unref()
  return {
    ready: () => sendInTurn('--ready'),
    reloaded: () => sendInTurn('--ready'),
    stopping: () => sendInTurn('STOPPING=1'),
    status: (text) => {
      lastBeat = now()
      if (text !== lastStatus) sendInTurn(`--status=${text}`)
      lastStatus = text
    },
    beat: () => {
      lastBeat = now()
    },
  }
}

/** In milliseconds; undefined where there is no watchdog, or it watches another process. */
function periodOf(environment: NodeJS.ProcessEnv): number | undefined {
  const microseconds = Number(environment['WATCHDOG_USEC'])
  const isOurs =
    environment['WATCHDOG_PID'] === undefined || environment['WATCHDOG_PID'] === String(process.pid)
  return isOurs && microseconds > 0 ? microseconds / 1000 : undefined
}
