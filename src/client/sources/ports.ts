import type { Address, Family } from '../../net/address.ts'
import type { RangeClass } from '../../net/special.ts'
import type { AskByDatagram } from '../../ports/datagram.ts'
import type { Http } from '../../ports/http.ts'
import type { Interfaces } from '../../ports/interfaces.ts'
import type { FindGateway, FindOutboundRoute, Resolve, RunProgram } from '../../ports/network.ts'
import type { AskByStream } from '../../ports/stream.ts'

/** What the sources ask of the world. */
export interface SourcePorts {
  readonly http: Http
  readonly interfaces: Interfaces
  readonly datagram: AskByDatagram
  readonly stream: AskByStream
  readonly resolve: Resolve
  /** What was asked at this name did not answer: it is looked up again before it is asked again. */
  readonly forget: (host: string, family: Family) => void
  readonly gateway: FindGateway
  readonly outboundRoute: FindOutboundRoute
  readonly program: RunProgram
}

/** How every source asks. */
export interface QueryOptions {
  readonly userAgent: string
  readonly allowed: readonly RangeClass[]
  /** The local address to ask from, where the user bound this to one of several ways out. */
  readonly from?: (family: Family) => Promise<Address | undefined>
}
