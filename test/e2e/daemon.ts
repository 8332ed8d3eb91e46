import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { eventually } from '../eventually.ts'
import { clientOf, type Ended, holdfast, type Service, start } from './processes.ts'

export const env = (at: Service) => ({ HOLDFAST_PASSWORD: at.password })
/** Needs a service with --log-level debug. */
export const requests = (at: Service): number => at.stderr().match(/"path":"\/nic\/update"/g)?.length ?? 0

export interface Daemon {
  readonly child: ChildProcess
  readonly ended: Promise<number | null>
  readonly lines: readonly string[]
  /** Waits for a line of the log. */
  readonly line: (fragment: string) => Promise<void>
  /** Runs another command with the same settings. */
  readonly ask: (command: string, ...more: readonly string[]) => Promise<Ended>
}

/** Starts `holdfast run --json`; killed at the end of the test if it still runs. */
export function running(args: readonly string[], environment: Readonly<Record<string, string>>): Daemon {
  const child = start(['run', ...args, '--json', '--log-level', 'debug'], { env: environment })
  const ended = new Promise<number | null>((done) => child.on('close', done))
  onTestFinished(async () => {
    if (child.exitCode === null) child.kill('SIGKILL')
    await ended
  })
  child.stdout?.resume()
  const lines: string[] = []
  if (child.stderr !== null) createInterface({ input: child.stderr }).on('line', (line) => lines.push(line))
  return {
    child,
    ended,
    lines,
    line: async (fragment) => eventually(() => lines.join('\n')).toContain(fragment),
    ask: async (command, ...more) => holdfast([command, ...args, ...more], { env: environment }),
  }
}

/** A daemon with an interval of one hour: it acts only on events of the test. */
export const daemon = (at: Service, folder: string, ...extra: readonly string[]): Daemon =>
  daemonIn({}, at, folder, ...extra)

/** The same, with this environment. */
export const daemonIn = (
  more: Readonly<Record<string, string>>,
  at: Service,
  folder: string,
  ...extra: readonly string[]
): Daemon =>
  running([...clientOf(at, folder), '--runtime-dir', folder, '--no-ipv6', '--interval', '1h', ...extra], {
    ...env(at),
    ...more,
  })
