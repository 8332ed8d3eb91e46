import { type ErrorName, type Refusal, refuse } from '../model/errors.ts'
import type { Name, ZoneRules } from '../model/tree.ts'
import {
  type Caller,
  canManageName,
  CHANGED_RDATA,
  IN_PATH,
  nameLockFault,
  NEW_RDATA,
  permissionFaults,
  type ZoneFault,
  zoneFault,
  zoneLockFault,
} from './permission.ts'

export type ZoneChangeFault = ZoneFault | 'zoneChangeProhibited'

/** The first reason why the caller may change nothing in a zone. */
export function zoneChangeFault(
  caller: Caller,
  zone: ZoneRules | undefined,
): Refusal<ZoneChangeFault> | undefined {
  return zoneFault(caller, zone) ?? (zone === undefined ? undefined : zoneLockFault(zone))
}

/** The first reason why the caller may not change an existing name. `forbidden` is the refusal without permission. */
export function nameChangeFault<const F extends ErrorName>(
  caller: Caller,
  zone: ZoneRules,
  { name, forbidden }: { readonly name: NameAccess; readonly forbidden: F },
): Refusal<ZoneChangeFault | F | 'nameChangeProhibited'> | undefined {
  const mayManage = canManageName(caller, zone, name) && !caller.isReadOnly
  return (
    zoneChangeFault(caller, zone) ??
    (mayManage ? undefined : refuse(forbidden, undefined, IN_PATH)) ??
    nameLockFault(name)
  )
}

/** What decides who may change a name. */
type NameAccess = Pick<Name, 'accountId' | 'name' | 'isProhibited' | 'isBlocked'>

export type RecordFault =
  | 'typesDisallowed'
  | 'rrsetCreateForbidden'
  | 'rdataCreateForbidden'
  | 'zoneOwnerOnly'

/** The first reason why a value of this type may not be changed, or not be added, at a name that may be changed. */
export function recordFault(
  caller: Caller,
  zone: ZoneRules,
  {
    name,
    dnsType,
    isNew,
  }: { readonly name: string; readonly dnsType: Name['rrsets'][number]['dnsType']; readonly isNew: boolean },
): Refusal<RecordFault> | undefined {
  const draft = { dnsType, metadata: {}, rdata: [], pointer: '' }
  const context = { caller, zone, name, existing: undefined, groups: {} }
  const faults = isNew
    ? permissionFaults(NEW_RDATA, draft, context)
    : permissionFaults(CHANGED_RDATA, draft, context)
  return faults.find((fault): fault is Refusal<RecordFault> => RECORD_FAULTS.has(fault.refused))
}

const RECORD_FAULTS: ReadonlySet<string> = new Set<RecordFault>([
  'typesDisallowed',
  'rrsetCreateForbidden',
  'rdataCreateForbidden',
  'zoneOwnerOnly',
])
