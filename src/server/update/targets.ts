import { parseHostname } from '../../net/hostname.ts'
import type { Held, Principal } from '../model/rows.ts'
import type { Reading } from '../store/store.ts'

/** A name that is to be updated; or, with an `rdataId`, one Rdata of it alone. */
export interface Goal {
  readonly name: Held
  readonly rdataId?: number
}

/**
 * What one item of the hostname list stands for; empty where it is nothing of this caller's. The all-hostnames token
 * and a group stand for all of their targets. A DDNS key can name no group but its own.
 */
export async function goalsFor(
  r: Reading,
  who: Principal,
  item: string,
  allHostnames: string,
): Promise<readonly Goal[]> {
  if (item.toLowerCase() === allHostnames.toLowerCase())
    return who.kind === 'key' ? goalsOf(await r.namesOf(who.id), who.id) : []
  const hostname = parseHostname(item)
  const named = hostname === undefined ? [] : goalsAmong(await r.namesCalled(hostname), who)
  if (named.length > 0) return named
  const group = await r.groupNamed(who.accountId, item)
  const isTheirs = group !== undefined && (who.kind === 'account' || group === who.id)
  return isTheirs ? goalsOf(await r.namesOf(group), group) : []
}

/** For an account, its own name in the longest zone: that is the one that answers. */
function goalsAmong(names: readonly Held[], who: Principal): readonly Goal[] {
  if (who.kind === 'key') return goalsOf(names, who.id)
  const own = names.find(({ accountId }) => accountId === who.id)
  return own === undefined ? [] : [{ name: own }]
}

/** What of these is the key's: whole names, and Rdata by themselves. */
const goalsOf = (names: readonly Held[], keyId: number): readonly Goal[] =>
  names.flatMap((name) => [
    ...(name.keyId === keyId ? [{ name }] : []),
    ...name.rdata.flatMap((one) => (one.keyId === keyId ? [{ name, rdataId: one.id }] : [])),
  ])
