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
  const notification: KernelNotification = { controller: new AbortController(), isWorking: true }
  const notify = (): void => notification.controller.abort(WAIT_ENDED)
  lineListeners.add(notify)
  const watcher = ports.watchKernel(notify, (because) => {
    if (notification.isWorking) report({ kind: 'kernelWatchMissing', because })
    notification.isWorking = false
    notification.controller.abort(WAIT_ENDED)
  })
  try {
    await compareUntilEnd(context, notification, kernelListeners)
  } finally {
    watcher.close()
    lineListeners.delete(notify)
  }
}

interface KernelNotification {
  /** Aborted by a notification; replaced before each comparison. */
  controller: AbortController
  isWorking: boolean
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
    if (current !== previous) changed()
    previous = current
    await clock.sleep(after(clock.now(), BURST_INTERVAL), signal)
  }
}

const NEVER = Number.MAX_SAFE_INTEGER as ReturnType<typeof after>

type WatchedTables = Pick<WatcherContext['ports'], 'interfaces' | 'gateway' | 'outboundRoute' | 'routes'>

async function fingerprint({ interfaces, gateway, outboundRoute, routes }: WatchedTables): Promise<string> {
  const [addresses, route, wide, ...ways] = await Promise.all([
    interfaces().catch(() => []),
    gateway(),
    routes('v6'),
    ...FAMILIES.map(async (family) => outboundRoute(family)),
  ])
  const sorted = addresses.map((one) => JSON.stringify(one)).toSorted()
  // Which of several routers of IPv6 is in use shows in no address.
  const routers = wide.filter(({ length }) => length === 0).map((one) => JSON.stringify(one))
  return JSON.stringify([sorted, route, routers.toSorted(), ways])
}
