import type { ServiceSettings } from '../settings/service-settings.ts'
import type { Log } from '../../shared/ports/log.ts'
import { zoneNameFault } from '../rules/zone-names.ts'
import { answererOf } from '../model/publication.ts'
import type { Store } from '../store/store.ts'
import { zoneNameLimits } from './http/api-service.ts'

/** Names in one line of the log. */
const MAX_NAMED = 20

/**
 * Logs problems at startup: no name server for the zones, and existing accounts and zones that the current rules would
 * refuse. These are kept; the operator decides.
 */
export async function tellRemains(store: Store, settings: ServiceSettings, log: Log): Promise<void> {
  const [accounts, zones] = await store.read(async (r) => [await r.collidingAccounts(), await r.zoneNames()])
  if (accounts.length > 0)
    log('warn', 'accounts that differ in capitals alone', {
      fields: { count: accounts.length, accounts: accounts.slice(0, MAX_NAMED) },
      line: `accounts whose names differ in capitals alone; new ones like these are refused: ${listed(accounts)}`,
    })
  tellUnserved(settings, log)
  const limits = zoneNameLimits(settings)
  const special = zones.filter((name) => zoneNameFault(name, limits) !== undefined)
  if (special.length > 0)
    log('warn', 'zones that no tenant can make', {
      fields: { count: special.length, zones: special.slice(0, MAX_NAMED) },
      line: `zones that a tenant could not make today; check that they are yours: ${listed(special)}`,
    })
}

/** Without a name server, names do not resolve although updates succeed. */
function tellUnserved(settings: ServiceSettings, log: Log): void {
  if (answererOf(settings) === 'nobody')
    log('warn', 'no name server answers', {
      line:
        'no name server answers for the zones, so their names do not resolve: ' +
        'set dns_listen, and answer_queries = true or secondaries',
    })
}

const listed = (names: readonly string[]): string =>
  names.slice(0, MAX_NAMED).join(', ') +
  (names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '')
