import type { Duration } from '../../base/time.ts'
import type { Family } from '../../net/address.ts'
import type { Ipv6Parameter } from '../../protocol/request.ts'
import type { Fingerprints } from './lift.ts'

/** What the user wants of one account, as far as deciding goes. */
export interface DesiredState {
  /** Server and username: credentials of another user are another account. */
  readonly account: string
  /** What the user calls it. */
  readonly name?: string
  readonly hostnames: readonly string[]
  readonly families: readonly Family[]
  /** The user chose to let the service take the address of the connection. */
  readonly reliesOnConnection: boolean
  readonly isOffline: boolean
  readonly nohostStops: 'account' | 'hostname'
  /** Zero switches it off. */
  readonly refreshAfter: Duration
  /** How many addresses of the service there are to try in turn when it is not reached. */
  readonly endpointCount: number
  readonly ipv6Parameter: Ipv6Parameter
  /** The most hostnames of one request; without it, as many as `batch.ts` says. */
  readonly batch?: number
  /** The most requests in five minutes. */
  readonly pace: number
  readonly fingerprints: Fingerprints
}
