import { randomUUID } from 'node:crypto'
import { after, type Duration, milliseconds, minutes, seconds } from '../../base/time.ts'
import type { Gateway } from '../../ports/network.ts'
import { findService } from '../sources/igd.ts'
import type { WanService } from '../sources/igd-codec.ts'
import type { WatcherContext, WatcherState } from './watcher.ts'

/** UPnP Device Architecture 2.0 §4.1.1: for how long we ask, in seconds; renewed at half time. */
const TERM = 1800
const SEARCH_AGAIN: Duration = minutes(5)

/** Subscribes to the router's events (GENA). Events get lost and may be stale: each is a reason to look, whatever it says. */
export async function watchEvents(
  watching: WatcherContext,
  { kernelListeners, askRouterNow }: WatcherState,
): Promise<void> {
  const { ports, clock, hint, signal } = watching
  while (!signal.aborted) {
    const gateway = await ports.gateway()
    const service =
      gateway === undefined
        ? 'none'
        : await findService(gateway, { ...ports, userAgent: watching.userAgent }, signal)
    if (gateway !== undefined && typeof service !== 'string')
      await follow(watching, gateway, service, () => {
        hint('router-event')
        askRouterNow()
      })
    const bell = new AbortController()
    const woken = (): void => bell.abort()
    kernelListeners.add(woken)
    await clock.sleep(after(clock.now(), SEARCH_AGAIN), AbortSignal.any([signal, bell.signal]))
    kernelListeners.delete(woken)
  }
}

/** Until the subscription ends, or cannot be renewed. */
async function follow(
  { ports, clock, userAgent, signal }: WatcherContext,
  gateway: Gateway,
  service: WanService,
  heard: () => void,
): Promise<void> {
  const path = `/${randomUUID()}` // who does not know it sends no events
  let sid: string | undefined
  let isFirst = true
  const server = await ports.listenForEvents(gateway.local, ({ peer, method, path: asked, headers }) => {
    if (peer !== gateway.address || method !== 'NOTIFY' || asked !== path || headers['nt'] !== 'upnp:event')
      return
    // §4.1.2: the first tells how things stand, not that they changed.
    if (!isFirst) heard()
    isFirst = false
  })
  if (server === undefined) return
  const callback = { callback: `<http://${gateway.local}:${server.port}${path}>`, nt: 'upnp:event' }
  const ask = async (headers: Readonly<Record<string, string>>, method: 'SUBSCRIBE' | 'UNSUBSCRIBE') =>
    ports.http(
      {
        url: service.events,
        method,
        headers: { 'user-agent': userAgent, ...headers },
        family: 'v4',
        maxBodyBytes: 4096,
        connectTimeout: seconds(2),
        responseTimeout: seconds(4),
      },
      method === 'SUBSCRIBE' ? signal : new AbortController().signal,
    )
  while (!signal.aborted) {
    const term = { timeout: `Second-${TERM}` }
    const answer = await ask(sid === undefined ? { ...callback, ...term } : { sid, ...term }, 'SUBSCRIBE')
    sid = answer.kind === 'answered' && answer.status === 200 ? answer.headers['sid'] : undefined
    if (sid === undefined || answer.kind !== 'answered') break
    await clock.sleep(after(clock.now(), milliseconds(termOf(answer.headers['timeout']) / 2)), signal)
  }
  if (sid !== undefined) await ask({ sid }, 'UNSUBSCRIBE')
  server.close()
}

/** §4.1.1: "Second-1800". A router that grants less than a minute is renewed each half minute. */
function termOf(timeout: string | undefined): Duration {
  const [, granted] = /^Second-(\d{1,6})$/i.exec(timeout ?? '') ?? []
  return seconds(Math.max(60, granted === undefined ? TERM : Number(granted)))
}
