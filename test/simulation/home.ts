import { type Address, type Family, familyOf } from '../../src/shared/base/address.ts'
import type { InterfaceAddress } from '../../src/shared/ports/interfaces.ts'
import type {
  Closable,
  FindPacketRoute,
  Gateway,
  KernelRoute,
  Neighbour,
  OutboundRoute,
} from '../../src/shared/ports/network.ts'
import { address } from '../fakes/address.ts'
import { ROUTER_PORT } from '../../src/client/detect/sources/nat-pmp.ts'
import type { HomePlan, MoveEvent, VpnEvent } from './draw.ts'
import { HomeIpv6 } from './home-ipv6.ts'
import { Way, type WayPlan } from './lines.ts'
import { pmpAnswer } from './outside.ts'
import { between, type Stream } from './random.ts'
import type { Scheduler } from './scheduler.ts'

export const GATEWAY: Gateway = {
  address: address('192.168.1.1'),
  interface: 'eth0',
  local: address('192.168.1.10'),
}
/** The second line: its router answers no question. */
const BACKUP = { interface: 'eth1', gateway: address('192.168.2.1'), local: address('192.168.2.10') }
/** Of a host that dials itself. */
const DIALLED = 'ppp0'
/** Of a host that translates IPv4 (RFC 7335). */
const TRANSLATOR = { interface: 'clat', local: address('192.0.0.4') }
const TUNNEL = { interface: 'wg0', local: address('10.8.0.2') }
const VPN_SERVER = address('14.0.0.9')
/** What outside services see of a VPN, and what a router that is not the last one states. */
export const VPN_EXIT = address('12.0.0.1')
export const ROUTER_LIE = address('13.0.0.1')
/** What a forged announcement states. */
export const FORGED = address('15.0.0.1')
const MODEM = address('192.168.100.2')
/** RFC 6598. */
const SHARED = address('100.72.0.2')
const ANYWHERE = address('0.0.0.0')

const HOST_ADDRESS: InterfaceAddress = {
  interface: GATEWAY.interface,
  address: GATEWAY.local,
  isTemporary: false,
  isUnusable: false,
  isPermanent: false,
  prefixLength: 24,
}

/** The nth public address of the line. */
const publicAddress = (nth: number): Address => address(`11.0.${nth >> 8}.${nth & 255}`)
const backupAddress = (nth: number): Address => address(`16.0.${nth >> 8}.${nth & 255}`)

/** A home line that is dead for so long may be left; how often that is looked at. In milliseconds. */
const [DEAD, LOOK] = [5500, 500]

interface Lease {
  readonly address: Address
  readonly from: number
  to: number
}

type AnnouncementListener = (bytes: Uint8Array, from: Address, port: number) => void

/** A line, its router, and the network of the host behind it: the truth, with its history. */
export class Home {
  readonly plan: HomePlan
  readonly #leases: Lease[] = []
  /** Of the second line, while it was in use. */
  readonly #backups: Lease[] = []
  readonly ipv6: HomeIpv6
  /** When something of the line, the router or the VPN last began or ended. */
  touched = 0
  vpn: 'up' | 'down' = 'down'
  isOnBattery = false
  /** The router answers again after this moment, and states its old address until the second one. */
  readonly reboot = {
    until: 0,
    staleUntil: 0,
    stale: undefined as Address | undefined,
    epochFrom: -1_000_000,
  }
  readonly #scheduler: Scheduler
  readonly #draw: Stream
  readonly #kernel = new Set<() => void>()
  readonly #announcements = new Set<AnnouncementListener>()
  readonly #upnp = new Set<() => void>()
  readonly #touches = new Set<() => void>()
  #hasTunnelAddress = false
  #hasTunnelRoute = false
  /** Its route is one of datagrams alone, by a rule. */
  #takesDatagrams = false
  #nth = 0
  #vpnDownAt = -Infinity
  /** Another way out than the home line, while there is one. */
  #way: Way | undefined
  #wayEndedAt = -Infinity
  /** Of other ways, from when their address may be published, to their end. */
  readonly #adoptable: Lease[] = []
  /** Overlapping outages: the line is up while there is none. */
  #outages = 0

  constructor(plan: HomePlan, scheduler: Scheduler, draw: Stream) {
    this.plan = plan
    this.#scheduler = scheduler
    this.#draw = draw
    this.ipv6 = new HomeIpv6(plan.ipv6, GATEWAY.interface, scheduler, () => this.#tellKernel())
    this.#lease(publicAddress(++this.#nth))
  }

  /** The public address of the line in use. */
  get address(): Address | undefined {
    return this.plan.lacksIpv4 === undefined ? this.#current()?.address : undefined
  }

  /** Whether the second line is in use. */
  get isOnBackup(): boolean {
    return this.#backups.at(-1)?.to === Infinity
  }

  /** The address that an outside server sees of a packet that leaves now, as TCP or as a datagram. */
  egress(family: Family = 'v4', isDatagram = false): Address | undefined {
    if (family === 'v6') return this.#homeEgress() && this.ipv6.egress()
    if (this.plan.lacksIpv4 !== undefined) return undefined
    const own = this.#lineEgress()
    if (own === undefined || !(isDatagram ? this.#hasTunnelRoute : this.#isRouteTunnel)) return own
    return this.#hasTunnelAddress ? VPN_EXIT : undefined
  }

  #homeEgress(): Address | undefined {
    const isDead = this.isRebooting() || this.#way?.isHomeDead === true
    return isDead ? undefined : this.#current()?.address
  }

  #lineEgress(): Address | undefined {
    const way = this.#wayInUse
    if (way === undefined) return this.#homeEgress()
    if (!way.hasAddress) return undefined
    // The cable may be out.
    if (way.isHome) return this.isRebooting() ? undefined : this.#current()?.address
    return way.facts.isCarried === true && this.#homeEgress() === undefined ? undefined : way.facts.exit
  }

  get #wayInUse(): Way | undefined {
    return this.#way?.isInUse === true ? this.#way : undefined
  }

  /** By all rules. */
  packetRoute(packet: Parameters<FindPacketRoute>[0]): OutboundRoute | undefined {
    // It forwards nothing.
    if ('by' in packet) return undefined
    if ('family' in packet) return packet.family === 'v4' ? this.outboundRoute() : this.ipv6.packetRoute()
    if (familyOf(packet.local) === 'v6') return this.ipv6.packetRoute()
    const isTaken = 'protocol' in packet && packet.protocol === 'udp' && this.#hasTunnelRoute
    return isTaken ? { interface: TUNNEL.interface } : this.outboundRoute()
  }

  /** The address of this host that a datagram leaves from. */
  localOfDatagram(family: Family): Address | undefined {
    if (family === 'v6') return this.ipv6.outboundRoute()?.address
    return this.#hasTunnelRoute && this.#hasTunnelAddress ? TUNNEL.local : this.outboundRoute()?.address
  }

  /** Of a request to a server with both families. */
  anyEgress(): Address | undefined {
    return this.egress() ?? (this.plan.lacksIpv4 === undefined ? undefined : this.egress('v6'))
  }

  isRebooting(): boolean {
    return !this.isOnBackup && this.#scheduler.now < this.reboot.until
  }

  /** How long the line has its address, in milliseconds. */
  heldFor(): number {
    return this.#scheduler.now - (this.#current()?.from ?? this.#scheduler.now)
  }

  /** Whether a VPN was up, in part too, at or after this moment. */
  hadVpnSince(moment: number): boolean {
    return this.vpn === 'up' || this.#vpnDownAt > moment || this.hadWaySince(moment)
  }

  /** Whether there was another way out than the home line at or after this moment. */
  hadWaySince(moment: number): boolean {
    return this.#way !== undefined || this.#wayEndedAt > moment
  }

  /** Whether traffic left by another line than the home line at or after this moment. */
  wasElsewhereSince(moment: number): boolean {
    const backup = this.#backups.at(-1)?.to ?? -Infinity
    const isOther = this.vpn === 'up' || (this.#way !== undefined && !this.#way.isHome)
    return isOther || Math.max(this.#vpnDownAt, this.#wayEndedAt, backup) > moment
  }

  /** Traffic leaves by another line than the home line, and the tables do not show that one beneath. */
  get isOnOther(): boolean {
    const isVpnAlone = this.vpn === 'up' && this.plan.dials === true && this.#own() === undefined
    const isWay = this.#way !== undefined && !this.#way.isShownCarried(this.#way.facts.interface)
    return this.isOnBackup || isWay || isVpnAlone
  }

  /** By its tables, this host reaches the internet through this interface over another line: it leads nobody to this host. */
  isCarried(name: string): boolean {
    if (this.plan.follows === true) return false
    if (name !== TUNNEL.interface) return this.#wayInUse?.isShownCarried(name) === true
    // Where the line that it dials is down, nothing is beneath.
    return this.#isRouteTunnel && this.plan.dials !== true
  }

  /** Whether the line had this address within the last milliseconds. */
  hadWithin(one: string, span: number): boolean {
    return (
      this.ipv6.hadWithin(one, span) ||
      [...this.#leases, ...this.#backups, ...this.#adoptable].some(
        (lease) => lease.address === one && lease.to >= this.#scheduler.now - span,
      )
    )
  }

  /** The line delegates another prefix, and keeps its IPv4 address. */
  changePrefix(): void {
    this.touched = this.#scheduler.now
    if (this.#own() !== undefined && !this.isOnBackup) this.ipv6.renumber()
  }

  /** The first line has no carrier for a while. */
  failOver(span: number): void {
    if (this.plan.dials === true) return this.outage(span)
    if (this.isOnBackup || !this.plan.backup || this.#way !== undefined) return
    const { now } = this.#scheduler
    this.#backups.push({ address: backupAddress(this.#backups.length + 1), from: now, to: Infinity })
    this.ipv6.unplug()
    this.#mark('the second line is in use')
    this.#tellKernel()
    this.#later(span, () => {
      Object.assign(this.#backups.at(-1) ?? {}, { to: this.#scheduler.now })
      this.#mark('the first line is in use')
      this.ipv6.renumber()
      this.#tellKernel()
    })
  }

  /** Traffic moves to another way in two steps, and back in one. */
  move({ span, next, ...plan }: Omit<MoveEvent, 'kind' | 'at'>): Way | undefined {
    const { plan: home } = this
    if (home.isTranslated || home.lacksIpv4 !== undefined || this.isOnBackup || this.#way !== undefined)
      return undefined
    if (home.dials === true) return undefined
    if (plan.way === 'advertised' && (home.ipv6 === 'none' || home.follows === true)) return undefined
    // The router of the home line is that of the policy too, and says its own address.
    if (plan.way === 'ipsec' && home.follows === true) return undefined
    const way = this.#beginWay(plan)
    this.#later(Math.max(span, Math.abs(plan.step) + 1), () => this.#endWay(way))
    if (next !== undefined)
      this.#later(next.after, () => {
        // Of cable and Wi-Fi, the one in use is the line.
        if (this.#way !== way || next.way.way === 'advertised' || way.isHome) return
        if (next.way.way === 'ipsec' && home.follows === true) return
        // Its route is there at once, so the home line is not in use between the two: the second one replaces the first.
        const isHome = this.#adoptable.some(
          ({ address: one, to }) => one === way.facts.exit && to === Infinity,
        )
        this.#endWay(way)
        const second = this.#beginWay(next.way, isHome && next.way.step < 0)
        this.#later(Math.max(span, Math.abs(next.way.step) + 1), () => this.#endWay(second))
      })
    return way
  }

  #beginWay(plan: WayPlan, replaces = false): Way {
    const way = new Way(plan, () => this.#scheduler.now)
    this.#way = way
    if (plan.way === 'advertised') this.ipv6.advertise(true)
    if (way.isUnplugged) this.ipv6.unplug()
    this.#watchHome(way)
    const set = (what: 'hasAddress' | 'hasRoute'): void => {
      if (this.#way !== way) return
      way[what] = true
      this.#mark(`${plan.way} ${what}`)
      this.#tellKernel()
      const isNext = this.#isFollowed(way) || (replaces && way.isHeir)
      if (what === 'hasRoute') this.#adoptLater(way, isNext ? 0 : way.adoptable?.sinceRoute)
    }
    this.#mark(`${plan.way} begins`)
    this.#adoptLater(way, way.adoptable?.sinceBegin)
    // Before its address is there, its route is of no use.
    set(plan.step >= 0 ? 'hasAddress' : 'hasRoute')
    this.#later(Math.abs(plan.step), () => set(plan.step >= 0 ? 'hasRoute' : 'hasAddress'))
    return way
  }

  /** Whatever made it so, a home line that carried nothing for a while may be left. */
  #watchHome(way: Way, deadFor = 0): void {
    if (this.#way !== way) return
    const isDead = this.#homeEgress() === undefined
    if (isDead && deadFor >= DEAD) {
      if (way.isHeir) this.#adoptable.push(this.#leaseOf(way))
      return
    }
    this.#later(LOOK, () => this.#watchHome(way, isDead ? deadFor + LOOK : 0))
  }

  #leaseOf({ facts: { exit: one } }: Way): Lease {
    return { address: one, from: this.#scheduler.now, to: Infinity }
  }

  /** The user wants what the kernel selects. */
  #isFollowed(way: Way): boolean {
    return this.plan.follows === true && !way.isHome
  }

  /** Once it was right it is known: the way back needs no proof. */
  #adoptLater(way: Way, span: number | undefined): void {
    const { exit: one } = way.facts
    const isKnown = way.isHeir && this.#adoptable.some((lease) => lease.address === one)
    if (span === undefined && !isKnown) return
    this.#later(isKnown ? 0 : (span ?? 0), () => {
      if (this.#way !== way) return
      this.#adoptable.push(this.#leaseOf(way))
    })
  }

  #endWay(way: Way): void {
    if (this.#way !== way) return
    this.#way = undefined
    this.#wayEndedAt = this.#scheduler.now
    for (const lease of this.#adoptable) lease.to = Math.min(lease.to, this.#scheduler.now)
    if (way.plan.way === 'advertised') this.ipv6.advertise(false)
    this.#mark(`${way.plan.way} ends`)
    if (way.isUnplugged) this.ipv6.renumber()
    this.#tellKernel()
  }

  /** The router of this network is reached. */
  get #isRouterNear(): boolean {
    return this.#way?.isGatewaySilent !== true || this.#wayInUse?.isHome === true
  }

  change(gap: number): void {
    this.#drop()
    const lease = (): void => this.#lease(publicAddress(++this.#nth))
    if (gap === 0) lease()
    else this.#later(gap, lease)
  }

  /** Back to the address before this one, as a line that failed over. */
  changeBack(): void {
    const before = this.#leases.at(-2)?.address
    this.#drop()
    this.#lease(before ?? publicAddress(++this.#nth))
  }

  /** To another address and back. */
  flap(span: number): void {
    const before = this.#own()
    if (before === undefined) return
    this.#drop()
    this.#lease(publicAddress(++this.#nth))
    this.#later(span, () => {
      this.#drop()
      this.#lease(before)
    })
  }

  outage(span: number): void {
    this.#drop()
    this.#outages++
    this.#later(span, () => {
      this.#outages--
      this.#lease(publicAddress(++this.#nth))
    })
  }

  /** The tunnel comes up in two steps, and goes down in one. */
  startVpn({ step, span, takesDatagrams = false }: Omit<VpnEvent, 'kind' | 'at'>): void {
    if (this.vpn === 'up' || this.plan.lacksIpv4 !== undefined || this.plan.follows === true) return
    this.vpn = 'up'
    this.#takesDatagrams = takesDatagrams
    const address = (): void => this.#setTunnel({ address: true })
    const route = (): void => this.#setTunnel({ route: true })
    if (step >= 0) address()
    else route()
    this.#later(Math.abs(step), step >= 0 ? route : address)
    this.#later(Math.max(span, Math.abs(step) + 1), () => {
      this.vpn = 'down'
      this.#vpnDownAt = this.#scheduler.now
      this.#setTunnel({ address: false, route: false })
    })
  }

  restartRouter(span: number, stale: number): void {
    if (this.plan.dials === true) return this.outage(span)
    const { now } = this.#scheduler
    const before = this.#own()
    this.outage(span)
    Object.assign(this.reboot, {
      until: now + span,
      staleUntil: now + span + stale,
      stale: before,
      epochFrom: now + span,
    })
  }

  /** The router announces its address; or another host of the link forges an announcement of another one. */
  announce(forged?: Address): void {
    this.touched = this.#scheduler.now
    const said = this.routerAnswer()
    if (this.isOnBackup || this.plan.isTranslated || !this.#isRouterNear) return
    const own = said === undefined || said === 'refused' ? undefined : said.address
    const stated = forged ?? own
    const bytes = pmpAnswer(stated === undefined ? 3 : 0, this.routerEpoch(), stated)
    for (const listener of this.#announcements) listener(bytes, GATEWAY.address, ROUTER_PORT)
  }

  /** The result code of NAT-PMP and the address that the router states; undefined: it does not answer. */
  routerAnswer(): { readonly code: number; readonly address?: Address } | 'refused' | undefined {
    const { router } = this.plan
    if (this.isRebooting() || this.isOnBackup || router === 'mute' || router === 'upnp') return undefined
    // An access point answers no such question.
    if (!this.#isRouterNear || this.#wayInUse?.plan.way === 'router') return undefined
    const own = this.#statedByRouter()
    if (router === 'closed') return 'refused'
    if (router === 'noAddress') return { code: 3 }
    if (router === 'private') return { code: 0, address: MODEM }
    if (router === 'shared') return { code: 0, address: SHARED }
    if (router === 'other') return { code: 0, address: ROUTER_LIE }
    return own === undefined ? { code: 3 } : { code: 0, address: own }
  }

  /** What it states by UPnP; undefined: it does not answer. Without an address, an empty text. */
  upnpAddress(): Address | '' | undefined {
    if (this.plan.router !== 'upnp' || this.isRebooting() || this.isOnBackup) return undefined
    if (!this.#isRouterNear || this.#wayInUse?.plan.way === 'router') return undefined
    return this.#statedByRouter() ?? ''
  }

  /** A UPnP event of the router follows. */
  onUpnp(listener: () => void): Closable {
    this.#upnp.add(listener)
    return { close: () => void this.#upnp.delete(listener) }
  }

  /** Seconds since the router started. */
  routerEpoch(): number {
    return Math.max(0, Math.floor((this.#scheduler.now - this.reboot.epochFrom) / 1000))
  }

  /** The router or the modem gives "port unreachable" for a datagram to this address. */
  isProbed(one: Address): boolean {
    if (!this.plan.probe || this.isRebooting() || this.isOnBackup) return false
    const way = this.#wayInUse
    // The server of a VPN answers as a router does.
    if (way !== undefined && !way.isHome) return way.facts.isCarried === true && this.#lineEgress() === one
    return this.#lineEgress() === one
  }

  /** The router replies to a ping to this address. */
  isPinged(one: string): boolean {
    return this.plan.pings === true && this.isProbed(one as Address)
  }

  /** A change of the line, the router or the VPN follows. */
  onTouched(listener: () => void): Closable {
    this.#touches.add(listener)
    return { close: () => void this.#touches.delete(listener) }
  }

  interfaces(): readonly InterfaceAddress[] {
    const tunnel = { ...HOST_ADDRESS, interface: TUNNEL.interface, address: TUNNEL.local }
    const translator = {
      ...HOST_ADDRESS,
      interface: TRANSLATOR.interface,
      address: TRANSLATOR.local,
    }
    if (this.plan.lacksIpv4 === 'route') return this.ipv6.interfaces()
    return [
      ...(this.plan.isTranslated
        ? [translator]
        : this.plan.dials === true
          ? this.#dialled()
          : this.isOnBackup || this.#way?.isUnplugged === true
            ? []
            : [HOST_ADDRESS]),
      ...(this.#way?.interfaces(HOST_ADDRESS) ?? []),
      ...(this.plan.backup ? [{ ...HOST_ADDRESS, interface: BACKUP.interface, address: BACKUP.local }] : []),
      ...this.ipv6.interfaces(),
      ...(this.#hasTunnelAddress ? [{ ...tunnel, prefixLength: 32 }] : []),
    ]
  }

  /** Of a host that dials: the interface is there while the line is up. */
  #dialled(): readonly InterfaceAddress[] {
    const own = this.#own()
    return own === undefined ? [] : [{ ...HOST_ADDRESS, interface: DIALLED, address: own, prefixLength: 32 }]
  }

  isTunnel(name: string): boolean {
    return name === TUNNEL.interface || (this.#way?.isTunnel === true && name === this.#way.facts.interface)
  }

  neighbours(family: Family): readonly Neighbour[] {
    if (family === 'v6') return this.ipv6.neighbours()
    if (this.plan.lacksIpv4 === 'route' || this.plan.isTranslated) return []
    const router = { address: GATEWAY.address, interface: GATEWAY.interface }
    const isLost = this.#way?.isNeighbourLost === true
    const second = { address: BACKUP.gateway, interface: BACKUP.interface, mac: '02:00:00:00:00:02' }
    return [
      ...(this.isOnBackup || this.plan.dials === true || this.#way?.isUnplugged === true
        ? []
        : [{ ...router, ...(!isLost && { mac: '02:00:00:00:00:01' }) }]),
      ...(this.plan.backup ? [second] : []),
      ...(this.#way?.neighbours() ?? []),
    ]
  }

  /** By ping(8), through an interface. */
  doesReply(through: string, to: Address, isNear: boolean): boolean {
    const way = this.#way
    if (!isNear) return this.plan.dropsPings !== true && this.#reaches(through)
    if (way !== undefined && to === way.facts.gateway && through === way.facts.interface && !way.isHome)
      return way.plan.way === 'ipsec' ? this.#repliesInside : way.plan.replies && way.hasAddress
    if (!this.neighbours('v4').some((one) => one.interface === through && one.address === to)) return false
    return to === GATEWAY.address ? this.#repliesInside : true
  }

  get #repliesInside(): boolean {
    return this.plan.isSilentInside !== true && this.#isRouterNear && !this.isRebooting()
  }

  /** The gateway of this network answers a datagram to a closed port. */
  isGatewayProbed(one: Address): boolean {
    return one === GATEWAY.address && !this.isOnBackup && this.#repliesInside
  }

  /** What leaves by this interface arrives outside. */
  #reaches(through: string): boolean {
    const isRouted = this.routes('v4').some((one) => one.interface === through && one.length <= 1)
    if (!isRouted) return false
    const own = this.plan.dials === true ? DIALLED : GATEWAY.interface
    if (through === own && this.#wayInUse?.facts.interface !== through)
      return !this.isOnBackup && this.#homeEgress() !== undefined
    return this.outboundRoute()?.interface === through && this.#lineEgress() !== undefined
  }

  /** The word of another router of this network. */
  wordOf(one: Address): Address | undefined {
    const way = this.#wayInUse
    const doesAnswer = way?.plan.way === 'router' && way.facts.gateway === one
    const { router } = this.plan
    return doesAnswer && (router === 'announces' || router === 'answers') ? way.facts.exit : undefined
  }

  routes(family: Family): readonly KernelRoute[] {
    if (family === 'v6') return this.ipv6.routes()
    const isDialled = this.plan.dials === true
    const first = isDialled
      ? { interface: DIALLED, metric: 100 }
      : { interface: GATEWAY.interface, gateway: GATEWAY.address, metric: 100 }
    const second = { interface: BACKUP.interface, gateway: BACKUP.gateway, metric: 200 }
    const way = this.#wayInUse
    const { interface: name = '', gateway } = way?.facts ?? {}
    const own = way === undefined ? first : { interface: name, metric: 100, ...(gateway && { gateway }) }
    const home = this.isOnBackup ? second : own
    if (this.plan.lacksIpv4 === 'route') return []
    const overTranslator = { interface: TRANSLATOR.interface, metric: 100, destination: ANYWHERE, length: 0 }
    if (this.plan.isTranslated)
      return [
        overTranslator,
        ...(this.#isRouteTunnel ? [{ ...overTranslator, interface: TUNNEL.interface, metric: 0 }] : []),
      ]
    const wide = { ...first, destination: ANYWHERE, length: 0 }
    return [
      ...(this.isOnBackup || (isDialled && this.#own() === undefined)
        ? []
        : (this.#way?.routes(wide) ?? [wide])),
      ...(this.plan.backup ? [{ ...second, destination: ANYWHERE, length: 0 }] : []),
      ...(this.#isRouteTunnel
        ? [
            { interface: TUNNEL.interface, destination: ANYWHERE, length: 0, metric: 0 },
            { ...home, destination: VPN_SERVER, length: 32 },
          ]
        : []),
    ]
  }

  outboundRoute(): OutboundRoute | undefined {
    if (this.plan.lacksIpv4 === 'route') return undefined
    if (!this.#isRouteTunnel && this.plan.isTranslated)
      return { address: TRANSLATOR.local, interface: TRANSLATOR.interface }
    if (!this.#isRouteTunnel && this.isOnBackup)
      return { address: BACKUP.local, interface: BACKUP.interface, gateway: BACKUP.gateway }
    if (!this.#isRouteTunnel && this.plan.dials === true)
      return this.#dialled().map(({ address: local, interface: name }) => ({
        address: local,
        interface: name,
      }))[0]
    const way = this.#wayInUse
    if (!this.#isRouteTunnel && way !== undefined) {
      const { interface: name, local, gateway } = way.facts
      return way.hasAddress ? { address: local, interface: name, ...(gateway && { gateway }) } : undefined
    }
    // By the second line, where it has a route.
    if (!this.#isRouteTunnel && this.#way?.isUnplugged === true)
      return this.plan.backup
        ? { address: BACKUP.local, interface: BACKUP.interface, gateway: BACKUP.gateway }
        : undefined
    if (!this.#isRouteTunnel)
      return { address: GATEWAY.local, interface: GATEWAY.interface, gateway: GATEWAY.address }
    return this.#hasTunnelAddress ? { address: TUNNEL.local, interface: TUNNEL.interface } : undefined
  }

  onKernel(listener: () => void): Closable {
    this.#kernel.add(listener)
    return { close: () => void this.#kernel.delete(listener) }
  }

  onAnnouncement(listener: AnnouncementListener): Closable {
    this.#announcements.add(listener)
    return { close: () => void this.#announcements.delete(listener) }
  }

  get #isRouteTunnel(): boolean {
    return this.#hasTunnelRoute && !this.#takesDatagrams
  }

  #setTunnel({ address: has, route }: { readonly address?: boolean; readonly route?: boolean }): void {
    this.#hasTunnelAddress = has ?? this.#hasTunnelAddress
    this.#hasTunnelRoute = route ?? this.#hasTunnelRoute
    this.#mark(`tunnel address ${this.#hasTunnelAddress} route ${this.#hasTunnelRoute}`)
    this.#tellKernel()
  }

  #tellKernel(): void {
    for (const listener of this.#kernel) this.#later(between(this.#draw, 0.1, 20), listener)
  }

  #current(): Lease | undefined {
    const lease = this.isOnBackup ? this.#backups.at(-1) : this.#leases.at(-1)
    return lease?.to === Infinity ? lease : undefined
  }

  /** The address of the first line, in use or not. */
  #own(): Address | undefined {
    const lease = this.#leases.at(-1)
    return lease?.to === Infinity ? lease.address : undefined
  }

  #statedByRouter(): Address | undefined {
    const { staleUntil, stale } = this.reboot
    return this.#scheduler.now < staleUntil ? stale : this.#own()
  }

  #drop(): void {
    const lease = this.#leases.at(-1)
    const hadAddress = lease !== undefined && lease.to === Infinity
    if (hadAddress) lease.to = this.#scheduler.now
    this.#mark('no address')
    if (this.plan.dials !== true || !hadAddress) return
    const one = backupAddress(this.#backups.length + 1)
    if (this.plan.backup) this.#backups.push({ address: one, from: this.#scheduler.now, to: Infinity })
    this.#tellKernel()
  }

  #lease(one: Address): void {
    if (this.#outages > 0 || this.#own() !== undefined) return
    if (this.plan.dials === true && this.isOnBackup)
      Object.assign(this.#backups.at(-1) ?? {}, { to: this.#scheduler.now })
    if (this.plan.dials === true) this.#tellKernel()
    this.#leases.push({ address: one, from: this.#scheduler.now, to: Infinity })
    this.#mark(`address ${one}`)
    if ((this.plan.renumbers && !this.isOnBackup) || this.#leases.length === 1) this.ipv6.renumber()
    for (const tell of this.isOnBackup ? [] : this.#upnp) this.#later(between(this.#draw, 5, 200), tell)
    if (this.plan.router === 'announces')
      for (const span of [0, 250, 750, 1750]) this.#later(span, () => this.announce())
  }

  #mark(line: string): void {
    this.touched = this.#scheduler.now
    this.#scheduler.note(`home ${line}`)
    for (const tell of this.#touches) tell()
  }

  #later(span: number, work: () => void): void {
    this.#scheduler.after(span, this.#scheduler.world, work)
  }
}
