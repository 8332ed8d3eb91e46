import type { Family } from '../../net/address.ts'
import type { Sighting } from '../../net/sighting.ts'

/** A way of learning our own public address. Never throws; a failure is a Sighting like any other. */
export interface AddressProvider {
  readonly name: string
  look(family: Family, signal: AbortSignal): Promise<Sighting>
}
