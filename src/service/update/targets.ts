import { parseHostname } from '../../shared/base/hostname.ts'
import type { Principal, StoredName } from '../model/rows.ts'
import type { StoreReads } from '../store/store.ts'

/** A name to update; with `rdataId`, only this Rdata of it. */
export interface UpdateTarget {
  readonly name: StoredName
  readonly rdataId?: number
}

/**
 * Reads the targets of the items of one request; none if the principal may not update the item. The all-hostnames token and
 * a group stand for all of their targets, which are read once. A DDNS key can name only its own group.
 */
export function targetReader(
  r: StoreReads,
  principal: Principal,
  allHostnames: string,
): (item: string) => Promise<readonly UpdateTarget[]> {
  const { kind, id, accountId } = principal
  const groups = new Map<number, readonly UpdateTarget[]>()
  const ofGroup = async (group: number): Promise<readonly UpdateTarget[]> => {
    const known = groups.get(group) ?? targetsOfKey(await r.namesOfKey(group), group)
    groups.set(group, known)
    return known
  }
  return async (item) => {
    if (item === allHostnames.toLowerCase()) return kind === 'key' ? ofGroup(id) : []
    const hostname = parseHostname(item)
    const targets = hostname === undefined ? [] : targetsAmong(await r.namesByFqdn(hostname), principal)
    if (targets.length > 0) return targets
    const group = await r.groupIdOf(accountId, item)
    const isOwnGroup = group !== undefined && (kind === 'account' || group === id)
    return isOwnGroup ? ofGroup(group) : []
  }
}

/** For an account, its name in the longest zone: that zone is authoritative. */
function targetsAmong(names: readonly StoredName[], principal: Principal): readonly UpdateTarget[] {
  if (principal.kind === 'key') return targetsOfKey(names, principal.id)
  const own = names.find(({ accountId }) => accountId === principal.id)
  return own === undefined ? [] : [{ name: own }]
}

/** The targets of the key among these: whole names, and single Rdata. */
const targetsOfKey = (names: readonly StoredName[], keyId: number): readonly UpdateTarget[] =>
  names.flatMap((name) => [
    ...(name.keyId === keyId ? [{ name }] : []),
    ...name.rdata.flatMap((one) => (one.keyId === keyId ? [{ name, rdataId: one.id }] : [])),
  ])
