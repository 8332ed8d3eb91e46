import { type Prefix, withHostPart } from '../../../shared/base/prefix.ts'
import type { AddressProvider } from './provider.ts'

/** The address of another machine in this network: the IPv6 prefix of this host with that host part. IPv4 is shared. */
export const suffixed = (provider: AddressProvider, { address, length }: Prefix): AddressProvider => ({
  name: `${provider.name} with ${address}/${length}`,
  async look(family, signal) {
    const sighting = await provider.look(family, signal)
    return family === 'v6' && sighting.kind === 'seen'
      ? { ...sighting, address: withHostPart(sighting.address, length, address) }
      : sighting
  },
})
