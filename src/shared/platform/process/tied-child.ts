import { spawn } from 'node:child_process'
import type { Closable } from '../../ports/network.ts'

/** A program that ends earlier does not support its arguments (BusyBox), or may not do what they say. In milliseconds. */
const MIN_RUNTIME = 1000
/**
 * The kernel ends the child when this process is killed (prctl(2), PR_SET_PDEATHSIG). Part of util-linux, not of BusyBox.
 */
const TIED = ['setpriv', '--pdeathsig', 'TERM']

interface ChildListeners {
  /** Called for each chunk of its output. */
  readonly onOutput: (chunk: string) => void
  /** Called once. `isUnsupported`: it ended immediately. */
  readonly onEnd: (because: string, isUnsupported: boolean) => void
}

/** Runs a program until it is closed. Does not keep this process alive. */
export function tiedChild(argv: readonly string[], { onOutput, onEnd }: ChildListeners): Closable {
  let isClosed = false
  let child: ReturnType<typeof spawn> | undefined
  const start = (whole: readonly string[], otherwise?: () => void): void => {
    const startedAt = performance.now()
    child = runChild(whole, onOutput, (because) => {
      if (isClosed) return
      const isUnsupported = performance.now() - startedAt < MIN_RUNTIME
      if (isUnsupported && otherwise !== undefined) otherwise()
      else onEnd(because, isUnsupported)
    })
  }
  start([...TIED, ...argv], () => start(argv))
  return {
    close: () => {
      isClosed = true
      child?.kill('SIGTERM')
    },
  }
}

/** Calls `onEnd` once with the reason. */
function runChild(
  [program = '', ...args]: readonly string[],
  onOutput: (chunk: string) => void,
  onEnd: (because: string) => void,
): ReturnType<typeof spawn> {
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, LC_ALL: 'C' },
  })
  let because = `${args.find((word) => word === 'ip' || word === 'ping') ?? program} ended immediately`
  child.on(
    'error',
    ({ code, message }: NodeJS.ErrnoException) => (because = `${program}: ${code ?? message}`),
  )
  child.stdout.setEncoding('utf8')
  child.stdout.on('data', onOutput)
  child.on('close', () => onEnd(because))
  child.unref()
  ;(child.stdout as { unref?: () => void }).unref?.()
  return child
}
