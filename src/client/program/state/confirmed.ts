import type { State } from '../../decide/state.ts'
import type { Address, Family } from '../../../shared/base/address.ts'
import type { SystemPorts } from '../../../shared/ports/system.ts'
import type { ResolvedSettings } from '../../settings/settings.ts'
import { savedState } from './saved-state.ts'

/** The last confirmed addresses of the family, of all hostnames. */
export const confirmedIn = ({ accounts }: State, family: Family): readonly Address[] =>
  Object.values(accounts).flatMap(({ hosts }) =>
    Object.values(hosts).flatMap(({ confirmed }) => confirmed[family] ?? []),
  )

/** By the state on disk; undefined without an account, or a state that can be read. */
export async function savedStateOf(
  settings: ResolvedSettings,
  system: SystemPorts,
): Promise<State | undefined> {
  if (settings.accounts.length === 0) return undefined
  return savedState(settings, system)
    .memory.load()
    .catch(() => undefined)
}
