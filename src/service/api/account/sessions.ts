import { hasFullAccess, overBefore } from '../../rules/permission.ts'
import type { StoredSession } from '../../store/account/sessions.ts'
import { timeOf } from '../answer/show.ts'
import { combine, readPage } from '../query/query.ts'
import { idInPath } from '../request/locate.ts'
import type { RequestContext } from '../request/context.ts'
import { faulty, SCOPE_REFUSED } from '../request/faults.ts'
import { listResult } from '../answer/list.ts'

/** The sessions of the website, the newest first. They are opened there only. */
export async function listSessions(context: RequestContext) {
  const { caller, store, now } = context
  if (!hasFullAccess(caller)) return SCOPE_REFUSED
  const parsed = combine({ page: readPage(context, ['number']) })
  if ('malformed' in parsed) return parsed
  const { page } = parsed.value
  const { items, ...place } = await store.sessionsOf(caller.account.id, page, overBefore(now))
  return listResult(context, { page, ...place }, items.map(showSession))
}

export const showSession = ({ id, apiKeyId, createdAt, seenAt, peer, program }: StoredSession) => ({
  id,
  api_key_id: apiKeyId ?? null,
  created_at: timeOf(createdAt),
  seen_at: timeOf(seenAt),
  peer,
  user_agent: program,
})

/** Ends a session. */
export async function deleteSession(context: RequestContext) {
  const { caller, store } = context
  if (!hasFullAccess(caller)) return SCOPE_REFUSED
  const isEnded = await store.removeSession(idInPath(context), caller.account.id)
  return isEnded ? { status: 200 as const, data: {} } : GONE
}

const GONE = faulty('sessionNotFound', { location: 'path' })
