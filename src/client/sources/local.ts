import { milliseconds } from '../../base/time.ts'
import { type Address, FAMILIES, type Family, familyOf } from '../../net/address.ts'
import { type Prefix, isWithin, joined } from '../../net/prefix.ts'
import { isGlobal } from '../../net/special.ts'
import type { InterfaceAddress } from '../../ports/interfaces.ts'
import { unknown } from './judge.ts'
import type { Asking, Ports } from './ports.ts'
import type { Witness } from './witness.ts'

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
  interfaces: Ports['interfaces'],
  only: string | undefined,
  { allowed }: Pick<Asking, 'allowed'>,
  policy: Ipv6Policy = STABLE,
): Witness {
  const name = only === undefined ? 'interfaces' : `interface:${only}`
  let last: Partial<Record<Family, Address>> = {}
  return {
    name,
    operator: 'this host',
    standpoint: 'own',
    families: FAMILIES,
    restsFor: milliseconds(0),
    async look(family) {
      try {
        const all = await interfaces()
        const ours = all.filter((one) => only === undefined || one.interface === only)
        if (only !== undefined && ours.length === 0) return unknown(`there is no interface ${only}`)
        const candidates = ours.filter(
          (one) => familyOf(one.address) === family && !one.isUnusable && isGlobal(one.address, allowed),
        )
        const address = chosen(candidates, family, policy, last[family])
        last = { ...last, ...(address !== undefined && { [family]: address }) }
        return address === undefined ? { kind: 'none' } : { kind: 'seen', address, by: name }
      } catch (error) {
        return unknown(`the system does not tell: ${String(error)}`)
      }
    },
  }
}

/** The same as last time while it is there, else the lowest: among equals the choice must not wander. */
function chosen(
  candidates: readonly InterfaceAddress[],
  family: Family,
  policy: Ipv6Policy,
  last: Address | undefined,
): Address | undefined {
  const fitting = family === 'v4' ? candidates : byPolicy(candidates, policy)
  const addresses = fitting.map(({ address }) => address).toSorted()
  return addresses.find((address) => address === last) ?? addresses[0]
}

function byPolicy(
  candidates: readonly InterfaceAddress[],
  { kind, within, suffix }: Ipv6Policy,
): readonly InterfaceAddress[] {
  const fitting = candidates.filter(
    ({ address }) =>
      (within === undefined || isWithin(address, within)) &&
      (suffix === undefined || joined(address, suffix.length, suffix.address) === address),
  )
  const stable = fitting.filter(({ isTemporary }) => !isTemporary)
  if (kind === 'stable') return stable
  if (kind === 'temporary') return fitting.filter(({ isTemporary }) => isTemporary)
  return stable.length > 0 ? stable : fitting
}
