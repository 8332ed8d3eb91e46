import { after, type Duration, milliseconds, seconds } from '../../../shared/base/time.ts'
import { FAMILIES } from '../../../shared/base/address.ts'
import { WAIT_ENDED } from '../../../shared/base/concurrency.ts'
import type { WatcherContext, WatcherState } from './watcher.ts'

/** Where the kernel does not notify. */
const POLL_INTERVAL: Duration = seconds(5)
/** Notifications come in bursts: the first is handled immediately, the others of a burst together. */
const BURST_INTERVAL: Duration = milliseconds(20)

/**
 * rtnetlink notifies within milliseconds of a change. Router advertisements cause notifications for unchanged addresses
 * too, so the addresses, the gateway and the way out are compared: a VPN may take all traffic long after its interface
 * is up, by routes or rules beside the default route.
 */
export async function watchKernelEvents(
  context: WatcherContext,
  { kernelListeners, lineListeners }: Pick<WatcherState, 'kernelListeners' | 'lineListeners'>,
): Promise<void> {
  const { ports, report } = context
  const notification: KernelNotification = {
    controller: new AbortController(),
    isWorking: true,
    isOtherLine: false,
  }
  const notify = (): void => notification.controller.abort(WAIT_ENDED)
  const notifyLine = (): void => {
    notification.isOtherLine = true
    notify()
  }
  lineListeners.add(notifyLine)
  const watcher = ports.watchKernel(notify, (because) => {
    if (notification.isWorking) report({ kind: 'kernelWatchMissing', because })
    notification.isWorking = false
    notification.controller.abort(WAIT_ENDED)
  })
  try {
    await compareUntilEnd(context, notification, kernelListeners)
  } finally {
    watcher.close()
    lineListeners.delete(notifyLine)
  }
}

interface KernelNotification {
  /** Aborted by a notification; replaced before each comparison. */
  controller: AbortController
  isWorking: boolean
  /** The home line changed without a change of the tables. */
  isOtherLine: boolean
}

async function compareUntilEnd(
  { ports, clock, hint, signal }: WatcherContext,
  notification: KernelNotification,
  listeners: Iterable<() => void>,
): Promise<void> {
  const changed = (): void => {
    hint('kernel')
    for (const listener of listeners) listener()
  }
  let previous = await fingerprint(ports)
  while (!signal.aborted) {
    const until = notification.isWorking ? NEVER : after(clock.now(), POLL_INTERVAL)
    await clock.sleep(until, signal, notification.controller.signal)
    notification.controller = new AbortController()
    const current = await fingerprint(ports)
    if (current !== previous || notification.isOtherLine) changed()
    notification.isOtherLine = false
    previous = current
    await clock.sleep(after(clock.now(), BURST_INTERVAL), signal)
  }
}

const NEVER = Number.MAX_SAFE_INTEGER as ReturnType<typeof after>

type WatchedTables = Pick<WatcherContext['ports'], 'interfaces' | 'outboundRoute' | 'routes'>

/** Starts no program: router advertisements cause notifications every few seconds. */
async function fingerprint({ interfaces, outboundRoute, routes }: WatchedTables): Promise<string> {
  const [addresses, ...tables] = await Promise.all([
    interfaces().catch(() => []),
    ...FAMILIES.map(async (family) => routes(family)),
    ...FAMILIES.map(async (family) => outboundRoute(family)),
  ])
  const sorted = addresses.map((one) => JSON.stringify(one)).toSorted()
  // The addresses do not show which of several routers is in use.
  const ways = tables.map((table) =>
    Array.isArray(table)
      ? table
          .filter(({ length }) => length <= 1)
          .map((one) => JSON.stringify(one))
          .toSorted()
      : table,
  )
  return JSON.stringify([sorted, ways])
}
