import type { Interfaces } from '../../ports/interfaces.ts'
import type { FindOutboundRoute } from '../../ports/network.ts'
import type { AddressSource } from '../sources/source.ts'

interface RouteOfHost {
  readonly outboundRoute: FindOutboundRoute
  /** All those of the host. */
  readonly interfaces: Interfaces
}

/**
 * The source, whose answer counts only if the question left by the route of this host: a VPN may take single ports or hosts
 * by a rule, and a route may have changed since the question (decision 0052).
 */
export const onOwnRoute = (source: AddressSource, ports: RouteOfHost): AddressSource => ({
  ...source,
  look: async (family, signal) => {
    const sighting = await source.look(family, signal)
    if (sighting.kind !== 'seen' || sighting.local === undefined) return sighting
    const { local, ...seen } = sighting
    const [route, all] = await Promise.all([ports.outboundRoute(family), ports.interfaces()])
    if (route === undefined || route.address === local) return seen
    const own = all.find(({ address }) => address === local)
    if (own?.interface === route.interface) return seen
    if (own === undefined)
      return { kind: 'unknown', because: `was asked from ${local}, which this host lost` }
    return {
      kind: 'unknown',
      because: `was asked through ${own.interface}, and the route of this host is ${route.interface}`,
      ...(own.isTunnel && { through: own.interface }),
    }
  },
})
