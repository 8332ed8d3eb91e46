import type { Refusal } from '../model/errors.ts'
import type { Name, ZoneRules } from '../model/tree.ts'
import { type Caller, permissionFaults } from './permission.ts'

const MOVED_RDATA = ['type', 'owner', 'newRdata', 'fixedTtl', 'minTtl'] as const

export type MovedFault =
  | 'typesDisallowed'
  | 'zoneOwnerOnly'
  | 'rdataCreateForbidden'
  | 'ttlFixed'
  | 'ttlTooLow'
const MOVED_FAULTS: ReadonlySet<string> = new Set<MovedFault>([
  'typesDisallowed',
  'zoneOwnerOnly',
  'rdataCreateForbidden',
  'ttlFixed',
  'ttlTooLow',
])

/** Why the records of a name may not be at the new name, by the rules for a name that is created with them. */
export const movedRecordFaults = (
  caller: Caller,
  zone: ZoneRules,
  { name, rrsets }: Pick<Name, 'name' | 'rrsets'>,
): readonly Refusal<MovedFault>[] =>
  rrsets
    .flatMap(({ dnsType, ttl }) =>
      permissionFaults(
        MOVED_RDATA,
        { dnsType, ttl, metadata: {}, rdata: [], pointer: '' },
        { caller, zone, name, existing: undefined, groups: {} },
      ),
    )
    .filter((fault): fault is Refusal<MovedFault> => MOVED_FAULTS.has(fault.refused))
    .map((fault) => ({ ...fault, location: 'body', pointer: '/name' }))
