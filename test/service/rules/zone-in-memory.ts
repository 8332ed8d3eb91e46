import { relativeTo } from '../../../src/service/model/dns-name.ts'
import { POINTER_TYPES, targetsOf } from '../../../src/service/model/targets.ts'
import type { Name } from '../../../src/service/model/tree.ts'
import type { WarningReads } from '../../../src/service/rules/warnings.ts'
import { rrsetOf } from '../../../src/service/model/tree.ts'
import { ZONE } from './made.ts'

/** The reads of a zone that has these names. */
export function zoneInMemory(names: readonly Name[]): WarningReads {
  const pointersTo = (to: string) =>
    names.flatMap((name) =>
      POINTER_TYPES.filter((type) =>
        targetsOf(name, type).some((target) => relativeTo(target, ZONE.name) === to),
      ).map((dnsType) => ({ name: name.name, accountId: name.accountId, dnsType })),
    )
  const isNeeded = ({ name, rrsets }: Name): boolean =>
    rrsets.every(({ dnsType }) => dnsType === 'A' || dnsType === 'AAAA') &&
    pointersTo(name).some(({ dnsType }) => dnsType === 'NS')
  return {
    nameAt: async (name) => Promise.resolve(names.find((one) => one.name === name)),
    pointersTo: async (name) => Promise.resolve(pointersTo(name)),
    innerZone: async () => undefined,
    delegationAbove: async (name) =>
      Promise.resolve(
        names.find((one) => rrsetOf(one, 'NS') !== undefined && name.endsWith(`.${one.name}`))?.name,
      ),
    hiddenBeneath: async (name) =>
      Promise.resolve(
        names.find((one) => one.name.endsWith(`.${name}`) && one.rrsets.length > 0 && !isNeeded(one))?.name,
      ),
  }
}
