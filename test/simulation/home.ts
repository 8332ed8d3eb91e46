import { type Address, type Family, familyOf } from '../../src/shared/base/address.ts'
import type { SentPacket } from '../../src/shared/base/sighting.ts'
import type { InterfaceAddress } from '../../src/shared/ports/interfaces.ts'
import type {
  Closable,
  Gateway,
  KernelRoute,
  Neighbour,
  OutboundRoute,
} from '../../src/shared/ports/network.ts'
import { address } from '../fakes/address.ts'
import { ROUTER_PORT } from '../../src/client/detect/sources/nat-pmp.ts'
import type { HomePlan, VpnEvent } from './draw.ts'
import { HomeIpv6 } from './home-ipv6.ts'
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
    const own = this.#current()?.address
    if (own === undefined || this.isRebooting()) return undefined
    if (family === 'v6') return this.ipv6.egress()
    if (this.plan.lacksIpv4 !== undefined) return undefined
    if (!(isDatagram ? this.#hasTunnelRoute : this.#isRouteTunnel)) return own
    return this.#hasTunnelAddress ? VPN_EXIT : undefined
  }

  /** By all rules. */
  packetRoute(
    packet: SentPacket | Pick<SentPacket, 'local'> | { readonly family: Family },
  ): OutboundRoute | undefined {
    if ('family' in packet) return packet.family === 'v4' ? this.outboundRoute() : this.ipv6.outboundRoute()
    if (familyOf(packet.local) === 'v6') return this.ipv6.outboundRoute()
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
    return this.vpn === 'up' || this.#vpnDownAt > moment
  }

  /** Whether the line had this address within the last milliseconds. */
  hadWithin(one: string, span: number): boolean {
    return (
      this.ipv6.hadWithin(one, span) ||
      [...this.#leases, ...this.#backups].some(
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
    if (this.isOnBackup || !this.plan.backup) return
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
    if (this.vpn === 'up' || this.plan.lacksIpv4 !== undefined) return
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
    if (this.isOnBackup || this.plan.isTranslated) return
    const own = said === undefined || said === 'refused' ? undefined : said.address
    const stated = forged ?? own
    const bytes = pmpAnswer(stated === undefined ? 3 : 0, this.routerEpoch(), stated)
    for (const listener of this.#announcements) listener(bytes, GATEWAY.address, ROUTER_PORT)
  }

  /** The result code of NAT-PMP and the address that the router states; undefined: it does not answer. */
  routerAnswer(): { readonly code: number; readonly address?: Address } | 'refused' | undefined {
    const { router } = this.plan
    if (this.isRebooting() || this.isOnBackup || router === 'mute' || router === 'upnp') return undefined
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
    return this.plan.probe && !this.isRebooting() && !this.isOnBackup && this.address === one
  }

  /** The router replies to a ping to this address. */
  isPinged(one: string): boolean {
    return this.plan.pings === true && this.address === one && this.isProbed(this.address)
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
      ...(this.plan.isTranslated ? [translator] : this.isOnBackup ? [] : [HOST_ADDRESS]),
      ...(this.plan.backup ? [{ ...HOST_ADDRESS, interface: BACKUP.interface, address: BACKUP.local }] : []),
      ...this.ipv6.interfaces(),
      ...(this.#hasTunnelAddress ? [{ ...tunnel, prefixLength: 32 }] : []),
    ]
  }

  isTunnel(name: string): boolean {
    return name === TUNNEL.interface
  }

  neighbours(): readonly Neighbour[] {
    if (this.plan.lacksIpv4 === 'route' || this.plan.isTranslated) return []
    const router = { address: GATEWAY.address, interface: GATEWAY.interface, mac: '02:00:00:00:00:01' }
    const second = { address: BACKUP.gateway, interface: BACKUP.interface, mac: '02:00:00:00:00:02' }
    return [...(this.isOnBackup ? [] : [router]), ...(this.plan.backup ? [second] : [])]
  }

  /** By ping(8), through an interface. */
  doesReply(through: string, to: Address): boolean {
    return this.neighbours().some((one) => one.interface === through && one.address === to)
  }

  routes(family: Family): readonly KernelRoute[] {
    if (family === 'v6') return this.ipv6.routes()
    const first = { interface: GATEWAY.interface, gateway: GATEWAY.address, metric: 100 }
    const second = { interface: BACKUP.interface, gateway: BACKUP.gateway, metric: 200 }
    const home = this.isOnBackup ? second : first
    if (this.plan.lacksIpv4 === 'route') return []
    const overTranslator = { interface: TRANSLATOR.interface, metric: 100, destination: ANYWHERE, length: 0 }
    if (this.plan.isTranslated)
      return [
        overTranslator,
        ...(this.#isRouteTunnel ? [{ ...overTranslator, interface: TUNNEL.interface, metric: 0 }] : []),
      ]
    return [
      ...(this.isOnBackup ? [] : [{ ...first, destination: ANYWHERE, length: 0 }]),
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
    if (lease !== undefined && lease.to === Infinity) lease.to = this.#scheduler.now
    this.#mark('no address')
  }

  #lease(one: Address): void {
    if (this.#outages > 0 || this.#own() !== undefined) return
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
