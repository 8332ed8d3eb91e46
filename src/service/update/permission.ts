import type { ErrorName } from '../model/errors.ts'
import type { Account } from '../model/tree.ts'
import type { Caller } from '../rules/permission.ts'
import { nameChangeFault, recordFault, type RecordFault, type ZoneChangeFault } from '../rules/change.ts'
import { quotaFault, usageFaults } from '../rules/quota.ts'
import { relativeTo } from '../model/dns-name.ts'
import type { StoreReads } from '../store/store.ts'
import { isAlias, type RecordChange } from './apply.ts'
import type { UpdateTarget } from './targets.ts'

/** How an update says what `/v1` refuses: `nohost` for one hostname, `!donator` for the whole request. */
export type RefusalWord = 'nohost' | '!donator'

type ChangeFault = ZoneChangeFault | 'nameChangeForbidden' | 'nameChangeProhibited' | RecordFault

// biome-ignore format: a table
const REPLIES = {
  zoneNotFound:         'nohost',
  zoneNotShared:        'nohost',
  zoneChangeProhibited: 'nohost',
  nameChangeForbidden:  'nohost',
  nameChangeProhibited: 'nohost',
  rdataCreateForbidden: 'nohost',
  rrsetCreateForbidden: 'nohost',
  websiteOnly:          '!donator',
  typesDisallowed:      '!donator',
  zoneOwnerOnly:        '!donator',
} as const satisfies Readonly<Record<ChangeFault, RefusalWord>> & Partial<Record<ErrorName, RefusalWord>>

/** A principal has all permissions of its account. */
export const callerOf = (account: Account): Caller => ({ account, isReadOnly: false })

/** Why the changes may not be made at this target: the rules of `/v1`. Undefined if they may. */
export async function refusalAt(
  r: StoreReads,
  caller: Caller,
  { target, changes }: { readonly target: UpdateTarget; readonly changes: readonly RecordChange[] },
): Promise<RefusalWord | undefined> {
  const { name } = target
  const zone = await r.zoneRules(name.zoneId)
  if (zone === undefined || isAlias(target)) return 'nohost'
  const { accountId, isProhibited, isBlocked } = name
  const access = { accountId, isProhibited, isBlocked, name: relativeTo(name.fqdn, zone.name) ?? '' }
  const fault =
    nameChangeFault(caller, zone, { name: access, forbidden: 'nameChangeForbidden' }) ??
    firstRecordFault(changes, (change) => recordFault(caller, zone, { ...change, name: access.name }))
  return fault === undefined ? undefined : REPLIES[fault.refused]
}

function firstRecordFault<F>(
  changes: readonly RecordChange[],
  faultOf: (change: RecordChange) => F | undefined,
) {
  for (const change of changes) {
    const fault = faultOf(change)
    if (fault !== undefined) return fault
  }
  return undefined
}

/** Whether adding this number of records would exceed the plan. Changes of existing ones never do. */
export async function exceedsPlan(r: StoreReads, { id, plan }: Account, added: number): Promise<boolean> {
  if (added === 0) return false
  const faults = await usageFaults(r, id, ({ rdata }) => {
    const fault = quotaFault('rdata', rdata + added, plan)
    return fault === undefined ? [] : [fault]
  })
  return faults.length > 0
}
