import { parseHostname } from '../../net/hostname.ts'
import type { Held, Principal } from '../model/rows.ts'
import type { Reading } from '../store/store.ts'

/**
 * What one item of the hostname list stands for; empty where it is nothing of this caller's. The all-hostnames token
 * and a group stand for all of their targets. A DDNS key can name no group but its own.
 */
export async function targetsFor(
  r: Reading,
  who: Principal,
  item: string,
  allHostnames: string,
): Promise<readonly Held[]> {
  if (item.toLowerCase() === allHostnames.toLowerCase()) return who.kind === 'key' ? r.targetsOf(who.id) : []
  const hostname = parseHostname(item)
  const named = hostname === undefined ? [] : await r.targetsNamed(who, hostname)
  if (named.length > 0) return named
  const group = await r.groupNamed(who.accountId, item)
  const isTheirs = group !== undefined && (who.kind === 'account' || group === who.id)
  return isTheirs ? r.targetsOf(group) : []
}
