import { uptime } from 'node:os'
import { instant, milliseconds } from '../../base/time.ts'
import { type Detector, detector } from '../../client/detect/detector.ts'
import { makeSources, type SourceSelection } from '../../client/sources/make-sources.ts'
import type { SourcePorts } from '../../client/sources/ports.ts'
import type { AddressProvider } from '../../client/sources/provider.ts'
import type { AddressSource } from '../../client/sources/source.ts'
import { suffixed } from '../../client/sources/suffixed.ts'
import { HINTS } from '../../client/watch/hint.ts'
import { watch } from '../../client/watch/watch.ts'
import type { WatcherContext, WatcherState } from '../../client/watch/watcher.ts'
import type { HostSettings } from '../../config/client-settings.ts'
import { steadyClock, systemRandom } from '../../platform/clock.ts'
import { askByDatagram, listenToGroup, openChannel } from '../../platform/datagram.ts'
import { systemInterfaces } from '../../platform/interfaces.ts'
import { listenForEvents, runProgram, systemGateway } from '../../platform/network.ts'
import { watchKernel } from '../../platform/watch-kernel.ts'
import { homeGateway, systemOutboundRoute } from '../../platform/outbound-route.ts'
import { type CachingResolve, cachingResolve } from '../../platform/resolve.ts'
import { askByStream } from '../../platform/stream.ts'
import type { FindGateway } from '../../ports/network.ts'
import { type AddressDetection, type DetectionListeners, sourceGivenBy } from './address-detection.ts'
import { type Binding, bindingOf, findingFilter, localAddressOf, outsideRouteOf } from './binding.ts'
import type { ClientAccount, ResolvedSettings } from './settings.ts'

/** Hints begin the retries anew so often at once, and then once in so long: whoever makes hints up does not make requests. */
const [BURST, REFILL] = [5, 5000]

function ration(): () => boolean {
  let [left, at] = [BURST, performance.now()]
  return () => {
    const now = performance.now()
    ;[left, at] = [Math.min(BURST, left + (now - at) / REFILL), now]
    if (left < 1) return false
    left--
    return true
  }
}

/** A detector for every way out that some hostname is bound to. */
export function addressDetection(initial: ResolvedSettings, listeners: DetectionListeners): AddressDetection {
  const { tell, userAgent, wake } = listeners
  /** What began under settings ends with them. */
  let [settings, era] = [initial, new AbortController()]
  let watchUntil: AbortSignal | undefined
  const isAllowed = ration()
  const names = cachingResolve(() => performance.now())
  const gateway = homeGateway(systemGateway)
  const detectors = new Map<string, Detector>()
  const [tellOf, recheckListeners] = [findingFilter(tell), new Set<() => void>()]
  const portsFor = (way: Binding): SourcePorts => portsOf(way.interface, { names, gateway })
  const sourcesOf = (server: string, way: Binding = {}): readonly AddressSource[] =>
    makeSources(settings.config.sources ?? [], portsFor(way), {
      ...selectionOf(settings, userAgent, server),
      ...fromOf(way),
    })
  const detectorOf = (account: ClientAccount, way: Binding): Detector =>
    cached(detectors, keyOf(settings, account, way), () =>
      detector({
        clock: steadyClock,
        random: systemRandom,
        sources: sourcesOf(account.server, way),
        agreement: settings.config.agreement,
        look,
        tell: tellOf(way),
        published: listeners.published,
        outboundRoute: settings.config.allowVpn ? undefined : outsideRouteOf(way, portsFor(way), tell),
        signal: AbortSignal.any([listeners.end, era.signal]),
      }),
    )
  const look = (): void => {
    for (const bell of recheckListeners) bell()
    wake(false)
  }
  const hint: AddressDetection['hint'] = (because) => {
    tell({ kind: 'hinted', because })
    for (const one of detectors.values()) one.hint(HINTS[because].isDoubt)
    wake(isAllowed())
  }
  const begin = (until: AbortSignal): void => {
    watchUntil = until
    const [first] = settings.accounts.filter(({ myip }) => myip === undefined)
    const known = first === undefined ? knownOf([]) : knownOf(sourcesOf(first.server), detectorOf(first, {}))
    const watching = { userAgent, hint, signal: AbortSignal.any([until, era.signal]), note: tell }
    watchAll(watching, { ...known, recheckListeners }, portsFor({}))
  }
  return {
    hint,
    sourcesFor: sourcesOf,
    providerFor: (account, host) =>
      sourceGivenBy(account) ?? withSuffixOf(host, detectorOf(account, bindingOf(host))),
    watch: begin,
    adopt: (next) => {
      settings = next
      detectors.clear()
      era.abort()
      era = new AbortController()
      if (watchUntil !== undefined && next.config.watch) begin(watchUntil)
    },
  }
}

/** Only the default sources differ by service. */
const keyOf = ({ config }: ResolvedSettings, { server }: ClientAccount, way: Binding): string =>
  JSON.stringify([config.sources === undefined ? server : '', way])

function cached<T>(all: Map<string, T>, key: string, make: () => T): T {
  const known = all.get(key) ?? make()
  all.set(key, known)
  return known
}

function withSuffixOf(host: HostSettings | undefined, found: Detector): AddressProvider {
  const suffix = host?.suffix ?? (host?.mac && { address: host.mac, length: host.prefixLength })
  return suffix === undefined ? found : suffixed(found, suffix)
}

const knownOf = (
  sources: readonly AddressSource[],
  main?: Detector,
): Pick<WatcherState, 'asksRouter' | 'outside' | 'published' | 'isOpen'> => ({
  asksRouter: sources.some(({ vantage }) => vantage === 'router'),
  outside: cheapOf(sources),
  published: (family) => main?.current(family),
  isOpen: (family) => main?.isOpen(family) === true,
})

function watchAll(
  about: Omit<WatcherContext, 'clock' | 'ports'>,
  known: ReturnType<typeof knownOf> & Pick<WatcherState, 'recheckListeners'>,
  ports: SourcePorts,
): void {
  watch(
    {
      ...about,
      clock: steadyClock,
      ports: { ...ports, openChannel, listenToGroup, listenForEvents, watchKernel },
    },
    {
      ...known,
      askRouterNow: () => undefined,
      doesRouterAnswer: false,
      isProbed: false,
      kernelListeners: new Set(),
      uptime: () => milliseconds(uptime() * 1000),
      steady: () => instant(performance.now()),
    },
    systemRandom,
  )
}

interface Shares {
  readonly names: CachingResolve
  readonly gateway: FindGateway
}

/** What was found out once holds for every way. */
const portsOf = (only: string | undefined, { names, gateway }: Shares): SourcePorts => ({
  http: async (request, signal) => (await import('../../platform/http.ts')).undiciHttp(request, signal),
  interfaces: async () =>
    (await systemInterfaces()).filter((one) => only === undefined || one.interface === only),
  datagram: askByDatagram,
  stream: askByStream,
  resolve: names.resolve,
  forget: names.forget,
  gateway: async () => (only === undefined ? gateway() : systemGateway(only)),
  outboundRoute: systemOutboundRoute,
  program: runProgram,
})

function selectionOf({ config }: ResolvedSettings, userAgent: string, server: string): SourceSelection {
  const { ipv6Choice: kind, ipv6Prefix: within, ipv6Suffix: suffix, allow: allowed, command = [] } = config
  const ipv6 = { kind, ...(within && { within }), ...(suffix && { suffix }) }
  const { thirdParties } = config
  const host = server === '' ? '' : new URL(server).hostname
  return { userAgent, allowed, ipv6, command, thirdParties, server: host }
}

function fromOf(binding: Binding): Pick<SourceSelection, 'from'> {
  const from = localAddressOf(binding)
  return from === undefined ? {} : { from }
}

/** Those that may be asked most often. */
function cheapOf(sources: readonly AddressSource[]): readonly AddressSource[] {
  const outside = sources.filter(({ vantage }) => vantage === 'outside')
  const least = Math.min(...outside.map(({ cooldown }) => cooldown))
  return outside.filter(({ cooldown, name }) => cooldown === least && !name.startsWith('http'))
}
