import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import { found, PLAIN_ENV } from './commands.ts'

const run = promisify(execFile)

export interface Load {
  readonly url: string
  readonly seconds: number
  readonly script?: string
  readonly env?: Readonly<Record<string, string>>
  /** A peer, or a busy machine, may be slower than wrk is patient (two seconds); that is in the figure. */
  readonly mayTimeOut?: true
}

export interface Throughput {
  readonly perSecond: number
  readonly requests: number
  /** In milliseconds. */
  readonly p99: number
}

export const CONNECTIONS = 32

/** One core each for server and load generator, where there are two, so that they do not compete. */
export const onCore = (core: 0 | 1, argv: readonly string[]): readonly string[] =>
  availableParallelism() > 1 && found('taskset') !== undefined
    ? ['taskset', '-c', String(core), ...argv]
    : argv

const ERRORS = /Socket errors: .*(connect|read|write|timeout) [1-9]/
const ERRORS_BUT_TIMEOUTS = /Socket errors: .*(connect|read|write) [1-9]/

/** One thread with 32 connections. Throws where any answer was not what the script expects, or there was no answer. */
export async function wrk({ url, seconds, script, env = {}, mayTimeOut }: Load): Promise<Throughput> {
  const own = script === undefined ? [] : ['-s', script]
  const options = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '--latency', ...own, url]
  const [program = '', ...args] = onCore(1, ['wrk', ...options])
  const { stdout } = await run(program, args, {
    env: { ...PLAIN_ENV, ...env },
    timeout: (seconds + 60) * 1000,
  })
  const errors = mayTimeOut ? ERRORS_BUT_TIMEOUTS : ERRORS
  if (/^strange: /m.test(stdout) || errors.test(stdout)) throw new Error(stdout)
  const [, requests] = /(\d+) requests in/.exec(stdout) ?? []
  const [, perSecond] = /Requests\/sec: +([\d.]+)/.exec(stdout) ?? []
  const [, p99, unit] = / 99% +([\d.]+)(us|ms|s) *$/m.exec(stdout) ?? []
  const scale = { us: 0.001, ms: 1, s: 1000 }[unit ?? '']
  if (perSecond === undefined || scale === undefined) throw new Error(`not understood: ${stdout}`)
  return { perSecond: Number(perSecond), requests: Number(requests), p99: Number(p99) * scale }
}
