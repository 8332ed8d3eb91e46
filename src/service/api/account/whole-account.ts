import { hasFullAccess, overBefore, zoneLockFault } from '../../rules/permission.ts'
import { isAsked, showFactor } from './second-factors.ts'
import { showSession } from './sessions.ts'
import { MAX_ACCOUNT_EVENTS } from '../../store/account/events.ts'
import { historyOf } from './history.ts'
import { refuse } from '../../model/errors.ts'
import { badQuery } from '../query/query.ts'
import { DONE, refused, type RequestContext } from '../request/context.ts'
import { faulty, PASSWORD_NEEDED, SCOPE_REFUSED } from '../request/faults.ts'
import { accountFound, contentOf } from './content.ts'

/** Everything that the account has, as it is at one moment. */
export async function exportAccount({ caller, store, service, now }: RequestContext) {
  if (!hasFullAccess(caller)) return SCOPE_REFUSED
  const { name } = caller.account
  const zones = await accountFound(store, name, { now, mayHaveGuests: true })
  if (!zones.ok) throw new Error(zones.error)
  const { nameservers } = service
  const sessions = await store.sessionsOf(
    caller.account.id,
    { offset: 0, limit: MAX_SESSIONS },
    overBefore(now),
  )
  const content = await contentOf(store, zones.value, { account: name, nameservers, now })
  const data = {
    account: { ...content.account, email: caller.account.email ?? null },
    zones: content.zones,
    names: content.names,
    ddns_keys: content.keys,
    second_factors: (await store.factorsOf(caller.account.id)).filter(isAsked).map(showFactor),
    sessions: sessions.items.map(showSession),
    api_keys: content.apiKeys,
    tsig_keys: content.tsigKeys,
    trail: content.trail,
    ...(await historyOf(store, caller.account.id, MAX_ACCOUNT_EVENTS)),
  }
  return { status: 200 as const, data }
}

/** Above the limit of open sessions. */
const MAX_SESSIONS = 10_000

/** Deletes the account with its zones, names and keys. A zone that others have names in must go, or change hands, before. */
export async function deleteAccount({ caller, store, query, now }: RequestContext) {
  if (caller.apiKeyId !== undefined) return PASSWORD_NEEDED
  const { id, name } = caller.account
  if (query['confirm'] !== name) return UNCONFIRMED
  const found = await accountFound(store, name, { now })
  if (!found.ok) return faulty('deletionNotConfirmed', { detail: found.error })
  const { zones } = found.value
  const [locked] = zones.flatMap((zone) => zoneLockFault(zone) ?? [])
  if (locked !== undefined) return refused(locked)
  for (const zone of zones)
    if (await store.hasLockedNames(zone.id))
      return refused(
        refuse('nameChangeProhibited', `the operator has locked or blocked a name of ${zone.name}`),
      )
  // An account of the same name could go on where this one was stopped.
  if ((await store.sanctionsOf(id)).some(({ isBlocked, isLocked }) => isBlocked || isLocked))
    return refused(
      refuse('nameChangeProhibited', 'the operator has locked or blocked a DDNS key of the account'),
    )
  await store.removeAccount(id)
  return DONE
}

const UNCONFIRMED = { malformed: [badQuery('confirm', 'confirm is the name of the account')] }
