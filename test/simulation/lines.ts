import type { Address } from '../../src/shared/base/address.ts'
import type { InterfaceAddress } from '../../src/shared/ports/interfaces.ts'
import type { Gateway, KernelRoute, Neighbour } from '../../src/shared/ports/network.ts'
import { address } from '../fakes/address.ts'
import { between, oneOf, type Stream } from './random.ts'

/**
 * How the traffic of a host leaves by another way than its home line. `box`: a VPN box of the network; `hop`: a second router of
 * it, with a line of its own; `router`: the new one, at another address; `ipsec`: a policy; `replaced`, `halves` and `rule`: an
 * interface with a name of its own; `bare`: the same without a route to its server, `routed`: with a public address; `lte`, `stick` (with NAT) and `card`: other
 * lines; `wifi`: of the home router; `advertised`: a box that hands out its own IPv6 prefix.
 */
export const WAYS = [
  'box',
  'hop',
  'router',
  'ipsec',
  'replaced',
  'halves',
  'rule',
  'bare',
  'routed',
  'lte',
  'stick',
  'card',
  'wifi',
  'advertised',
] as const
export type WayKind = (typeof WAYS)[number]

/**
 * What becomes of the home line when the way begins. `blink`: its gateway is silent for less than a proof takes; `back`: it was
 * dead for half a minute.
 */
type Fate = 'alive' | 'address' | 'gateway' | 'beyond' | 'blink' | 'back'

export interface WayPlan {
  readonly way: WayKind
  readonly fate: Fate
  /** The default route of the home line stays, with a worse metric. */
  readonly keepsRoute: boolean
  /** The address of `lte`. */
  readonly source: 'global' | 'shared' | 'private'
  /** From its address to its route, in milliseconds; negative where the route is first. */
  readonly step: number
  /** Its gateway replies to pings. */
  readonly replies: boolean
  /** The kernel calls an interface with a name of its own a tunnel. */
  readonly isTunnel: boolean
}

interface WayFacts {
  readonly interface: string
  readonly gateway?: Address
  readonly local: Address
  readonly exit: Address
  /** It needs the home line beneath it. */
  readonly isCarried?: true
  readonly fates: readonly Fate[]
}

const HOME = { interface: 'eth0', gateway: address('192.168.1.1'), local: address('192.168.1.10') }
/** What outside services see of a VPN. */
const EXIT = address('12.0.0.1')
const SERVER = address('14.0.0.9')
const ANYWHERE = address('0.0.0.0')
const UPPER_HALF = address('128.0.0.0')

const UNDER: readonly Fate[] = ['alive', 'alive', 'gateway', 'back']
const OTHER: readonly Fate[] = ['alive', 'address', 'gateway', 'beyond', 'blink', 'back']
const ON_LINK = { interface: HOME.interface, local: HOME.local }
const CORP = {
  interface: 'corp',
  gateway: address('10.9.0.1'),
  local: address('10.9.0.2'),
  exit: EXIT,
  isCarried: true,
  fates: UNDER,
} as const

// biome-ignore format: a table
const FACTS: { readonly [W in WayKind]: WayFacts } = {
  box:        { ...ON_LINK, gateway: address('192.168.1.66'), exit: EXIT, isCarried: true, fates: UNDER },
  hop:        { ...ON_LINK, gateway: address('192.168.1.2'), exit: address('17.0.0.1'), fates: ['alive', 'gateway', 'blink', 'back'] },
  router:     { ...ON_LINK, gateway: address('192.168.1.254'), exit: address('17.0.0.2'), fates: ['alive', 'gateway'] },
  ipsec:      { ...HOME, local: address('10.9.0.2'), exit: EXIT, isCarried: true, fates: UNDER },
  replaced:   CORP,
  halves:     CORP,
  rule:       CORP,
  bare:       CORP,
  routed:     { ...CORP, local: address('12.0.0.2'), exit: address('12.0.0.2') },
  lte:        { interface: 'wwan0', local: address('17.0.0.3'), exit: address('17.0.0.3'), fates: OTHER },
  stick:      { interface: 'usb0', gateway: address('192.168.8.1'), local: address('192.168.8.100'), exit: address('17.0.0.4'), fates: OTHER },
  card:       { interface: 'eth2', gateway: address('192.168.3.1'), local: address('192.168.3.10'), exit: address('17.0.0.5'), fates: OTHER },
  wifi:       { interface: 'wlan0', gateway: HOME.gateway, local: address('192.168.1.20'), exit: EXIT, fates: ['alive', 'address'] },
  advertised: { ...HOME, exit: EXIT, fates: ['alive'] },
}
const LTE_LOCAL = { global: FACTS.lte.local, shared: address('100.80.0.2'), private: address('10.64.0.2') }

export function drawWay(draw: Stream): WayPlan {
  const way = oneOf(draw, WAYS)
  return {
    way,
    fate: oneOf(draw, FACTS[way].fates),
    keepsRoute: draw() < 0.5,
    source: oneOf(draw, ['global', 'shared', 'private'] as const),
    step: draw() < 0.3 ? 0 : between(draw, -2000, 2000),
    replies: draw() < 0.7,
    // Without a route to its server, nothing else tells what it is.
    isTunnel: draw() < 0.5 || way === 'bare',
  }
}

/** Interfaces with a route or a rule beside the line that carries them, and no public address. */
const SHOWN_CARRIED: ReadonlySet<WayKind> = new Set(['replaced', 'halves', 'rule'])
const SECOND = 1000
/** The kernel asks a neighbour three times before it calls it silent. */
const NEIGHBOUR = 3 * SECOND
/** How long the gateway of the home line is silent. */
const SILENCE = { blink: 5 * SECOND, back: 30 * SECOND } as const
/** How long each sign of a dead line must last (decision 0074). */
const LASTS = { address: 0, gateway: 6 * SECOND, beyond: 8 * SECOND, route: 3 * SECOND } as const
/** Where pings must be missed: three questions take longer. */
const ASKING = 6 * SECOND

/** A way out while it is there, as the kernel shows it. */
export class Way {
  readonly plan: WayPlan
  readonly facts: WayFacts
  readonly began: number
  hasAddress: boolean
  hasRoute = false
  readonly #now: () => number

  constructor(plan: WayPlan, now: () => number) {
    this.plan = plan
    const facts = FACTS[plan.way]
    this.facts = plan.way === 'lte' ? { ...facts, local: LTE_LOCAL[plan.source] } : facts
    this.began = now()
    this.#now = now
    this.hasAddress = !this.#isNewAddress
  }

  /** Traffic leaves by it. */
  get isInUse(): boolean {
    return this.hasRoute && this.plan.way !== 'advertised'
  }

  get isTunnel(): boolean {
    return this.facts.interface === CORP.interface && this.plan.isTunnel
  }

  /** Once the home line is dead, its address is right: it leads to this host. */
  get isHeir(): boolean {
    return this.facts.isCarried !== true || this.plan.way === 'routed'
  }

  /** The tables show that the home line is beneath this interface. */
  isShownCarried(name: string): boolean {
    return name === this.facts.interface && SHOWN_CARRIED.has(this.plan.way)
  }

  /** Its packets have the address of the home line outside. */
  get isHome(): boolean {
    return this.plan.way === 'wifi'
  }

  get #isNewAddress(): boolean {
    return this.facts.interface !== HOME.interface || this.plan.way === 'ipsec'
  }

  get #isOtherInterface(): boolean {
    return this.facts.interface !== HOME.interface
  }

  get #age(): number {
    return this.#now() - this.began
  }

  /** Of the home line: its interface has no carrier. */
  get isUnplugged(): boolean {
    return this.plan.fate === 'address'
  }

  get isGatewaySilent(): boolean {
    const { fate } = this.plan
    if (fate === 'blink' || fate === 'back') return this.#age < SILENCE[fate]
    return fate === 'gateway' || fate === 'address'
  }

  /** The home line carries nothing. */
  get isHomeDead(): boolean {
    return this.isGatewaySilent || this.plan.fate === 'beyond' || this.plan.way === 'router'
  }

  /** Of the home line: the row of the kernel, after a while. */
  get isNeighbourLost(): boolean {
    return this.isGatewaySilent && this.#age > NEIGHBOUR
  }

  /** When its address may be published, in milliseconds from its beginning and from its route; undefined: never. */
  get adoptable(): { readonly sinceBegin?: number; readonly sinceRoute?: number } | undefined {
    const { way, fate, source, keepsRoute } = this.plan
    const { isCarried } = this.facts
    if (isCarried === true || way === 'wifi' || way === 'advertised') return undefined
    // The address of the one leads to this host, that of the other is the one of the home now.
    if ((way === 'lte' && source === 'global') || way === 'router') return { sinceRoute: 0 }
    const lasts =
      fate === 'back' ? LASTS.gateway : fate === 'alive' || fate === 'blink' ? undefined : LASTS[fate]
    return {
      ...(lasts !== undefined && { sinceBegin: lasts }),
      ...(!keepsRoute && this.#isOtherInterface && { sinceRoute: LASTS.route }),
    }
  }

  /** From its beginning until its address must be published, in milliseconds; undefined: nothing shows that it is right. */
  bound(home: {
    readonly doesReport: boolean
    readonly dropsPings: boolean
    readonly follows: boolean
  }): number | undefined {
    const { way, fate, source, keepsRoute, step } = this.plan
    // Where the home line is dead, what it carries is dead too.
    const isAlive = this.facts.isCarried !== true || fate === 'alive'
    if (home.follows && !this.isHome && way !== 'advertised' && isAlive) return Math.abs(step)
    if (this.adoptable === undefined) return undefined
    const begin = Math.abs(step)
    const spans = [
      way === 'lte' && source === 'global' ? begin : undefined,
      way === 'router' && home.doesReport ? begin + 15 * SECOND : undefined,
      fate === 'address' ? begin : undefined,
      fate === 'gateway' ? begin + LASTS.gateway + ASKING : undefined,
      fate === 'beyond' && keepsRoute && !home.dropsPings ? begin + LASTS.beyond + ASKING : undefined,
      !keepsRoute && this.#isOtherInterface ? begin + LASTS.route : undefined,
    ].filter((span) => span !== undefined)
    return spans.length === 0 ? undefined : Math.min(...spans)
  }

  /** The router of the home line, as it is for this host. */
  get gateway(): Gateway {
    const { gateway = HOME.gateway, interface: name, local } = this.facts
    return { address: gateway, interface: name, local }
  }

  interfaces(like: InterfaceAddress): readonly InterfaceAddress[] {
    const { interface: name, local, gateway } = this.facts
    const prefixLength = this.plan.way === 'ipsec' || gateway === undefined ? 32 : 24
    return this.hasAddress && this.#isNewAddress
      ? [{ ...like, interface: name, address: local, prefixLength }]
      : []
  }

  neighbours(): readonly Neighbour[] {
    const { interface: name, gateway } = this.facts
    if (gateway === undefined || !this.hasAddress || this.plan.way === 'ipsec') return []
    const nth = 10 + WAYS.indexOf(this.plan.way)
    const mac = this.isHome ? '02:00:00:00:00:01' : `02:00:00:00:01:${nth}`
    return gateway === HOME.gateway && name === HOME.interface
      ? []
      : [{ address: gateway, interface: name, mac }]
  }

  /** The default route of the home line, and those of this way. */
  routes(home: KernelRoute): readonly KernelRoute[] {
    const { way, keepsRoute } = this.plan
    const own = this.isUnplugged ? [] : [home]
    if (!this.hasRoute || way === 'ipsec' || way === 'rule' || way === 'advertised') return own
    const { interface: name, gateway } = this.facts
    const through = { interface: name, ...(gateway && { gateway }) }
    const server = { ...home, destination: SERVER, length: 32 }
    const wide = { ...through, destination: ANYWHERE, length: 0, metric: keepsRoute ? 50 : home.metric }
    if (way === 'halves')
      return [
        { ...wide, length: 1, metric: 0 },
        { ...wide, length: 1, metric: 0, destination: UPPER_HALF },
        ...own,
        ...own.map(() => server),
      ]
    if (way === 'replaced' || way === 'routed') return [wide, ...own.map(() => server)]
    return [wide, ...(keepsRoute && way !== 'bare' ? own : [])]
  }
}
