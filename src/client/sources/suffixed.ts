import { type Prefix, withHostPart } from '../../net/prefix.ts'
import type { AddressProvider } from './provider.ts'

/** Another machine of this network: our IPv6 prefix with its own host part. IPv4 is shared, and as it is. */
export const suffixed = (source: AddressProvider, { address, length }: Prefix): AddressProvider => ({
  name: `${source.name} with ${address}/${length}`,
  async look(family, signal) {
    const seen = await source.look(family, signal)
    return family === 'v6' && seen.kind === 'seen'
      ? { ...seen, address: withHostPart(seen.address, length, address) }
      : seen
  },
})
