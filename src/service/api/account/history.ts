import { hasFullAccess } from '../../rules/permission.ts'
import type { StoredEvent, StoredSignIn } from '../../store/account/events.ts'
import { timeOf } from '../answer/show.ts'
import type { RequestContext } from '../request/context.ts'
import { SCOPE_REFUSED } from '../request/faults.ts'

/** Per list; the export has all rows. */
const MAX_SHOWN = 100

/** Sign-ins and account events, newest first. */
export async function getAccountHistory({ caller, store }: RequestContext) {
  if (!hasFullAccess(caller)) return SCOPE_REFUSED
  return { status: 200 as const, data: await historyOf(store, caller.account.id, MAX_SHOWN) }
}

export const historyOf = async (
  r: Pick<RequestContext['store'], 'signInsOf' | 'eventsOf'>,
  accountId: number,
  limit: number,
) => ({
  sign_ins: (await r.signInsOf(accountId, limit)).map(showSignIn),
  events: (await r.eventsOf(accountId, limit)).map(showEvent),
})

const showSignIn = ({ at, network, peer, credential, program }: StoredSignIn) => ({
  at: timeOf(at),
  network,
  peer,
  credential,
  user_agent: program,
})

const showEvent = ({ at, kind, subject }: StoredEvent) => ({ at: timeOf(at), kind, subject })
