import { uptime } from 'node:os'
import { instant, milliseconds } from '../base/time.ts'
import type { HostSettings } from '../config/client-settings.ts'
import { type Detector, detector } from '../client/detect/detector.ts'
import { type Wishes, makeWitnesses } from '../client/sources/makers.ts'
import type { Ports } from '../client/sources/ports.ts'
import type { AddressSource } from '../client/sources/source.ts'
import { suffixed } from '../client/sources/suffixed.ts'
import type { Witness } from '../client/sources/witness.ts'
import type { Hint, Shared, Watching } from '../client/watch/parts.ts'
import { watch } from '../client/watch/watch.ts'
import { steadyClock, systemDice } from '../platform/clock.ts'
import { askByDatagram, listenToGroup, openChannel } from '../platform/datagram.ts'
import { systemInterfaces } from '../platform/interfaces.ts'
import { listenForEvents, runProgram, systemGateway, watchKernel } from '../platform/network.ts'
import { type RememberingResolve, rememberingResolve } from '../platform/resolve.ts'
import type { FindGateway } from '../ports/network.ts'
import { homeGateway, systemWayOut } from '../platform/way-out.ts'
import { type Way, lineOf, tellersOf, wayOf, fromOf } from './way.ts'
import { askByStream } from '../platform/stream.ts'
import { type Listeners, type Lookout, sourceGivenBy } from './lookout.ts'
import type { Account, Settings } from './settings.ts'

/** Who says so may know better than the router. */
const DOUBTS: ReadonlySet<Hint> = new Set([
  'the outside sees something else',
  'the router no longer takes what is sent to our address',
  'this host was asleep',
  'somebody said so',
])

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
export function detectingLookout(initial: Settings, listeners: Listeners): Lookout {
  const { tell, agent, ring } = listeners
  /** What began under settings ends with them. */
  let [settings, era] = [initial, new AbortController()]
  let watchUntil: AbortSignal | undefined
  const isAllowed = ration()
  const names = rememberingResolve(() => performance.now())
  const gateway = homeGateway(systemGateway)
  const detectors = new Map<string, Detector>()
  const [tellOf, openBells] = [tellersOf(tell), new Set<() => void>()]
  const portsFor = (way: Way): Ports => portsOf(way.interface, { names, gateway })
  const witnessesOf = (server: string, way: Way = {}): readonly Witness[] =>
    makeWitnesses(settings.config.sources ?? [], portsFor(way), wishesOf(settings, agent, way), {
      server: server === '' ? '' : new URL(server).hostname,
      thirdParties: settings.config.thirdParties,
    })
  const detectorOf = (account: Account, way: Way): Detector =>
    cached(detectors, keyOf(settings, account, way), () =>
      detector({
        clock: steadyClock,
        dice: systemDice,
        witnesses: witnessesOf(account.server, way),
        agreement: settings.config.agreement,
        look,
        tell: tellOf(way),
        published: listeners.published,
        wayOut: settings.config.allowVpn ? undefined : lineOf(way, portsFor(way), tell),
        signal: AbortSignal.any([listeners.end, era.signal]),
      }),
    )
  const look = (): void => {
    for (const bell of openBells) bell()
    ring(false)
  }
  const hint: Lookout['hint'] = (because) => {
    tell({ kind: 'hinted', because })
    for (const one of detectors.values()) one.hint(DOUBTS.has(because))
    ring(isAllowed())
  }
  const begin = (until: AbortSignal): void => {
    watchUntil = until
    const [first] = settings.accounts.filter(({ myip }) => myip === undefined)
    const known =
      first === undefined ? knownOf([]) : knownOf(witnessesOf(first.server), detectorOf(first, {}))
    const watching = { agent, hint, signal: AbortSignal.any([until, era.signal]), note: tell }
    watchAll(watching, { ...known, openBells }, portsFor({}))
  }
  return {
    hint,
    witnessesOf,
    sourceOf: (account, host) => sourceGivenBy(account) ?? endingAs(host, detectorOf(account, wayOf(host))),
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
const keyOf = ({ config }: Settings, { server }: Account, way: Way): string =>
  JSON.stringify([config.sources === undefined ? server : '', way])

function cached<T>(all: Map<string, T>, key: string, make: () => T): T {
  const known = all.get(key) ?? make()
  all.set(key, known)
  return known
}

function endingAs(host: HostSettings | undefined, found: Detector): AddressSource {
  const suffix = host?.suffix ?? (host?.mac && { address: host.mac, length: host.prefixLength })
  return suffix === undefined ? found : suffixed(found, suffix)
}

const knownOf = (
  witnesses: readonly Witness[],
  main?: Detector,
): Pick<Shared, 'asksRouter' | 'outside' | 'published' | 'isOpen'> => ({
  asksRouter: witnesses.some(({ standpoint }) => standpoint === 'router'),
  outside: cheapOf(witnesses),
  published: (family) => main?.current(family),
  isOpen: (family) => main?.isOpen(family) === true,
})

function watchAll(
  about: Omit<Watching, 'clock' | 'ports'>,
  known: ReturnType<typeof knownOf> & Pick<Shared, 'openBells'>,
  ports: Ports,
): void {
  watch(
    {
      ...about,
      clock: steadyClock,
      ports: { ...ports, openChannel, listenToGroup, listenForEvents, watchKernel },
    },
    {
      ...known,
      ringRouter: () => undefined,
      doesRouterAnswer: false,
      isProbed: false,
      bells: new Set(),
      uptime: () => milliseconds(uptime() * 1000),
      steady: () => instant(performance.now()),
    },
    systemDice,
  )
}

interface Shares {
  readonly names: RememberingResolve
  readonly gateway: FindGateway
}

/** What was found out once holds for every way. */
const portsOf = (only: string | undefined, { names, gateway }: Shares): Ports => ({
  http: async (request, signal) => (await import('../platform/http.ts')).undiciHttp(request, signal),
  interfaces: async () =>
    (await systemInterfaces()).filter((one) => only === undefined || one.interface === only),
  datagram: askByDatagram,
  stream: askByStream,
  resolve: names.resolve,
  forget: names.forget,
  gateway: async () => (only === undefined ? gateway() : systemGateway(only)),
  wayOut: systemWayOut,
  program: runProgram,
})

function wishesOf({ config }: Settings, agent: string, way: Way): Wishes {
  const { ipv6Choice: kind, ipv6Prefix: within, ipv6Suffix: suffix, allow: allowed, command = [] } = config
  const from = fromOf(way)
  const ipv6 = { kind, ...(within && { within }), ...(suffix && { suffix }) }
  return { agent, allowed, ipv6, command, ...(from && { from }) }
}

/** Those that may be asked most often. */
function cheapOf(witnesses: readonly Witness[]): readonly Witness[] {
  const outside = witnesses.filter(({ standpoint }) => standpoint === 'outside')
  const least = Math.min(...outside.map(({ restsFor }) => restsFor))
  return outside.filter(({ restsFor, name }) => restsFor === least && !name.startsWith('http'))
}
