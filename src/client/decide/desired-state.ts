import type { Duration } from '../../shared/base/time.ts'
import type { Family } from '../../shared/base/address.ts'
import type { RequestForm } from '../../shared/protocol/request-form.ts'
import type { ServiceNouns } from '../../shared/protocol/reply.ts'
import type { Fingerprints } from './lift.ts'

/** The configuration of one account, as far as decisions depend on it. */
export interface DesiredState {
  /** The account key: server and username. */
  readonly account: string
  /** The key that it has without its name, where the service takes no username: its state is there before it gets one. */
  readonly namelessKey?: string
  /** The configured name. */
  readonly name?: string
  readonly hostnames: readonly string[]
  readonly families: readonly Family[]
  /** The service takes the address of the connection (`myip = "connection"`). */
  readonly reliesOnConnection: boolean
  readonly isOffline: boolean
  readonly nohostStops: 'account' | 'hostname'
  /** Zero: never. */
  readonly refreshAfter: Duration
  /** The number of service endpoints, which are tried in turn. */
  readonly endpointCount: number
  readonly form: RequestForm
  /** The maximum number of hostnames in one request; without it, see `batch.ts`. */
  readonly batch?: number
  /** The maximum number of requests in five minutes. */
  readonly pace: number
  readonly fingerprints: Fingerprints
  /** What things are called at the service; without it, as in the specification. */
  readonly nouns?: ServiceNouns
  /** What the user may do if the service is not reached. */
  readonly ifUnreached?: string
}
