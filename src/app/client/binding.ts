import type { DetectorOptions as DetectorParts } from '../../client/detect/detector.ts'
import type { Finding } from '../../client/detect/finding.ts'
import type { SourcePorts } from '../../client/sources/ports.ts'
import type { HostSettings } from '../../config/client-settings.ts'
import { type Address, type Family, familyOf } from '../../net/address.ts'
import { systemInterfaces } from '../../platform/interfaces.ts'
import type { InterfaceAddress } from '../../ports/interfaces.ts'
import type { Gateway, OutboundRoute } from '../../ports/network.ts'

/** A way out of this host that hostnames are bound to; without either, the one that the kernel takes. */
export interface Binding {
  readonly interface?: string
  readonly from?: Address
}

export const bindingOf = (host: HostSettings | undefined): Binding => ({
  ...(host?.interface !== undefined && { interface: host.interface }),
  ...(host?.from !== undefined && { from: host.from }),
})

/**
 * Each detector finds the same VPN, which is told once. Who is bound to a line has taken the advice that comes with it; what is
 * missing there is told by `lineOf`.
 */
export function findingFilter(
  tell: (finding: Finding) => void,
): (way: Binding) => (finding: Finding) => void {
  const told = new Set<string>()
  const tellOnce = (finding: Finding): void => {
    const text = JSON.stringify(finding)
    if (finding.kind === 'elsewhere' && told.has(text)) return
    told.add(text)
    tell(finding)
  }
  const tellBound = (finding: Finding): void => {
    if (finding.kind !== 'elsewhere') tell(finding)
  }
  return ({ interface: only, from }) => (only === undefined && from === undefined ? tellOnce : tellBound)
}

/** The local address to ask from: the one that is named, or the first of the interface. */
export function localAddressOf({
  interface: only,
  from,
}: Binding): ((family: Family) => Promise<Address | undefined>) | undefined {
  if (from !== undefined) return async (family) => (familyOf(from) === family ? from : undefined)
  if (only === undefined) return undefined
  return async (family) => {
    const all = await systemInterfaces()
    return all.find(
      (one) =>
        one.interface === only &&
        familyOf(one.address) === family &&
        !one.isUnusable &&
        !one.address.startsWith('fe80:'),
    )?.address
  }
}

/**
 * Whether what is asked outside leaves through another line than the one to publish. Node cannot bind a socket to a device: what
 * is sent from an interface's address goes where the routes say, and only a rule of the host can change that.
 */
export function outsideRouteOf(
  way: Binding,
  ports: Pick<SourcePorts, 'gateway' | 'outboundRoute' | 'interfaces'>,
  tell: (finding: Finding) => void,
): DetectorParts['outboundRoute'] {
  const told = new Set<string>()
  const from = localAddressOf(way)
  return async (family) => {
    if (from === undefined) return unboundThrough(family, ports)
    const address = await from(family)
    const bound = way.interface ?? (await interfaceOf(address))
    const out = address === undefined ? undefined : await ports.outboundRoute(family, address)
    if (out === undefined || bound === undefined || out.interface === bound) return {}
    if (!told.has(out.interface)) tell({ kind: 'leavesElsewhere', interface: bound, through: out.interface })
    told.add(out.interface)
    return { elsewhere: out.interface }
  }
}

const interfaceOf = async (address: Address | undefined): Promise<string | undefined> =>
  (await systemInterfaces()).find((one) => one.address === address)?.interface

/**
 * Over IPv4, another interface than the one to the router, or another gateway; over IPv6, where every network has its own, a
 * tunnel. Where IPv4 leaves through that tunnel too, it is a VPN; an IPv6 tunnel alone may be all the IPv6 there is.
 */
async function unboundThrough(
  family: Family,
  ports: Pick<SourcePorts, 'gateway' | 'outboundRoute'>,
): Promise<Through> {
  const out = await ports.outboundRoute(family)
  if (out === undefined) return {}
  const all = await systemInterfaces()
  if (family === 'v4') return v4Through(out, await ports.gateway(), all)
  if (!all.some(({ interface: name, isTunnel }) => name === out.interface && isTunnel)) return {}
  const v4 = await unboundThrough('v4', ports)
  return { elsewhere: out.interface, ...(v4.elsewhere === out.interface && { isVpn: true }) }
}

type Through = Awaited<ReturnType<NonNullable<DetectorParts['outboundRoute']>>>

function v4Through(out: OutboundRoute, home: Gateway | undefined, all: readonly InterfaceAddress[]): Through {
  if (home === undefined || home.interface === out.interface) {
    // The router cannot be found; a tunnel beside the network of a line is a VPN, and a dial-up or mobile link is the line.
    const isVpn =
      all.some((one) => one.interface === out.interface && one.isTunnel) && !/^(ppp|ww)/.test(out.interface)
    const hasOther = all.some(({ address, isTunnel }) => familyOf(address) === 'v4' && !isTunnel)
    if (isVpn && hasOther) return { elsewhere: out.interface }
  }
  if (home === undefined) return {}
  if (home.interface !== out.interface) return { elsewhere: out.interface }
  const isOther = out.gateway !== undefined && out.gateway !== home.address
  return isOther ? { elsewhere: `${out.gateway} on ${out.interface}` } : {}
}
