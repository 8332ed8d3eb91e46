import { parseHostname } from '../../net/hostname.ts'
import type { Principal, StoredName } from '../model/rows.ts'
import type { StoreReads } from '../store/store.ts'

/** A name that is to be updated; or, with an `rdataId`, one Rdata of it alone. */
export interface UpdateTarget {
  readonly name: StoredName
  readonly rdataId?: number
}

/**
 * What one item of the hostname list stands for; empty where it is nothing of this caller's. The all-hostnames token
 * and a group stand for all of their targets. A DDNS key can name no group but its own.
 */
export async function targetsFor(
  r: StoreReads,
  who: Principal,
  item: string,
  allHostnames: string,
): Promise<readonly UpdateTarget[]> {
  if (item.toLowerCase() === allHostnames.toLowerCase())
    return who.kind === 'key' ? targetsOf(await r.namesOf(who.id), who.id) : []
  const hostname = parseHostname(item)
  const named = hostname === undefined ? [] : targetsAmong(await r.namesCalled(hostname), who)
  if (named.length > 0) return named
  const group = await r.groupNamed(who.accountId, item)
  const isTheirs = group !== undefined && (who.kind === 'account' || group === who.id)
  return isTheirs ? targetsOf(await r.namesOf(group), group) : []
}

/** For an account, its own name in the longest zone: that is the one that answers. */
function targetsAmong(names: readonly StoredName[], who: Principal): readonly UpdateTarget[] {
  if (who.kind === 'key') return targetsOf(names, who.id)
  const own = names.find(({ accountId }) => accountId === who.id)
  return own === undefined ? [] : [{ name: own }]
}

/** What of these is the key's: whole names, and Rdata by themselves. */
const targetsOf = (names: readonly StoredName[], keyId: number): readonly UpdateTarget[] =>
  names.flatMap((name) => [
    ...(name.keyId === keyId ? [{ name }] : []),
    ...name.rdata.flatMap((one) => (one.keyId === keyId ? [{ name, rdataId: one.id }] : [])),
  ])
