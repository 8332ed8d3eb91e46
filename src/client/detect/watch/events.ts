import { after, type Duration, milliseconds, minutes, seconds } from '../../../shared/base/time.ts'
import type { Gateway, EventRequest } from '../../../shared/ports/network.ts'
import { findService, type WanService } from '../sources/upnp.ts'
import { sleepOrNotified, type WatcherContext, type WatcherState } from './watcher.ts'

/** UPnP Device Architecture 2.0 §4.1.1: the requested duration of a subscription, in seconds; renewed at half time. */
const SUBSCRIPTION_SECONDS = 1800
const MIN_SUBSCRIPTION_SECONDS = 60
const SEARCH_INTERVAL: Duration = minutes(5)
const PATH_OCTETS = 16

/**
 * Subscribes to UPnP events of the router (GENA). Events get lost and may be
 * outdated, so each is a hint, whatever its content.
 */
export async function watchEvents(
  context: WatcherContext,
  state: Pick<WatcherState, 'kernelListeners' | 'askRouterNow' | 'hasEvents'>,
): Promise<void> {
  const { ports, hint, signal, userAgent } = context
  while (!signal.aborted) {
    const gateway = await ports.gateway()
    const service =
      gateway === undefined ? 'none' : await findService(gateway, { ...ports, userAgent }, signal)
    if (gateway !== undefined && typeof service !== 'string') {
      await followEvents(context, { gateway, service }, (isFirst) => {
        state.hasEvents = true
        // §4.1.2: the first event reports the current state, not a change.
        if (isFirst) return
        hint('router-event')
        state.askRouterNow()
      })
      state.hasEvents = false
    }
    await sleepOrNotified(context, SEARCH_INTERVAL, [state.kernelListeners])
  }
}

interface EventPublisher {
  readonly gateway: Gateway
  readonly service: WanService
}

/** Returns when the subscription ends or cannot be renewed. */
async function followEvents(
  context: WatcherContext,
  { gateway, service }: EventPublisher,
  notify: (isFirst: boolean) => void,
): Promise<void> {
  // Unguessable, so that no other host can send events.
  const path = `/${Buffer.from(context.ports.entropy(PATH_OCTETS)).toString('hex')}`
  let isFirst = true
  const server = await context.ports.listenForEvents(gateway.local, (request) => {
    if (!isEvent(request, gateway, path)) return
    notify(isFirst)
    isFirst = false
  })
  if (server === undefined) return
  await keepSubscribed(context, service, `http://${gateway.local}:${server.port}${path}`)
  server.close()
}

const isEvent = (
  { peer, method, path, headers }: EventRequest,
  gateway: Gateway,
  expected: string,
): boolean =>
  peer === gateway.address && method === 'NOTIFY' && path === expected && headers['nt'] === 'upnp:event'

async function keepSubscribed(context: WatcherContext, service: WanService, callback: string): Promise<void> {
  const { clock, signal } = context
  const send = requestTo(context, service)
  const timeout = `Second-${SUBSCRIPTION_SECONDS}`
  let sid: string | undefined
  while (!signal.aborted) {
    const subscription = sid === undefined ? { callback: `<${callback}>`, nt: 'upnp:event' } : { sid }
    const answer = await send('SUBSCRIBE', { ...subscription, timeout }, signal)
    sid = answer.kind === 'answered' && answer.status === 200 ? answer.headers['sid'] : undefined
    if (sid === undefined || answer.kind !== 'answered') break
    await clock.sleep(after(clock.now(), milliseconds(durationOf(answer.headers['timeout']) / 2)), signal)
  }
  // Its own signal: the watcher may have ended.
  if (sid !== undefined) await send('UNSUBSCRIBE', { sid }, new AbortController().signal)
}

const requestTo =
  ({ ports, userAgent }: WatcherContext, { events: url }: WanService) =>
  async (
    method: 'SUBSCRIBE' | 'UNSUBSCRIBE',
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): ReturnType<WatcherContext['ports']['http']> =>
    ports.http(
      {
        url,
        method,
        headers: { 'user-agent': userAgent, ...headers },
        family: 'v4',
        maxBodyBytes: 4096,
        connectTimeout: seconds(2),
        responseTimeout: seconds(4),
      },
      signal,
    )

/** §4.1.1: "Second-1800". */
function durationOf(timeout: string | undefined): Duration {
  const [, granted] = /^Second-(\d{1,6})$/i.exec(timeout ?? '') ?? []
  return seconds(
    Math.max(MIN_SUBSCRIPTION_SECONDS, granted === undefined ? SUBSCRIPTION_SECONDS : Number(granted)),
  )
}
