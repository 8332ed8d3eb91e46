import { type ApiAnswer, type Ask, isRefused } from '../ask.ts'
import type { ShownZone } from './shown.ts'

/** In one list. */
const MAX_ZONES = '50'

/** The first own zones, and the shared ones in which others may have names. */
export async function usableZones(
  ask: Ask,
): Promise<{ readonly zones: readonly ShownZone[] } | { readonly refused: ApiAnswer<unknown> }> {
  const own = await ask<readonly ShownZone[]>('listZones', { query: { limit: MAX_ZONES } })
  if (isRefused(own)) return { refused: own }
  const names = new Set(own.data.map(({ name }) => name))
  const shared = (await sharedZones(ask)).filter(({ name }) => !names.has(name))
  return { zones: [...own.data, ...shared].filter((one) => one.takes_names) }
}

/** Those of other accounts. */
export async function sharedZones(ask: Ask): Promise<readonly ShownZone[]> {
  const shared = await ask<readonly ShownZone[]>('listZones', {
    query: { limit: MAX_ZONES, 'filter[is_shared]': 'true' },
  })
  return isRefused(shared) ? [] : shared.data
}
