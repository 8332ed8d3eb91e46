import type { Clock } from '../../ports/clock.ts'
import type { AskByDatagram } from '../../ports/datagram.ts'
import type { FindAddresses, FindNameServers } from '../../ports/network.ts'
import type { AskByStream } from '../../ports/stream.ts'

/** What verification needs of the network and the system. */
export interface VerifyPorts {
  readonly clock: Clock
  readonly datagram: AskByDatagram
  readonly stream: AskByStream
  readonly addresses: FindAddresses
  readonly nameServers: FindNameServers
}

/** What every question needs. */
export interface VerifyContext {
  readonly ports: VerifyPorts
  /** Ends all questions. */
  readonly signal: AbortSignal
}
