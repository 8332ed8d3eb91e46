import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** What one run of a command took: wall and CPU in milliseconds, peak RSS in KiB. */
export interface Cost {
  readonly wall: number
  readonly cpu: number
  readonly rss: number
  readonly code: number
  /** The end of what it said. */
  readonly out: string
}

export interface Job {
  readonly argv: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/**
 * The environment of everything that is measured. Some Nodes read a file of certificates at each start where one is
 * named.
 */
export const PLAIN_ENV: Readonly<Record<string, string>> = {
  PATH: `${process.env['PATH']}:/usr/sbin:/sbin`,
  HOME: '/nonexistent',
  LANG: 'C.UTF-8',
}

export interface Stopwatch {
  /** Runs it to its end; the one before must have ended. */
  time(job: Job): Promise<Cost>
  close(): void
}

/** Needs python3 for wait4(2): Node does not report the resource usage of a child. */
export function stopwatch(): Stopwatch {
  const child = spawn('python3', [join(import.meta.dirname, 'rusage.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: PLAIN_ENV,
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    async time({ argv, env = {} }) {
      child.stdin.write(`${JSON.stringify({ argv, env: { ...PLAIN_ENV, ...env } })}\n`)
      const line = await lines.next()
      if (line.done === true) throw new Error('the stopwatch stopped: is there a python3?')
      return JSON.parse(line.value) as Cost
    },
    close: () => void child.stdin.end(),
  }
}

/** Where a program is; undefined where it is not installed. */
export function found(program: string): string | undefined {
  try {
    return execFileSync('/bin/sh', ['-c', `command -v ${program}`], {
      env: PLAIN_ENV,
      encoding: 'utf8',
    }).trim()
  } catch {
    return undefined
  }
}

/**
 * Runs the jobs in turns, so that whatever else the machine does meets all of them alike. `check` is called after each
 * run, and throws where it did not do what it is measured for.
 */
export async function interleaved<K extends string>(
  jobs: Readonly<Record<K, (nth: number) => Job>>,
  times: number,
  watch: Stopwatch,
  check: (name: K, nth: number) => Promise<void> = () => Promise.resolve(),
): Promise<Readonly<Record<K, readonly Cost[]>>> {
  const names = Object.keys(jobs) as K[]
  const costs = Object.fromEntries(names.map((name): [string, Cost[]] => [name, []])) as Record<K, Cost[]>
  // The first of each is for the caches of the machine.
  for (let nth = 0; nth <= times; nth++)
    for (const name of names) {
      const cost = await watch.time(jobs[name](nth))
      if (cost.code !== 0) throw new Error(`${name} ended with ${cost.code}: ${cost.out}`)
      await check(name, nth)
      if (nth > 0) costs[name].push(cost)
    }
  return costs
}

/** A process that runs until it is stopped. */
export interface Running {
  readonly child: ChildProcess
  readonly pid: number
  stop(): Promise<void>
}

export function running(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Running {
  const [program = '', ...args] = argv
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...PLAIN_ENV, ...env } })
  const ended = new Promise<void>((done) => child.once('close', () => done()))
  const { pid } = child
  if (pid === undefined) throw new Error(`${program} cannot be started`)
  return {
    child,
    pid,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      const kill = setTimeout(() => child.kill('SIGKILL'), 10_000)
      await ended
      clearTimeout(kill)
    },
  }
}
