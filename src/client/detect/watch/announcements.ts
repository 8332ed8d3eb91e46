import { after, type Duration, type Instant, milliseconds } from '../../../shared/base/time.ts'
import type { Address } from '../../../shared/base/address.ts'
import type { Closable, Gateway } from '../../../shared/ports/network.ts'
import { ANNOUNCEMENT_PORT, decodeAddressAnswer, ROUTER_PORT } from '../sources/nat-pmp.ts'
import type { WatcherContext } from './watcher.ts'

/** RFC 6886 §3.2.1: all hosts of the link. */
const ALL_HOSTS = '224.0.0.1' as Address

/** Any host of the link can forge announcements, so the first is handled immediately and the others at this interval. */
const MIN_INTERVAL: Duration = milliseconds(100)

type AnnouncementContext = Pick<WatcherContext, 'ports' | 'clock' | 'signal'>

interface Announcement {
  readonly at: Instant
  /** The public address that it states (NAT-PMP); any host of the link may have sent it. */
  readonly address: Address | undefined
}

/** Listens for announcements on the link of the gateway (NAT-PMP and PCP). Each is a hint, whatever its content. */
export class AnnouncementListener {
  readonly #context: AnnouncementContext
  readonly #notify: () => void
  #gateway: Gateway | undefined
  #sockets: readonly Closable[] = []
  #isPaused = false
  #latest: Announcement | undefined

  constructor(context: AnnouncementContext, notify: () => void) {
    this.#context = context
    this.#notify = notify
  }

  /** The last announcement. */
  get latest(): Announcement | undefined {
    return this.#latest
  }

  /** Moves to the link of another gateway; without one, stops. */
  async listenTo(gateway: Gateway | undefined): Promise<void> {
    // Each second it is mostly the same object.
    if (gateway === this.#gateway || JSON.stringify(gateway) === JSON.stringify(this.#gateway)) return
    this.#gateway = gateway
    for (const socket of this.#sockets) socket.close()
    this.#sockets = gateway === undefined ? [] : await this.#openSockets(gateway)
  }

  /** Routers differ in the port they announce to, so both are open. */
  async #openSockets(gateway: Gateway): Promise<readonly Closable[]> {
    const receive = (bytes: Uint8Array, from: Address, port: number): void => {
      if (from !== gateway.address || port !== ROUTER_PORT) return
      this.#latest = { at: this.#context.clock.now(), address: decodeAddressAnswer(bytes)?.address }
      this.#notifyOrDefer()
    }
    const sockets = await Promise.all(
      [ANNOUNCEMENT_PORT, ROUTER_PORT].map(async (port) =>
        this.#context.ports.listenToGroup({ group: ALL_HOSTS, port, local: gateway.local }, receive),
      ),
    )
    return sockets.flatMap((socket) => socket ?? [])
  }

  #notifyOrDefer(): void {
    if (this.#isPaused) return
    this.#isPaused = true
    this.#notify()
    void this.#endPause(this.#latest)
  }

  async #endPause(notified: Announcement | undefined): Promise<void> {
    const { clock, signal } = this.#context
    await clock.sleep(after(clock.now(), MIN_INTERVAL), signal)
    this.#isPaused = false
    if (!signal.aborted && this.#latest !== notified) this.#notifyOrDefer()
  }
}
