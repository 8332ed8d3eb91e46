import { type Address, familyOf } from '../../shared/base/address.ts'
import type { InterfaceAddress, Interfaces } from '../../shared/ports/interfaces.ts'
import type { FindGateway, Gateway, KernelRoute, ReadRoutes } from '../../shared/ports/network.ts'

interface RoutePorts {
  readonly routes: ReadRoutes
  readonly interfaces: Interfaces
}

/** The default gateway with the lowest metric. */
export const defaultGateway =
  ({ routes, interfaces }: RoutePorts): FindGateway =>
  async (interfaceName) =>
    gatewayIn(await routes(), await interfaces(), interfaceName)

/**
 * Finds the home router behind a full-tunnel VPN that replaces the default route: the last gateway that is not of a
 * tunnel, as long as this host still has its address on that interface; otherwise the next default gateway that is not of a
 * tunnel, or the gateway of a host route, as VPNs add for their server.
 */
export function homeGateway({ routes, interfaces }: RoutePorts): FindGateway {
  let home: Gateway | undefined
  return async (interfaceName) => {
    const [table, all] = [await routes(), await interfaces()]
    const current = gatewayIn(table, all, interfaceName)
    if (current !== undefined && !isTunnelIn(all, current.interface)) return (home = current)
    if (home !== undefined && home.interface !== current?.interface && isReachable(home, all)) return home
    const other = gatewayIn(
      table.filter((route) => !isTunnelIn(all, route.interface)),
      all,
      interfaceName,
    )
    const hidden = interfaceName === undefined ? hostRouteGateway(table, all) : undefined
    home = other ?? hidden ?? current
    return home
  }
}

function gatewayIn(
  routes: readonly KernelRoute[],
  all: readonly InterfaceAddress[],
  only: string | undefined,
): Gateway | undefined {
  const [best] = routes
    .filter(
      ({ interface: name, length, gateway }) =>
        length === 0 && gateway !== undefined && (only === undefined || name === only),
    )
    .toSorted((a, b) => a.metric - b.metric)
  return gatewayOf(best, all)
}

/** The gateway of the first route to a single host over an interface that is not a tunnel. */
function hostRouteGateway(
  routes: readonly KernelRoute[],
  all: readonly InterfaceAddress[],
): Gateway | undefined {
  const others = routes.filter(({ length, interface: name }) => length === 32 && !isTunnelIn(all, name))
  return others.flatMap((route) => gatewayOf(route, all) ?? [])[0]
}

function gatewayOf(route: KernelRoute | undefined, all: readonly InterfaceAddress[]): Gateway | undefined {
  const local = route === undefined ? undefined : localOn(route.interface, all)
  return route?.gateway === undefined || local === undefined
    ? undefined
    : { address: route.gateway, interface: route.interface, local }
}

/** The first IPv4 address of an interface. */
const localOn = (name: string, all: readonly InterfaceAddress[]): Address | undefined =>
  all.find((one) => one.interface === name && familyOf(one.address) === 'v4')?.address

const isReachable = ({ interface: name, local }: Gateway, all: readonly InterfaceAddress[]): boolean =>
  all.some((one) => one.interface === name && one.address === local)

const isTunnelIn = (all: readonly InterfaceAddress[], name: string): boolean =>
  all.some((one) => one.interface === name && one.isTunnel)
