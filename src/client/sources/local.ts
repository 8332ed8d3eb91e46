import { type Address, familyOf } from '../../net/address.ts'
import { type RangeClass, isGlobal } from '../../net/special.ts'
import type { InterfaceAddress, Interfaces } from '../../ports/interfaces.ts'
import type { AddressSource } from './source.ts'

/** The public addresses of this host's own interfaces; of all of them, or of one. */
export function localSource(
  interfaces: Interfaces,
  only: string | undefined,
  allowed: readonly RangeClass[],
): AddressSource {
  const name = only === undefined ? 'interfaces' : `interface:${only}`
  return {
    name,
    async look(family) {
      try {
        const all = await interfaces()
        const ours = all.filter((one) => only === undefined || one.interface === only)
        if (only !== undefined && ours.length === 0)
          return { kind: 'unknown', because: `there is no interface ${only}` }
        const address = best(
          ours.filter((one) => familyOf(one.address) === family && isGlobal(one.address, allowed)),
        )
        return address === undefined ? { kind: 'none' } : { kind: 'seen', address, by: name }
      } catch (error) {
        return { kind: 'unknown', because: `the system does not tell: ${String(error)}` }
      }
    },
  }
}

/** RFC 8981 §3.1: temporary addresses are for outgoing connections; the lowest of equals, so that the choice is stable. */
const best = (candidates: readonly InterfaceAddress[]): Address | undefined =>
  candidates
    .filter((one) => !one.isTemporary && !one.isUnusable)
    .map((one) => one.address)
    .toSorted()[0]
