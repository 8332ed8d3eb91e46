import { after, type Duration, milliseconds, seconds } from '../../base/time.ts'
import type { WatcherContext, WatcherState } from './watcher.ts'

/** Where the kernel does not tell, the interfaces are read so often. */
const EVERY: Duration = seconds(5)
/** Lines come in bursts; the first is acted upon at once, the others of a burst together. */
const BURST: Duration = milliseconds(20)

/**
 * rtnetlink tells within milliseconds that something changed; what it is, is read elsewhere. Router advertisements make
 * lines for addresses that stay as they are, so sets are compared.
 */
export async function watchKernelEvents(
  { ports, clock, hint, signal, note }: WatcherContext,
  { kernelListeners }: WatcherState,
): Promise<void> {
  let last = await fingerprint(ports)
  let bell = new AbortController()
  let isTold = true
  const changed = (): void => {
    hint('kernel')
    for (const ring of kernelListeners) ring()
  }
  const watcher = ports.watchKernel(
    () => bell.abort(),
    (because) => {
      if (isTold) note({ kind: 'kernelWatchMissing', because })
      isTold = false
      bell.abort()
    },
  )
  try {
    while (!signal.aborted) {
      const until = isTold ? NEVER : after(clock.now(), EVERY)
      await clock.sleep(until, AbortSignal.any([signal, bell.signal]))
      bell = new AbortController()
      const now = await fingerprint(ports)
      if (now !== last) changed()
      last = now
      await clock.sleep(after(clock.now(), BURST), signal)
    }
  } finally {
    watcher.close()
  }
}

const NEVER = Number.MAX_SAFE_INTEGER as ReturnType<typeof after>

async function fingerprint({ interfaces, gateway }: WatcherContext['ports']): Promise<string> {
  const [all, way] = await Promise.all([interfaces().catch(() => []), gateway()])
  return JSON.stringify([all.map((one) => JSON.stringify(one)).toSorted(), way])
}
