import type { Address, Family } from '../../../shared/base/address.ts'
import type { RangeClass } from '../../../shared/base/special.ts'
import type { Entropy } from '../../../shared/ports/clock.ts'
import type { AskByDatagram } from '../../../shared/ports/datagram.ts'
import type { Http } from '../../../shared/ports/http.ts'
import type { Interfaces } from '../../../shared/ports/interfaces.ts'
import type { FindGateway, FindOutboundRoute, Resolve, RunProgram } from '../../../shared/ports/network.ts'
import type { AskByStream } from '../../../shared/ports/stream.ts'

/** The ports that sources use. */
export interface SourcePorts {
  readonly http: Http
  readonly interfaces: Interfaces
  /** Without the addresses of lines that are not published, where those are known. */
  readonly lineInterfaces?: Interfaces
  readonly datagram: AskByDatagram
  readonly stream: AskByStream
  readonly resolve: Resolve
  /** Invalidates the cached addresses of a host that did not answer. */
  readonly forget: (host: string, family: Family) => void
  readonly gateway: FindGateway
  readonly outboundRoute: FindOutboundRoute
  readonly program: RunProgram
  readonly entropy: Entropy
}

/** The local address to send from; undefined: the kernel selects it; `none`: the bound interface has none of the family. */
export type FindSourceAddress = (family: Family) => Promise<Address | 'none' | undefined>

/** Options of every request to a source. */
export interface QueryOptions {
  readonly userAgent: string
  /** Ranges to accept although they are not public. */
  readonly allowed: readonly RangeClass[]
  /** The local address to send from, where the hostname is bound to one of several uplinks. */
  readonly from?: FindSourceAddress
  /** The operator of an outside source; without it, its host. */
  readonly operator?: string
}
