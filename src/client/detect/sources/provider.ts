import type { Family } from '../../../shared/base/address.ts'
import type { Sighting } from '../../../shared/base/sighting.ts'

/** Reports the public address of this host. Never throws; a failure is a Sighting of kind `unknown`. */
export interface AddressProvider {
  readonly name: string
  look(family: Family, signal: AbortSignal): Promise<Sighting>
}
