import { spawn } from 'node:child_process'
import type { WatchKernel } from '../../ports/network.ts'

/** In milliseconds. */
const RESTART_DELAY = 5000
/** A program that ends earlier does not support its arguments (BusyBox). In milliseconds. */
const MIN_RUNTIME = 1000

const MONITOR = ['ip', '-o', 'monitor', 'address', 'route', 'prefix', 'link']
/**
 * The kernel ends the child when this process is killed (prctl(2), PR_SET_PDEATHSIG). Part of util-linux, not of BusyBox.
 */
const TIED_MONITOR = ['setpriv', '--pdeathsig', 'TERM', ...MONITOR]

/** Reads rtnetlink events through ip-monitor(8), which is restarted when it ends. */
export const watchKernel: WatchKernel = (onChange, onUnavailable) => {
  let isClosed = false
  let child: ReturnType<typeof spawn> | undefined
  const start = (argv: readonly string[]): void => {
    if (isClosed) return
    const startedAt = performance.now()
    child = runMonitor(argv, onChange, (because) => {
      const isUnsupported = !isClosed && performance.now() - startedAt < MIN_RUNTIME
      if (isUnsupported && argv === TIED_MONITOR) start(MONITOR)
      else if (isUnsupported) onUnavailable(because)
      else setTimeout(() => start(argv), RESTART_DELAY).unref()
    })
  }
  start(TIED_MONITOR)
  return {
    close: () => {
      isClosed = true
      child?.kill('SIGTERM')
    },
  }
}

/** Calls `onEnd` once with the reason. Does not keep this process alive. */
function runMonitor(
  [program = '', ...args]: readonly string[],
  onChange: () => void,
  onEnd: (because: string) => void,
): ReturnType<typeof spawn> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  let because = 'ip monitor ended immediately'
  child.on(
    'error',
    ({ code, message }: NodeJS.ErrnoException) => (because = `${program}: ${code ?? message}`),
  )
  child.stdout.on('data', onChange)
  child.on('close', () => onEnd(because))
  child.unref()
  ;(child.stdout as { unref?: () => void }).unref?.()
  return child
}
