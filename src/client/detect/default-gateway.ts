import { familyOf } from '../../shared/base/address.ts'
import type { Interfaces } from '../../shared/ports/interfaces.ts'
import type { FindGateway, ReadRoutes } from '../../shared/ports/network.ts'

interface RoutePorts {
  readonly routes: ReadRoutes
  readonly interfaces: Interfaces
}

/** The IPv4 default gateway with the lowest metric, of one interface or of all. */
export const defaultGateway =
  ({ routes, interfaces }: RoutePorts): FindGateway =>
  async (only) => {
    const [table, all] = [await routes('v4'), await interfaces()]
    const [best] = table
      .filter(
        ({ interface: name, length, gateway }) =>
          length === 0 && gateway !== undefined && (only === undefined || name === only),
      )
      .toSorted((a, b) => a.metric - b.metric)
    const local = all.find((one) => one.interface === best?.interface && familyOf(one.address) === 'v4')
    return best?.gateway === undefined || local === undefined
      ? undefined
      : { address: best.gateway, interface: best.interface, local: local.address }
  }
