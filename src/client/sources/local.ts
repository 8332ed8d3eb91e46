import { milliseconds } from '../../base/time.ts'
import { type Address, bitsOf, FAMILIES, type Family, familyOf } from '../../net/address.ts'
import { isWithin, type Prefix, withHostPart } from '../../net/prefix.ts'
import { isGlobal } from '../../net/special.ts'
import type { InterfaceAddress } from '../../ports/interfaces.ts'
import type { QueryOptions, SourcePorts } from './ports.ts'
import type { AddressSource } from './source.ts'
import { unknown } from './validate.ts'

/** Which of a host's several IPv6 addresses to publish. */
export interface Ipv6Policy {
  /** RFC 8981: temporary ones are for outgoing connections and last a day; `any` takes one where there is no stable one. */
  readonly kind: 'stable' | 'temporary' | 'any'
  readonly within?: Prefix
  /** The host part that the address must have. */
  readonly suffix?: Prefix
}

export const STABLE: Ipv6Policy = { kind: 'stable' }

/** The public addresses of this host's own interfaces; of all of them, or of one. */
export function localSource(
  { interfaces, outboundRoute }: Pick<SourcePorts, 'interfaces' | 'outboundRoute'>,
  only: string | undefined,
  { allowed }: Pick<QueryOptions, 'allowed'>,
  policy: Ipv6Policy = STABLE,
): AddressSource {
  const name = only === undefined ? 'interfaces' : `interface:${only}`
  let last: Partial<Record<Family, InterfaceAddress>> = {}
  return {
    name,
    operator: 'this host',
    vantage: 'own',
    families: FAMILIES,
    cooldown: milliseconds(0),
    async look(family) {
      try {
        const all = await interfaces()
        const ours = all.filter((one) => only === undefined || one.interface === only)
        if (only !== undefined && ours.length === 0) return unknown(`there is no interface ${only}`)
        const usable = ours.filter(
          (one) => familyOf(one.address) === family && !one.isUnusable && isGlobal(one.address, allowed),
        )
        const toward = usable.length > 1 ? await outboundRoute(family) : undefined
        const fitting = family === 'v4' ? usable : byPolicy(usable, policy)
        const [first, ...others] = ranked(fitting, {
          last: last[family]?.address,
          toward: toward?.address,
        })
        if (first === undefined) return { kind: 'none' }
        const before = last[family]
        const isSubstitute =
          before !== undefined &&
          before.interface !== first.interface &&
          !(await leavesBy(first, { family, outboundRoute }))
        if (!isSubstitute) last = { ...last, [family]: first }
        const tunnels = [first, ...others].filter(({ isTunnel }) => isTunnel)
        return {
          kind: 'seen',
          address: first.address,
          by: name,
          ...(others.length > 0 && { others: others.map(({ address }) => address) }),
          ...(tunnels.length > 0 && { tunnels: tunnels.map(({ address }) => address) }),
          ...(isSubstitute && { isSubstitute: true }),
        }
      } catch (error) {
        return unknown(`the system does not tell: ${String(error)}`)
      }
    },
  }
}

/** Whether what is sent from this address leaves through its own interface; where nothing tells, whether there is a way out. */
async function leavesBy(
  { address, interface: name }: InterfaceAddress,
  {
    family,
    outboundRoute,
  }: { readonly family: Family; readonly outboundRoute: SourcePorts['outboundRoute'] },
): Promise<boolean> {
  const out = await outboundRoute(family, address)
  return out === undefined ? (await outboundRoute(family)) !== undefined : out.interface === name
}

interface Known {
  /** The one that was chosen last time. */
  readonly last: Address | undefined
  /** The one that the kernel sends from. */
  readonly toward: Address | undefined
}

/**
 * The best first: of the network that the kernel sends from, then one that is set by hand, then one that DHCPv6 gave, then any;
 * among equals the same as last time while it is there, else the lowest, so that the choice does not wander.
 */
function ranked(
  candidates: readonly InterfaceAddress[],
  { last, toward }: Known,
): readonly InterfaceAddress[] {
  const isToward = (address: Address): boolean =>
    toward !== undefined &&
    (familyOf(address) === 'v4'
      ? address === toward
      : isWithin(address, { address: networkOf(toward), length: 64 }))
  const rank = ({ address, isTunnel, isPermanent, prefixLength }: InterfaceAddress): number =>
    (isToward(address) ? 0 : 8) + (isTunnel ? 4 : 0) + (isPermanent ? 0 : prefixLength === 128 ? 1 : 2)
  return candidates.toSorted(
    (a, b) =>
      rank(a) - rank(b) ||
      Number(b.address === last) - Number(a.address === last) ||
      (bitsOf(a.address) < bitsOf(b.address) ? -1 : 1),
  )
}

const networkOf = (address: Address): Address => withHostPart(address, 64, '::' as Address)

function byPolicy(
  candidates: readonly InterfaceAddress[],
  { kind, within, suffix }: Ipv6Policy,
): readonly InterfaceAddress[] {
  const fitting = candidates.filter(
    ({ address }) =>
      (within === undefined || isWithin(address, within)) &&
      (suffix === undefined || withHostPart(address, suffix.length, suffix.address) === address),
  )
  const stable = fitting.filter(({ isTemporary }) => !isTemporary)
  if (kind === 'stable') return stable
  if (kind === 'temporary') return fitting.filter(({ isTemporary }) => isTemporary)
  return stable.length > 0 ? stable : fitting
}
