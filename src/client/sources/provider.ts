import type { Family } from '../../shared/net/address.ts'
import type { Sighting } from '../../shared/net/sighting.ts'

/** Reports the public address of this host. Never throws; a failure is a Sighting of kind `unknown`. */
export interface AddressProvider {
  readonly name: string
  look(family: Family, signal: AbortSignal): Promise<Sighting>
}
