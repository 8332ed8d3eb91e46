import { milliseconds } from '../../../shared/base/time.ts'
import { type Address, bitsOf, FAMILIES, type Family, familyOf } from '../../../shared/base/address.ts'
import { isWithin, type Prefix, withHostPart } from '../../../shared/base/prefix.ts'
import type { Sighting } from '../../../shared/base/sighting.ts'
import { isTranslated } from '../../../shared/base/nat.ts'
import { isGlobal, specialRangeOf } from '../../../shared/base/special.ts'
import type { InterfaceAddress } from '../../../shared/ports/interfaces.ts'
import type { QueryOptions, SourcePorts } from './ports.ts'
import type { AddressSource } from './source.ts'
import { unknown } from './validate.ts'

/** Which of several IPv6 addresses to publish. */
export interface Ipv6Policy {
  /** RFC 8981: temporary addresses are for outgoing connections and last about a day. `any` prefers a stable one. */
  readonly kind: 'stable' | 'temporary' | 'any'
  readonly within?: Prefix
  /** The required host part. */
  readonly suffix?: Prefix
}

const STABLE: Ipv6Policy = { kind: 'stable' }

type LocalPorts = Pick<SourcePorts, 'interfaces' | 'lineInterfaces' | 'outboundRoute'>
type LocalOptions = Pick<QueryOptions, 'allowed'> & { readonly ipv6?: Ipv6Policy }

/** The public addresses of all interfaces of this host, or of one interface. */
export function localSource(
  ports: LocalPorts,
  only: string | undefined,
  options: LocalOptions,
): AddressSource {
  const name = only === undefined ? 'interfaces' : `interface:${only}`
  let previous: Partial<Record<Family, InterfaceAddress>> = {}
  return {
    name,
    operator: 'this host',
    vantage: 'own',
    families: FAMILIES,
    cooldown: milliseconds(0),
    async look(family) {
      try {
        const selected =
          only === undefined
            ? await (ports.lineInterfaces ?? ports.interfaces)()
            : (await ports.interfaces()).filter((one) => one.interface === only)
        if (only !== undefined && selected.length === 0) return unknown(`there is no interface ${only}`)
        const before = previous[family]
        const candidates = await candidatesOf(selected, { family, ports, options, before })
        const [first] = candidates
        if (first === undefined) return noAddress(family, ports)
        const isSubstitute =
          before !== undefined &&
          before.interface !== first.interface &&
          !(await leavesThrough(first, family, ports))
        if (!isSubstitute) previous = { ...previous, [family]: first }
        return sightingOf([first, ...candidates.slice(1)], { by: name, isSubstitute })
      } catch (error) {
        return unknown(`the interfaces could not be read: ${String(error)}`)
      }
    },
  }
}

/** With the address of the route where that shows how IPv4 is shared or translated, and not only a network of its own. */
async function noAddress(family: Family, { outboundRoute }: LocalPorts): Promise<Sighting> {
  const { address } = (family === 'v4' && (await outboundRoute(family))) || {}
  const isShared = address !== undefined && (isTranslated(address) || specialRangeOf(address) === 'cgnat')
  return isShared ? { kind: 'none', instead: address } : { kind: 'none' }
}

interface LocalLook {
  readonly family: Family
  readonly ports: LocalPorts
  readonly options: LocalOptions
  readonly before: InterfaceAddress | undefined
}

/** The addresses that may be published, best first. */
async function candidatesOf(
  all: readonly InterfaceAddress[],
  { family, ports, options: { allowed, ipv6 = STABLE }, before }: LocalLook,
): Promise<readonly InterfaceAddress[]> {
  const usable = all.filter(
    (one) => familyOf(one.address) === family && !one.isUnusable && isGlobal(one.address, allowed),
  )
  const route = usable.length > 1 ? await ports.outboundRoute(family) : undefined
  const matching = family === 'v4' ? usable : byPolicy(usable, ipv6)
  return ranked(matching, { previous: before?.address, outbound: route?.address })
}

function sightingOf(
  [first, ...others]: readonly [InterfaceAddress, ...InterfaceAddress[]],
  { by, isSubstitute }: { readonly by: string; readonly isSubstitute: boolean },
): Sighting {
  return {
    kind: 'seen',
    address: first.address,
    by,
    ...(others.length > 0 && { others: others.map(({ address }) => address) }),
    ...(isSubstitute && { isSubstitute: true }),
  }
}

/**
 * Whether packets from this address leave through its own interface. Where the route of the address is not known, whether
 * there is a default route at all.
 */
async function leavesThrough(
  { address, interface: name }: InterfaceAddress,
  family: Family,
  { outboundRoute }: Pick<LocalPorts, 'outboundRoute'>,
): Promise<boolean> {
  const route = await outboundRoute(family, address)
  return route === undefined ? (await outboundRoute(family)) !== undefined : route.interface === name
}

interface Preference {
  /** The result of the previous look. */
  readonly previous: Address | undefined
  /** The source address that the kernel selects for the default route. */
  readonly outbound: Address | undefined
}

/**
 * Best first: addresses in the network that the kernel sends from, then permanent ones, then those from DHCPv6, then others.
 * Ties go to the previous result, then to the lowest address, so that the choice is stable.
 */
function ranked(
  candidates: readonly InterfaceAddress[],
  { previous, outbound }: Preference,
): readonly InterfaceAddress[] {
  const isOutbound = (address: Address): boolean =>
    outbound !== undefined &&
    (familyOf(address) === 'v4'
      ? address === outbound
      : isWithin(address, { address: subnetOf(outbound), length: 64 }))
  const rank = ({ address, isPermanent, prefixLength }: InterfaceAddress): number =>
    (isOutbound(address) ? 0 : 4) + (isPermanent ? 0 : prefixLength === 128 ? 1 : 2)
  return candidates.toSorted(
    (a, b) =>
      rank(a) - rank(b) ||
      Number(b.address === previous) - Number(a.address === previous) ||
      (bitsOf(a.address) < bitsOf(b.address) ? -1 : 1),
  )
}

const subnetOf = (address: Address): Address => withHostPart(address, 64, '::' as Address)

function byPolicy(
  candidates: readonly InterfaceAddress[],
  { kind, within, suffix }: Ipv6Policy,
): readonly InterfaceAddress[] {
  const matching = candidates.filter(
    ({ address }) =>
      (within === undefined || isWithin(address, within)) &&
      (suffix === undefined || withHostPart(address, suffix.length, suffix.address) === address),
  )
  const stable = matching.filter(({ isTemporary }) => !isTemporary)
  if (kind === 'stable') return stable
  if (kind === 'temporary') return matching.filter(({ isTemporary }) => isTemporary)
  return stable.length > 0 ? stable : matching
}
