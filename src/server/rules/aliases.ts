import { type Refusal, refuse } from '../errors/errors.ts'
import { APEX, fqdnOf, parentOf, relativeTo, WILDCARD } from '../model/dns-name.ts'
import { type Name, rrsetOf } from '../model/tree.ts'
import { targetsOf } from '../model/targets.ts'
import { type ChangeInZone, has, newTargets, type ZoneReads } from './resulting-zone.ts'

/** Each change of a name follows its whole chain. */
const MAX_CHAIN = 100

/** The names from one to the end of its chain of ALIAS and CNAME, and how it ends. */
interface Chain {
  readonly names: readonly Name[]
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
  const names = [name]
  for (let current = name; ; ) {
    const [target] = [...targetsOf(current, 'ALIAS'), ...targetsOf(current, 'CNAME')]
    if (target === undefined) return { names, end: 'in the zone', target: '' }
    const relative = relativeTo(target, zone.name)
    if (relative === undefined) return { names, end: 'outside', target }
    if (names.some((one) => one.name === relative)) return { names, end: 'loop', target }
    if (names.length > MAX_CHAIN) return { names, end: 'too long', target }
    const next = (await resulting.nameAt(relative)) ?? (await synthesized(relative, resulting))
    if (next === undefined) return { names, end: 'in the zone', target }
    names.push(next)
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
  change: ChangeInZone,
  resulting: ZoneReads,
): Promise<readonly Refusal<'aliasInvalid' | 'aliasOutsideZone'>[]> {
  const { zone, after } = change
  if (
    after === undefined ||
    !(['ALIAS', 'CNAME'] as const).some((type) => newTargets(change, type).length > 0)
  )
    return []
  if ((rrsetOf(after, 'ALIAS')?.rdata.length ?? 0) > 1)
    return [refuse('aliasInvalid', 'a name has one ALIAS')]
  const chain = await chainFrom(after, zone, resulting)
  if (chain.end === 'in the zone') return []
  const alias = aliasIn(chain, zone.name) ?? (await aliasTo(after, resulting))
  return alias === undefined ? [] : [chainFault(alias, chain, change)]
}

/** The changed name if it has an ALIAS, or an ALIAS of the loop that it closes. */
const aliasIn = ({ names, end, target }: Chain, zone: string): string | undefined => {
  const [changed] = names
  const isInLoop = end === 'loop' && changed !== undefined && target === fqdnOf(changed.name, zone)
  return (isInLoop ? names : names.slice(0, 1)).find((name) => has(name, 'ALIAS'))?.name
}

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
  { zone, after }: ChangeInZone,
): Refusal<'aliasInvalid' | 'aliasOutsideZone'> {
  const fqdn = fqdnOf(alias, zone.name)
  const isDirect = names.length === 1 && alias === after?.name
  if (end === 'outside')
    return refuse(
      'aliasOutsideZone',
      isDirect
        ? `${target}. is outside ${zone.name}`
        : `the ALIAS of ${fqdn} leads to ${target}., which is outside ${zone.name}`,
    )
  if (end === 'too long') return refuse('aliasInvalid', `${fqdn} leads over more than ${MAX_CHAIN} names`)
  const isBack = target === fqdnOf(after?.name ?? '', zone.name)
  return refuse(
    'aliasInvalid',
    isBack ? `${target} leads back to itself` : `the ALIAS of ${fqdn} leads to a loop at ${target}`,
  )
}
