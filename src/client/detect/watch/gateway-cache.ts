import type { Channel } from '../../../shared/ports/datagram.ts'
import type { Gateway } from '../../../shared/ports/network.ts'
import { ROUTER_PORT } from '../sources/nat-pmp.ts'
import type { WatchPorts } from './watcher.ts'

const REFRESH_AFTER = 30

/** For a watcher that asks the router each second: reads the gateway once in 30 uses, and reuses one socket. */
export class GatewayCache {
  readonly #ports: Pick<WatchPorts, 'gateway' | 'openChannel'>
  #uses = 0
  #gateway: Gateway | undefined
  #channel: Channel | undefined

  constructor(ports: Pick<WatchPorts, 'gateway' | 'openChannel'>) {
    this.#ports = ports
  }

  async find(): Promise<Gateway | undefined> {
    if (this.#uses++ % REFRESH_AFTER === 0) {
      const gateway = await this.#ports.gateway()
      // Users compare it by identity.
      if (JSON.stringify(gateway) !== JSON.stringify(this.#gateway)) {
        this.invalidate()
        this.#gateway = gateway
      }
      this.#uses = 1
    }
    return this.#gateway
  }

  channelTo({ address }: Gateway): Channel {
    this.#channel ??= this.#ports.openChannel(address, ROUTER_PORT)
    return this.#channel
  }

  invalidate(): void {
    this.#channel?.close()
    this.#channel = undefined
    this.#gateway = undefined
    this.#uses = 0
  }
}
