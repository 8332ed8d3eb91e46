import { type Refusal, refuse } from '../model/errors.ts'
import { APEX, fqdnOf, parentOf, relativeTo, WILDCARD } from '../model/dns-name.ts'
import type { Name } from '../model/tree.ts'
import { targetsOf } from '../model/targets.ts'
import {
  absolute,
  changedName,
  type ChangeInZone,
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

/** Each change of a name follows its whole chain. */
const MAX_CHECKED_NAMES = 100

/** The names from one to the end of its chain of ALIAS and CNAME, and how it ends. */
interface Chain {
  readonly names: readonly [Name, ...Name[]]
  readonly end: 'in the zone' | 'outside' | 'loop' | 'too long'
  /** Where the last name points. */
  readonly target: string
}

/** The chain from the changed name in the resulting zone. */
export async function chainFrom(
  name: Name,
  zone: ChangeInZone['zone'],
  resulting: Pick<ZoneReads, 'nameAt'>,
): Promise<Chain> {
  const names: [Name, ...Name[]] = [name]
  const seen = new Set([name.name])
  for (let current = name; ; ) {
    const [target] = [...targetsOf(current, 'ALIAS'), ...targetsOf(current, 'CNAME')]
    if (target === undefined) return { names, end: 'in the zone', target: '' }
    const relative = relativeTo(target, zone.name)
    if (relative === undefined) return { names, end: 'outside', target }
    if (seen.has(relative)) return { names, end: 'loop', target }
    if (names.length > MAX_CHECKED_NAMES) return { names, end: 'too long', target }
    const next = (await resulting.nameAt(relative)) ?? (await synthesized(relative, resulting))
    if (next === undefined) return { names, end: 'in the zone', target }
    names.push(next)
    seen.add(next.name)
    current = next
  }
}

/** A missing name as the wildcard at its closest encloser makes it (RFC 4592 §3.3.1). */
async function synthesized(name: string, { nameAt }: Pick<ZoneReads, 'nameAt'>): Promise<Name | undefined> {
  for (let at = name; at !== APEX; ) {
    at = parentOf(at)
    const wildcard = await nameAt(at === APEX ? WILDCARD : `${WILDCARD}.${at}`)
    if (wildcard !== undefined) return { ...wildcard, name }
    if ((await nameAt(at)) !== undefined) return undefined
  }
  return undefined
}

/** The service resolves an ALIAS from the records of its zone: it leads to a name there, also through CNAME. */
export async function aliasFaults(
  change: ChangeInZone & { readonly after: Name },
  resulting: ZoneReads,
): Promise<readonly Refusal<'aliasInvalid' | 'aliasOutsideZone'>[]> {
  const { zone, after } = change
  if (!(['ALIAS', 'CNAME'] as const).some((type) => newTargets(change, type).length > 0)) return []
  if (targetsOf(after, 'ALIAS').length > 1) return [refuse('aliasInvalid', 'a name has one ALIAS')]
  const chain = await chainFrom(after, zone, resulting)
  if (chain.end === 'in the zone') return []
  const alias = isAliasIn(chain, zone.name) ? after.name : await aliasTo(after, resulting)
  return alias === undefined ? [] : [chainFault(alias, chain, zone.name)]
}

/** Whether the changed name has an ALIAS, or closes a loop with one. */
const isAliasIn = ({ names, target }: Chain, zone: string): boolean =>
  (target === fqdnOf(names[0].name, zone) ? names : names.slice(0, 1)).some((name) => has(name, 'ALIAS'))

/** An ALIAS that leads to the changed name. Other accounts must not be able to prevent a change by one. */
async function aliasTo({ name, accountId }: Name, { pointersTo }: ZoneReads): Promise<string | undefined> {
  const seen = new Set([name])
  for (const one of seen) {
    const pointers = await pointersTo(one)
    const alias = pointers.find((pointer) => pointer.dnsType === 'ALIAS' && pointer.accountId === accountId)
    if (alias !== undefined) return alias.name
    for (const pointer of pointers.filter(({ dnsType }) => dnsType === 'CNAME')) seen.add(pointer.name)
  }
  return undefined
}

function chainFault(
  alias: string,
  { end, target, names }: Chain,
  zone: string,
): Refusal<'aliasInvalid' | 'aliasOutsideZone'> {
  const fqdn = fqdnOf(alias, zone)
  const isDirect = names.length === 1 && alias === names[0].name
  if (end === 'outside')
    return refuse(
      'aliasOutsideZone',
      isDirect
        ? `${target}. is outside ${zone}`
        : `the ALIAS of ${fqdn} leads to ${target}., which is outside ${zone}`,
    )
  if (end === 'too long')
    return refuse('aliasInvalid', `${fqdn} leads over more than ${MAX_CHECKED_NAMES} names`)
  const isBack = target === fqdnOf(names[0].name, zone)
  return refuse(
    'aliasInvalid',
    isBack ? `${target} leads back to itself` : `the ALIAS of ${fqdn} leads to a loop at ${target}`,
  )
}
