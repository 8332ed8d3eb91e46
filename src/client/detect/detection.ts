import { seconds } from '../../shared/base/time.ts'
import { WAIT_ENDED } from '../../shared/base/concurrency.ts'
import { type BucketLimits, fullBucket, takeToken } from '../../shared/base/token-bucket.ts'
import type { DetectorOptions } from './detector-options.ts'
import { type Detector, detector } from './detector.ts'
import { isAtRouter } from './sources/hop-probe.ts'
import { makeSources, type SourceSelection } from './sources/make-sources.ts'
import type { SourcePorts } from './sources/ports.ts'
import type { AddressProvider } from './sources/provider.ts'
import type { AddressSource } from './sources/source.ts'
import { routerSource } from './sources/router.ts'
import type { LineEvidence } from './line/line-watch.ts'
import { type KnownWay, knownWay } from './line/known-way.ts'
import { type OrderWatch, orderWatch } from './line/order-watch.ts'
import { onRoute } from './own-route.ts'
import { type Hint, HINTS } from './watch/hint.ts'
import { watch } from './watch/watch.ts'
import type { WatchedDetection } from './watch/watcher.ts'
import type { AccountDetection, DetectionSettings, HostDetection } from './detection-settings.ts'
import { defaultGateway } from './default-gateway.ts'
import { isOfOtherLine, lineOfVotes, type LineWatch, lineWatch } from './line/line-watch.ts'
import { PUBLIC_SERVICES } from './sources/services.ts'
import { type CachingResolve, cachingResolve } from './sources/cached-names.ts'
import { type Address, FAMILIES, type Family, familyOf, parseAddress } from '../../shared/base/address.ts'
import type { Sighting } from '../../shared/base/sighting.ts'
import type { Gateway } from '../../shared/ports/network.ts'
import type { State } from '../decide/state.ts'
import type { NetworkPorts, SystemPorts } from '../../shared/ports/system.ts'
import {
  type AddressDetection,
  type DetectionListeners,
  type MakeAddressDetection,
  sourceGivenBy,
} from './address-detection.ts'
import {
  addressIn,
  type Binding,
  bindingsOf,
  detectorKey,
  findingFilter,
  localAddressOf,
  outsideRouteOf,
} from './binding.ts'
import { type Prefix, withHostPart } from '../../shared/base/prefix.ts'

/** The address of another machine in this network: the IPv6 prefix of this host with that host part. IPv4 is shared. */
const suffixed = (provider: AddressProvider, { address, length }: Prefix): AddressProvider => ({
  name: `${provider.name} with ${address}/${length}`,
  async look(family, signal) {
    const sighting = await provider.look(family, signal)
    return family === 'v6' && sighting.kind === 'seen'
      ? { ...sighting, address: withHostPart(sighting.address, length, address) }
      : sighting
  },
})

/** Limits how often hints end the retry delays, so that forged hints cause no requests to the service. */
const RETRY_LIMITS: BucketLimits = { burst: 5, refill: seconds(5) }

/** Everything that ends when other settings are adopted. */
interface Generation {
  readonly settings: DetectionSettings
  readonly end: AbortController
  /** One for each binding of hostnames. */
  readonly detectors: Map<string, Detector>
  /** One of them is for the line that the kernel selects. */
  hasUnbound: boolean
  /** By their lines. */
  readonly orders: Map<string, OrderWatch>
}

function generationOf(settings: DetectionSettings, outerEnd: AbortSignal): Generation {
  const end = new AbortController()
  endWith(end, outerEnd)
  return { settings, end, detectors: new Map(), hasUnbound: false, orders: new Map() }
}

/** Not AbortSignal.any(): a listener of its signals costs more, and a watcher adds one each second. */
function endWith(end: AbortController, outerEnd: AbortSignal): void {
  if (outerEnd.aborted) end.abort(WAIT_ENDED)
  else outerEnd.addEventListener('abort', () => end.abort(WAIT_ENDED), { signal: end.signal })
}

/** Detection by the network of this host; its modules are loaded for it. */
export async function detectionBy(system: SystemPorts): Promise<MakeAddressDetection> {
  const network = await system.network()
  return (settings, listeners) => new SettingsDetection(settings, listeners, { system, network })
}

interface DetectionPorts {
  readonly system: SystemPorts
  readonly network: NetworkPorts
}

/** What became of a source that was asked, and not waited for. */
const UNNEEDED: Sighting = { kind: 'unknown', because: 'not needed this time', isUnneeded: true }

class SettingsDetection implements AddressDetection {
  readonly #listeners: DetectionListeners
  readonly #system: SystemPorts
  readonly #network: NetworkPorts
  readonly #names: CachingResolve
  readonly #way: KnownWay
  /** Of the hostnames that are not bound. */
  readonly #lines: Readonly<Record<Family, LineWatch>>
  readonly #reportOf: ReturnType<typeof findingFilter>
  readonly #recheckListeners = new Set<() => void>()
  readonly #lineListeners = new Set<() => void>()
  #generation: Generation
  #watchSignal: AbortSignal | undefined
  #retries: ReturnType<typeof fullBucket>

  constructor(
    settings: DetectionSettings,
    listeners: DetectionListeners,
    { system, network }: DetectionPorts,
  ) {
    this.#listeners = listeners
    this.#system = system
    this.#network = network
    this.#names = cachingResolve(network.lookUpName, system.steady)
    this.#way = knownWay(network)
    this.#lines = { v4: this.#lineWatch('v4'), v6: this.#lineWatch('v6') }
    this.#retries = fullBucket(RETRY_LIMITS, system.steady.now())
    this.#reportOf = findingFilter(listeners.report, () => system.steady.now())
    this.#generation = generationOf(settings, listeners.end)
  }

  hint(hint: Hint, family?: Family): void {
    this.#listeners.report({ kind: 'hinted', because: hint })
    for (const order of this.#generation.orders.values()) order.notify()
    for (const one of this.#generation.detectors.values()) one.hint(HINTS[hint].kind, family)
    this.#listeners.wake({ mayRetry: this.#mayRetry() })
  }

  sourcesFor(server: string, binding: Binding = {}): readonly AddressSource[] {
    const { settings } = this.#generation
    const from = localAddressOf(binding, this.#network.interfaces)
    const sources = makeSources(settings.config.sources ?? [], this.#portsFor(binding), {
      ...selectionOf(settings, this.#listeners.userAgent, server),
      ...(from && { from }),
    })
    const { published } = this.#listeners
    const { allowVpn } = settings.config
    const route = {
      ...this.#network,
      published,
      allowVpn,
      from,
      gateway: binding.gateway,
      lineOfVotes: async (family: Family) => lineOfVotes(await this.#lines[family].last()),
    }
    return sources.map((source) => onRoute(source, route))
  }

  async uplink(family: Family): ReturnType<AddressDetection['uplink']> {
    const route = await this.#outsideRouteOf({})?.(family)
    if (route === undefined) return undefined
    const published = this.#listeners.published(family)
    const { elsewhere: through } = route
    const uplink = { published, isElsewhere: through !== undefined, isProven: false }
    return { uplink, ...(through !== undefined && { through }) }
  }

  lines(): State['lines'] {
    const saved = FAMILIES.flatMap((family) => {
      const lines = this.#lines[family].saved()
      return lines === undefined ? [] : [[family, lines] as const]
    })
    return saved.length === 0 ? undefined : Object.fromEntries(saved)
  }

  providerFor(account: AccountDetection, host?: HostDetection): AddressProvider {
    return sourceGivenBy(account) ?? withSuffixOf(host, this.#boundTo(account, host))
  }

  #boundTo(account: AccountDetection, host: HostDetection | undefined): AddressProvider {
    const bindings = bindingsOf(account, host)
    const [first, ...others] = bindings
    const both = others.length === 0 ? this.#detectorOf(account, first) : this.#inOrder(account, bindings)
    if (host?.ipv6Interface === undefined) return both
    const { gateway: _, ...binding } = first
    const v6 = this.#detectorOf(account, { ...binding, interface: host.ipv6Interface })
    return {
      name: `${both.name}, ${v6.name}`,
      look: async (family, signal) => (family === 'v6' ? v6 : both).look(family, signal),
    }
  }

  /** The first of several lines that is up. */
  #inOrder(account: AccountDetection, bindings: readonly Binding[]): AddressProvider {
    const detectors = bindings.map((binding) => this.#detectorOf(account, binding))
    const watches: Readonly<Record<Family, OrderWatch>> = {
      v4: this.#orderOf(bindings, 'v4', detectors),
      v6: this.#orderOf(bindings, 'v6', detectors),
    }
    const name = detectors.map((one) => one.name).join(', ')
    return {
      name,
      look: async (family, signal) => {
        const order = watches[family]
        const active = await order.active()
        const rest = order.isStarted ? [] : detectors.filter((_, nth) => nth !== active)
        let sighting: Sighting = NO_LINE_UP
        // A one-shot command finds a dead line only by asking.
        for (const one of [detectors[active], ...rest]) {
          sighting = (await one?.look(family, signal)) ?? sighting
          if (sighting.kind === 'seen') break
        }
        return sighting
      },
    }
  }

  #orderOf(bindings: readonly Binding[], family: Family, detectors: readonly Detector[]): OrderWatch {
    const { orders } = this.#generation
    const key = JSON.stringify([family, bindings])
    const order = bindings.flatMap(({ interface: name, gateway }) =>
      name === undefined ? [] : { interface: name, ...(gateway && { gateway }) },
    )
    const known = orders.get(key)
    if (known !== undefined) return known
    const made = orderWatch({
      family,
      order,
      ports: { ...this.#network, mayPing: () => this.#config.ping },
      clock: this.#system.steady,
      beyond: () => literalsIn(this.#config).filter((host) => familyOf(host) === family),
      look: async (nth, signal) => (await detectors[nth]?.look(family, signal)) ?? NO_LINE_UP,
      requestLook: () => this.hint('line', family),
      report: this.#listeners.report,
      signal: this.#generation.end.signal,
    })
    orders.set(key, made)
    if (this.#watchSignal !== undefined && this.#config.watch) made.start()
    return made
  }

  watch(signal: AbortSignal): void {
    this.#watchSignal = signal
    const { settings, end } = this.#generation
    if (signal !== this.#listeners.end) endWith(end, signal)
    const { report, userAgent } = this.#listeners
    const { clocks, steady, random } = this.#system
    const first = settings.accounts.find(({ myip }) => myip === undefined)
    for (const family of FAMILIES) this.#lines[family].start()
    for (const order of this.#generation.orders.values()) order.start()
    watch(
      {
        userAgent,
        // Another line would carry the pings out of this network.
        mayPing: async () => settings.config.ping && (await this.#lines.v4.reread()).verdict.kind !== 'held',
        clock: steady,
        random,
        uptime: () => clocks().uptime,
        ports: {
          ...this.#network,
          ...this.#portsFor({}),
          gateway: async () => this.#gatewayNow(),
          watchKernel: this.#way.watchKernel,
        },
        hint: (hint, family) => this.hint(hint, family),
        report,
        signal: end.signal,
      },
      {
        ...this.#watchedBy(first),
        recheckListeners: this.#recheckListeners,
        lineListeners: this.#lineListeners,
      },
    )
  }

  adopt(settings: DetectionSettings): void {
    this.#generation.end.abort(WAIT_ENDED)
    this.#generation = generationOf(settings, this.#listeners.end)
    if (this.#watchSignal !== undefined && settings.config.watch) this.watch(this.#watchSignal)
  }

  /** Watchers cache the gateway, so they need a fresh reading after a kernel event. */
  async #gatewayNow(): Promise<Gateway | undefined> {
    const { v4 } = this.#lines
    await v4.reread()
    return v4.gateway()
  }

  #mayRetry(): boolean {
    const bucket = takeToken(this.#retries, RETRY_LIMITS, this.#system.steady.now())
    this.#retries = bucket ?? this.#retries
    return bucket !== undefined
  }

  /** The source, with its answers reported. */
  #observed(source: AddressSource): AddressSource {
    const { onAnswer } = this.#listeners
    if (onAnswer === undefined) return source
    return {
      ...source,
      look: async (family, signal) => {
        const sighting = await source.look(family, signal)
        const isUnneeded = sighting.kind === 'unknown' && signal.aborted
        onAnswer(source.name, family, isUnneeded ? UNNEEDED : sighting)
        return sighting
      },
    }
  }

  #requestLook(): void {
    for (const listener of this.#recheckListeners) listener()
    this.#listeners.wake({ mayRetry: false })
  }

  /** All bindings share the cached names; those without an interface share the line. */
  #portsFor({ interface: only }: Binding): SourcePorts {
    const { resolve, forget } = this.#names
    const { entropy } = this.#system
    const ports = { ...this.#network, resolve, forget, entropy }
    const { interfaces } = this.#network
    if (only !== undefined) {
      const ofInterface = async () => (await interfaces()).filter((one) => one.interface === only)
      const gateway = async () => defaultGateway(this.#network)(only)
      return { ...ports, interfaces: ofInterface, lineInterfaces: ofInterface, gateway }
    }
    return {
      ...ports,
      lineInterfaces: async () => {
        const lines = await Promise.all(FAMILIES.map(async (family) => this.#lines[family].last()))
        return (await interfaces()).filter((one) => !lines.some((line) => isOfOtherLine(line, one)))
      },
      gateway: async () => this.#lines.v4.gateway(),
    }
  }

  #lineWatch(family: Family): LineWatch {
    const { published, remembered, report, end } = this.#listeners
    return lineWatch({
      family,
      ports: { ...this.#network, wayOut: this.#way.find, mayPing: () => this.#config.ping },
      clock: this.#system.steady,
      rule: () => (this.#config.allowVpn || this.#config.follow === 'default-route' ? 'follow' : 'guard'),
      published: () => published(family),
      remembered: async () => remembered(family),
      beyond: () => literalsIn(this.#config).filter((host) => familyOf(host) === family),
      askRouter: async (gateway, signal) => this.#askRouter(gateway, signal),
      requestLook: () => {
        for (const listener of this.#lineListeners) listener()
        this.hint('line', family)
      },
      // Bound hostnames do not use this line.
      report: (finding) => void (this.#generation.hasUnbound && report(finding)),
      signal: end,
    })
  }

  async #askRouter(gateway: Gateway, signal: AbortSignal): Promise<Sighting> {
    const ports = { ...this.#portsFor({}), gateway: async () => Promise.resolve(gateway) }
    const options = selectionOf(this.#generation.settings, this.#listeners.userAgent, '')
    return routerSource(ports, options).look(
      'v4',
      AbortSignal.any([signal, this.#system.steady.deadline(WORD_TIMEOUT)]),
    )
  }

  get #config(): DetectionSettings['config'] {
    return this.#generation.settings.config
  }

  #outsideRouteOf(binding: Binding): DetectorOptions['outboundRoute'] {
    if (this.#generation.settings.config.allowVpn) return undefined
    const { interfaces, outboundRoute } = this.#network
    return outsideRouteOf(binding, {
      interfaces,
      outboundRoute,
      lines: this.#lines,
      report: this.#listeners.report,
    })
  }

  #detectorOf(account: AccountDetection, binding: Binding): Detector {
    const { settings, detectors, end } = this.#generation
    const key = detectorKey(settings, account, binding)
    const cached = detectors.get(key)
    if (cached !== undefined) return cached
    const { published } = this.#listeners
    const { agreement } = settings.config
    const from = localAddressOf(binding, this.#network.interfaces)
    const made = detector({
      clock: this.#system.steady,
      uptime: () => this.#system.clocks().uptime,
      random: this.#system.random,
      sources: this.sourcesFor(account.server, binding).map((source) => this.#observed(source)),
      agreement,
      requestLook: () => this.#requestLook(),
      report: this.#reportOf(binding),
      published,
      outboundRoute: this.#outsideRouteOf(binding),
      ...(from === undefined && {
        beforeRecord: async (family: Family) => this.#lines[family].tryLeft(),
        onRound: (family: Family, evidence: LineEvidence) => this.#lines[family].record(evidence),
      }),
      hasRoute: async (family) =>
        (await this.#network.outboundRoute(family, addressIn(await from?.(family)))) !== undefined,
      isAtRouter: async (address, signal) =>
        isAtRouter(
          {
            datagram: this.#network.datagram,
            clock: this.#system.steady,
            from: addressIn(await from?.('v4')),
          },
          address,
          signal,
        ),
      // Its own: Node 20 reports eleven listeners of one signal as a leak.
      signal: AbortSignal.any([end.signal]),
    })
    detectors.set(key, made)
    this.#generation.hasUnbound ||= from === undefined
    return made
  }

  /** The sources and results that watchers use; those of the first account whose address is not configured. */
  #watchedBy(
    account: AccountDetection | undefined,
  ): Omit<WatchedDetection, 'recheckListeners' | 'lineListeners'> {
    const sources = account === undefined ? [] : this.sourcesFor(account.server)
    const main = account === undefined ? undefined : this.#detectorOf(account, {})
    return {
      asksRouter: sources.some(({ vantage }) => vantage === 'router'),
      outside: cheapOf(sources),
      published: (family) => main?.current(family),
      isOpen: (family) => main?.isOpen(family) === true,
    }
  }
}

function withSuffixOf(host: HostDetection | undefined, provider: AddressProvider): AddressProvider {
  const suffix = host?.suffix ?? (host?.mac && { address: host.mac, length: host.prefixLength })
  return suffix === undefined ? provider : suffixed(provider, suffix)
}

const NO_LINE_UP: Sighting = { kind: 'unknown', because: 'no line of the order is up', lacksInterface: true }

/** A search for UPnP takes longer. */
const WORD_TIMEOUT = seconds(3)

/** Outside hosts that are sources by their address: those of the user, or the default ones. */
const literalsIn = ({ sources, thirdParties }: DetectionSettings['config']): readonly Address[] =>
  (sources ?? (thirdParties ? PUBLIC_SERVICES.map(({ spec }) => spec) : [])).flatMap((spec) =>
    spec.kind === 'dns' ? (parseAddress(spec.server) ?? []) : [],
  )

function selectionOf({ config }: DetectionSettings, userAgent: string, server: string): SourceSelection {
  const { ipv6Choice: kind, ipv6Prefix: within, ipv6Suffix: suffix, allow: allowed, command = [] } = config
  const ipv6 = { kind, ...(within && { within }), ...(suffix && { suffix }) }
  const { thirdParties } = config
  const host = server === '' ? '' : new URL(server).hostname
  return { userAgent, allowed, ipv6, command, thirdParties, server: host }
}

/** The sources with the shortest cooldown, without web sources. */
function cheapOf(sources: readonly AddressSource[]): readonly AddressSource[] {
  const outside = sources.filter(({ vantage }) => vantage === 'outside')
  const minCooldown = Math.min(...outside.map(({ cooldown }) => cooldown))
  return outside.filter(({ cooldown, name }) => cooldown === minCooldown && !name.startsWith('http'))
}
