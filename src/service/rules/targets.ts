import { type Refusal, refuse } from '../model/errors.ts'
import { APEX, relativeTo } from '../model/dns-name.ts'
import type { Name } from '../model/tree.ts'
import {
  absolute,
  type ChangeInZone,
  changedName,
  has,
  hasAddress,
  newTargets,
  type ZoneReads,
} from './resulting-zone.ts'

type TargetFault = 'nsInvalid' | 'ptrInvalid'

/** The faults of the NS and PTR that a change adds, and of those that point to the changed name. */
export const targetFaults = async (
  change: ChangeInZone,
  resulting: ZoneReads,
): Promise<readonly Refusal<TargetFault>[]> => [
  ...(await nsFaults(change, resulting)),
  ...(await ptrFaults(change, resulting)),
  ...(await pointerFaults(change, resulting)),
]

async function nsFaults(
  change: ChangeInZone,
  resulting: ZoneReads,
): Promise<readonly Refusal<TargetFault>[]> {
  const faults: Refusal<TargetFault>[] = []
  for (const target of newTargets(change, 'NS')) {
    const relative = relativeTo(target, change.zone.name)
    if (relative === undefined) continue
    const fault = nameServerFault(change, relative, await resulting.nameAt(relative))
    if (fault !== undefined) faults.push(refuse('nsInvalid', `${target}. ${fault}`))
  }
  return faults
}

/** Why a name of the zone cannot be the target of an NS at the changed name. */
function nameServerFault(change: ChangeInZone, relative: string, target: Name | undefined) {
  const owner = changedName(change)
  if (has(target, 'CNAME', 'ALIAS')) return 'is an alias (RFC 2181 §10.3)'
  if (!hasAddress(target))
    return isAtOrBelow(relative, owner)
      ? 'is below this delegation and has no address (RFC 1034 §4.2.1)'
      : 'is in this zone and has no address (RFC 2181 §10.3)'
  // The other account could no longer remove its addresses.
  const accounts = [change.after?.accountId, change.zone.accountId]
  return accounts.includes(target?.accountId) ? undefined : 'belongs to another account'
}

const isAtOrBelow = (name: string, cut: string): boolean =>
  cut !== APEX && (name === cut || name.endsWith(`.${cut}`))

async function ptrFaults(
  change: ChangeInZone,
  resulting: ZoneReads,
): Promise<readonly Refusal<TargetFault>[]> {
  const faults: Refusal<TargetFault>[] = []
  for (const target of newTargets(change, 'PTR')) {
    const relative = relativeTo(target, change.zone.name)
    if (relative !== undefined && has(await resulting.nameAt(relative), 'CNAME'))
      faults.push(refuse('ptrInvalid', `${target}. is an alias (RFC 2181 §10.2)`))
  }
  return faults
}

/** What a change makes wrong at the names that point to the changed one. */
async function pointerFaults(
  change: ChangeInZone,
  resulting: ZoneReads,
): Promise<readonly Refusal<TargetFault>[]> {
  const { zone, before, after } = change
  const becomesAlias = has(after, 'CNAME', 'ALIAS') && !has(before, 'CNAME', 'ALIAS')
  const losesAddresses = hasAddress(before) && !hasAddress(after)
  if (!becomesAlias && !losesAddresses) return []
  const name = changedName(change)
  const pointers = await resulting.pointersTo(name)
  const ns = pointers.find(({ dnsType }) => dnsType === 'NS')
  // Other accounts must not be able to prevent a change by a PTR.
  const ptr = pointers.find(({ dnsType, accountId }) => dnsType === 'PTR' && accountId === after?.accountId)
  const said = (pointer: { readonly name: string }) =>
    `${absolute(name, zone)} is the target of the ${pointer === ns ? 'NS' : 'PTR'} of ${absolute(pointer.name, zone)}`
  if (ns !== undefined && becomesAlias)
    return [refuse('nsInvalid', `${said(ns)} and cannot be an alias (RFC 2181 §10.3)`)]
  if (ns !== undefined) return [refuse('nsInvalid', `${said(ns)} and needs an address (RFC 2181 §10.3)`)]
  return ptr !== undefined && has(after, 'CNAME')
    ? [refuse('ptrInvalid', `${said(ptr)} and cannot be an alias (RFC 2181 §10.2)`)]
    : []
}
