import type { Closable, WatchKernel } from '../../ports/network.ts'
import { tiedChild } from '../process/tied-child.ts'

/** In milliseconds. */
const RESTART_DELAY = 5000

const MONITOR = ['ip', '-o', 'monitor', 'address', 'route', 'rule', 'prefix', 'link']

/** Reads rtnetlink events through ip-monitor(8), which is restarted when it ends. */
export const watchKernel: WatchKernel = (onChange, onUnavailable) => {
  let isClosed = false
  let child: Closable | undefined
  const start = (): void => {
    if (isClosed) return
    child = tiedChild(MONITOR, {
      onOutput: onChange,
      onEnd: (because, isUnsupported) => {
        if (isUnsupported) onUnavailable(because)
        else setTimeout(start, RESTART_DELAY).unref()
      },
    })
  }
  start()
  return {
    close: () => {
      isClosed = true
      child?.close()
    },
  }
}
