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
import { type Address, type Family, familyOf } from '../net/address.ts'
import { steadyClock, systemDice } from '../platform/clock.ts'
import { askByDatagram, listenToGroup, openChannel } from '../platform/datagram.ts'
import { systemInterfaces } from '../platform/interfaces.ts'
import {
  listenForEvents,
  rememberingResolve,
  runProgram,
  systemGateway,
  watchKernel,
} from '../platform/network.ts'
import type { Resolve } from '../ports/network.ts'
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

/** A way out of this host. */
interface Way {
  readonly interface?: string
  readonly from?: Address
}

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
export function detectingLookout(initial: Settings, { tell, agent, ring }: Listeners): Lookout {
  let settings = initial
  let watching: { readonly end: AbortController; readonly until: AbortSignal } | undefined
  const isAllowed = ration()
  const resolve = rememberingResolve(() => performance.now())
  const detectors = new Map<string, Detector>()
  const witnessesOf = (server: string, way: Way = {}): readonly Witness[] =>
    makeWitnesses(
      settings.config.sources ?? [],
      portsOf(way.interface, resolve),
      wishesOf(settings, agent, way),
      server === '' ? '' : new URL(server).hostname,
    )
  const detectorOf = (account: Account, way: Way): Detector => {
    // Only the default sources differ by service.
    const key = JSON.stringify([settings.config.sources === undefined ? account.server : '', way])
    const known = detectors.get(key)
    if (known !== undefined) return known
    const witnesses = witnessesOf(account.server, way)
    const { agreement } = settings.config
    const made = detector({ witnesses, clock: steadyClock, tell, agreement, release: () => ring(false) })
    detectors.set(key, made)
    return made
  }
  const hint: Lookout['hint'] = (because) => {
    tell({ kind: 'hinted', because })
    for (const one of detectors.values()) one.hint(DOUBTS.has(because))
    ring(isAllowed())
  }
  const begin = (until: AbortSignal): void => {
    const end = new AbortController()
    watching = { end, until }
    const [first] = settings.accounts.filter(({ myip }) => myip === undefined)
    const main = first === undefined ? undefined : detectorOf(first, {})
    const about = { agent, hint, signal: AbortSignal.any([until, end.signal]), note: tell }
    const witnesses = first === undefined ? [] : witnessesOf(first.server)
    const asksRouter = witnesses.some(({ standpoint }) => standpoint === 'router')
    watchAll(
      about,
      { asksRouter, outside: cheapOf(witnesses), published: () => main?.current('v4') },
      portsOf(undefined, resolve),
    )
  }
  return {
    hint,
    witnessesOf,
    sourceOf: (account, host) => sourceGivenBy(account) ?? endingAs(host, detectorOf(account, wayOf(host))),
    watch: (signal) => begin(signal),
    adopt: (next) => {
      settings = next
      detectors.clear()
      watching?.end.abort()
      if (watching !== undefined && next.config.watch) begin(watching.until)
    },
  }
}

function endingAs(host: HostSettings | undefined, found: Detector): AddressSource {
  const suffix = host?.suffix ?? (host?.mac && { address: host.mac, length: host.prefixLength })
  return suffix === undefined ? found : suffixed(found, suffix)
}

function watchAll(
  about: Omit<Watching, 'clock' | 'ports'>,
  known: Pick<Shared, 'asksRouter' | 'outside' | 'published'>,
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
      doesRouterAnswer: false,
      isProbed: false,
      bells: new Set(),
      uptime: () => milliseconds(uptime() * 1000),
      steady: () => instant(performance.now()),
    },
    systemDice,
  )
}

const wayOf = (host: HostSettings | undefined): Way => ({
  ...(host?.interface !== undefined && { interface: host.interface }),
  ...(host?.from !== undefined && { from: host.from }),
})

const portsOf = (only: string | undefined, resolve: Resolve): Ports => ({
  http: async (request, signal) => (await import('../platform/http.ts')).undiciHttp(request, signal),
  interfaces: async () =>
    (await systemInterfaces()).filter((one) => only === undefined || one.interface === only),
  datagram: askByDatagram,
  stream: askByStream,
  resolve,
  gateway: async () => systemGateway(only),
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
  const outside = witnesses.filter(
    ({ standpoint, families }) => standpoint === 'outside' && families.includes('v4'),
  )
  const least = Math.min(...outside.map(({ restsFor }) => restsFor))
  return outside.filter(({ restsFor, name }) => restsFor === least && !name.startsWith('http'))
}

/** The local address to ask from: the one that is named, or the first of the interface. */
function fromOf({
  interface: only,
  from,
}: Way): ((family: Family) => Promise<Address | undefined>) | undefined {
  if (from !== undefined) return async (family) => (familyOf(from) === family ? from : undefined)
  if (only === undefined) return undefined
  return async (family) => {
    const all = await systemInterfaces()
    return all.find(
      (one) =>
        one.interface === only &&
        familyOf(one.address) === family &&
        !one.isUnusable &&
        !one.address.startsWith('fe80:'),
    )?.address
  }
}
