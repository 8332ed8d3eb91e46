import { spawn } from 'node:child_process'
import type { HookOutcome, RunHook } from '../../ports/hook.ts'
import { killGroup } from '../network/network.ts'

const MAX_STDERR_LENGTH = 500
/** What every program expects. Nothing else is passed on: the environment of this process may hold a password. */
const INHERITED = ['PATH', 'LANG', 'HOME'] as const

export const runHook: RunHook = async ([program, ...args], { variables, timeout }, signal) => {
  if (program === undefined) return { kind: 'failed', because: 'no program is set' }
  const inherited = INHERITED.flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
      env: { ...Object.fromEntries(inherited), ...variables },
    })
    let stderr = ''
    const finish = (outcome: HookOutcome): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', giveUp)
      child.stderr.destroy()
      resolve(outcome)
    }
    const end = (because: string): void => {
      if (child.pid !== undefined) killGroup(child.pid)
      finish({ kind: 'failed', because })
    }
    const giveUp = (): void => end('it was ended because Holdfast ends')
    const timer = setTimeout(() => end(`it took more than ${timeout / 1000} s and was ended`), timeout)
    signal.addEventListener('abort', giveUp)
    if (signal.aborted) giveUp()
    child.on('error', (error: NodeJS.ErrnoException) =>
      finish({ kind: 'failed', because: `it cannot be run (${error.code ?? error.message})` }),
    )
    child.stderr.setEncoding('utf8')
    child.stderr.on('data', (chunk: string) => (stderr = (stderr + chunk).slice(-MAX_STDERR_LENGTH)))
    // Not `close`: a child of the program may hold the pipe open.
    child.on('exit', (code, killedBy) =>
      finish(
        code === null
          ? { kind: 'failed', because: `it was ended by ${killedBy}` }
          : { kind: 'ended', code, stderr: stderr.trim() },
      ),
    )
  })
}
