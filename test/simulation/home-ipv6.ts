import type { Address } from '../../src/shared/base/address.ts'
import type { InterfaceAddress } from '../../src/shared/ports/interfaces.ts'
import type { KernelRoute, Neighbour, OutboundRoute } from '../../src/shared/ports/network.ts'
import { address } from '../fakes/address.ts'
import type { Scheduler } from './scheduler.ts'

export const IPV6_KINDS = ['none', 'stable', 'temporary'] as const
/** `temporary`: the host also makes an address of RFC 8981, and prefers it as the source. */
export type Ipv6Kind = (typeof IPV6_KINDS)[number]

/** RFC 4862 §5.4: duplicate address detection, in milliseconds, as Linux does it. */
const DAD = 1500
/** A deprecated address is removed after this time. */
const DEPRECATED = 600_000

interface HostPrefix {
  readonly stable: Address
  readonly temporary: Address
  readonly usableFrom: number
  /** In use until this moment. */
  to: number
}

const ULA = address('fd00::10')
const ROUTER = address('fe80::1')
/** A box of the network that hands out its own prefix. */
const BOX = { router: address('fe80::66'), address: address('2a0f:0:66::10') }

/** The prefix that the line delegates, and the addresses that the host makes of it. */
export class HomeIpv6 {
  readonly #kind: Ipv6Kind
  readonly #interface: string
  readonly #scheduler: Scheduler
  /** The kernel reports a change of its addresses. */
  readonly #onKernel: () => void
  #prefixes: readonly HostPrefix[] = []
  #nth = 0
  #hasCarrier = true
  /** Since when a box advertises its prefix. */
  #advertised: number | undefined

  constructor(kind: Ipv6Kind, name: string, scheduler: Scheduler, onKernel: () => void) {
    this.#kind = kind
    this.#interface = name
    this.#scheduler = scheduler
    this.#onKernel = onKernel
  }

  /** The address to publish: stable, and usable. */
  get address(): Address | undefined {
    return this.#current()?.stable
  }

  /** What an outside server sees. */
  egress(): Address | undefined {
    if (this.#isByBox) return BOX.address
    const current = this.#current()
    return this.#kind === 'temporary' ? current?.temporary : current?.stable
  }

  /** A box of the network begins, or ends, to advertise itself as a router. */
  advertise(isOn: boolean): void {
    this.#advertised = isOn ? this.#scheduler.now : undefined
    this.#onKernel()
    if (isOn) this.#scheduler.after(DAD, this.#scheduler.world, this.#onKernel)
  }

  get #isByBox(): boolean {
    return this.#advertised !== undefined && this.#hasCarrier && this.#scheduler.now >= this.#advertised + DAD
  }

  neighbours(): readonly Neighbour[] {
    const row = (one: Address, mac: string): Neighbour => ({ address: one, interface: this.#interface, mac })
    if (this.#kind === 'none' || !this.#hasCarrier) return []
    return [
      row(ROUTER, '02:00:00:00:00:01'),
      ...(this.#advertised === undefined ? [] : [row(BOX.router, '02:00:00:00:01:66')]),
    ]
  }

  hadWithin(one: string, span: number): boolean {
    return this.#prefixes.some(({ stable, to }) => stable === one && to >= this.#scheduler.now - span)
  }

  /** The line is up with a new prefix: the addresses of the earlier one are deprecated, and the new ones are tentative. */
  renumber(): void {
    if (this.#kind === 'none') return
    this.#end()
    this.#hasCarrier = true
    const { now } = this.#scheduler
    const nth = ++this.#nth
    const net = `2a00:0:${nth.toString(16)}`
    const prefix = {
      stable: address(`${net}::10`),
      temporary: address(`${net}::abcd:1`),
      usableFrom: nth === 1 ? now : now + DAD,
      to: Infinity,
    }
    this.#prefixes = [...this.#prefixes.filter(({ to }) => to > now - DEPRECATED), prefix]
    this.#scheduler.note(`home prefix ${nth}`)
    this.#onKernel()
    this.#scheduler.after(DAD, this.#scheduler.world, this.#onKernel)
  }

  /** The interface has no carrier, until the line is up with a new prefix. */
  unplug(): void {
    this.#end()
    this.#hasCarrier = false
  }

  /** The line is down: nothing arrives, and the addresses stay as they are. */
  interfaces(): readonly InterfaceAddress[] {
    if (this.#kind === 'none' || !this.#hasCarrier) return []
    const { now } = this.#scheduler
    const made = this.#prefixes.flatMap((prefix) => {
      if (prefix.to < now - DEPRECATED) return []
      const isTentative = prefix.usableFrom > now
      const isUnusable = prefix.to <= now || isTentative
      const state = { isUnusable, ...(isTentative && { isTentative }) }
      const stable = this.#with(prefix.stable, state)
      const temporary = this.#with(prefix.temporary, { ...state, isTemporary: true })
      return this.#kind === 'temporary' ? [temporary, stable] : [stable]
    })
    const ofBox = this.#with(BOX.address, { isUnusable: !this.#isByBox })
    return [this.#with(ULA, {}), ...made, ...(this.#advertised === undefined ? [] : [ofBox])]
  }

  outboundRoute(): OutboundRoute | undefined {
    const source = this.egress()
    const gateway = this.#isByBox ? BOX.router : ROUTER
    return source === undefined ? undefined : { address: source, interface: this.#interface, gateway }
  }

  /** Whatever address a packet has. */
  packetRoute(): OutboundRoute | undefined {
    const [best] = this.routes()
    return best && { interface: best.interface, ...(best.gateway && { gateway: best.gateway }) }
  }

  routes(): readonly KernelRoute[] {
    const wide = { interface: this.#interface, destination: address('::'), length: 0, metric: 1024 }
    if (this.#kind === 'none' || !this.#hasCarrier) return []
    // It stays while a new address is checked.
    const current = [{ ...wide, gateway: ROUTER }]
    return this.#isByBox ? [{ ...wide, gateway: BOX.router }, ...current] : current
  }

  #with(one: Address, facts: Partial<InterfaceAddress>): InterfaceAddress {
    return {
      interface: this.#interface,
      address: one,
      isTemporary: false,
      isUnusable: false,
      isPermanent: false,
      prefixLength: 64,
      ...facts,
    }
  }

  #current(): HostPrefix | undefined {
    const last = this.#prefixes.at(-1)
    return last !== undefined && last.to === Infinity && last.usableFrom <= this.#scheduler.now
      ? last
      : undefined
  }

  #end(): void {
    const last = this.#prefixes.at(-1)
    if (last !== undefined) last.to = Math.min(last.to, this.#scheduler.now)
  }
}
