import { hasFullAccess } from '../../rules/permission.ts'
import type { Named } from '../openapi/schemas.ts'
import { readBody } from '../request/body.ts'
import type { RequestContext } from '../request/context.ts'
import { idInPath } from '../request/locate.ts'
import { readListing } from '../query/query.ts'
import { faulty, SCOPE_REFUSED } from '../request/faults.ts'
import { showApiKey } from '../answer/show.ts'
import { changedApiKey } from './key-change.ts'
import { readKeyDraft, uselessScopes } from './key-draft.ts'
import { listResult } from '../answer/list.ts'

const MAX_API_KEYS = 1000

export async function listApiKeys(context: RequestContext) {
  const { caller, store } = context
  if (!hasFullAccess(caller)) return SCOPE_REFUSED
  const listing = readListing(context, ['number'])
  if ('malformed' in listing) return listing
  const { page, filter } = listing
  const { items, ...place } = await store.apiKeysOf(caller.account.id, page, filter.search)
  return listResult(context, { page, ...place }, items.map(showApiKey))
}

/** The secret is shown only in this response. */
export async function createApiKey(context: RequestContext<Named<'NewApiKey'>>) {
  const { caller, store, now, service } = context
  if (!hasFullAccess(caller)) return SCOPE_REFUSED
  const body = readBody(context)
  if ('malformed' in body) return body
  const draft = readKeyDraft(context, body)
  if ('malformed' in draft) return draft
  const { total } = await store.apiKeysOf(caller.account.id, { offset: 0, limit: 0 })
  if (total >= MAX_API_KEYS) return OVER_LIMIT
  const { password, hash } = service.newPassword()
  const id = await store.addApiKey({ accountId: caller.account.id, hash, ...draft }, now)
  const shown = showApiKey({ id, accountId: caller.account.id, createdAt: now, ...draft })
  const warnings = await uselessScopes(context, draft.scopes)
  return { status: 201 as const, data: { ...shown, key: password }, warnings }
}

const OVER_LIMIT = faulty('apiKeysOverLimit', {
  detail: `an account has at most ${MAX_API_KEYS} API keys; delete one`,
})

export async function getApiKey(context: RequestContext) {
  const { caller, store } = context
  if (!hasFullAccess(caller)) return SCOPE_REFUSED
  const key = await store.apiKeyOf(caller.account.id, idInPath(context))
  return key === undefined ? NOT_FOUND : { status: 200 as const, data: showApiKey(key) }
}

/** A key gets no more rights than it has: its copies in programs would have them too. */
export async function changeApiKey(context: RequestContext<Named<'ApiKeyChange'>>) {
  const { caller, store, now } = context
  if (!hasFullAccess(caller)) return SCOPE_REFUSED
  const key = await store.apiKeyOf(caller.account.id, idInPath(context))
  if (key === undefined) return NOT_FOUND
  const body = readBody(context)
  if ('malformed' in body) return body
  const changed = changedApiKey(key, body, now)
  if ('malformed' in changed) return changed
  const [before, after] = [showApiKey(key), showApiKey(changed)]
  if (JSON.stringify(before) === JSON.stringify(after)) return { status: 200 as const, data: after }
  await store.changeApiKey(changed)
  const warnings = body.scopes === undefined ? [] : await uselessScopes(context, changed.scopes)
  return { status: 202 as const, data: after, warnings }
}

export async function deleteApiKey(context: RequestContext) {
  const { caller, store } = context
  if (!hasFullAccess(caller)) return SCOPE_REFUSED
  const isDeleted = await store.removeApiKey(idInPath(context), caller.account.id)
  return isDeleted ? { status: 200 as const, data: {} } : NOT_FOUND
}

const NOT_FOUND = faulty('apiKeyNotFound', { location: 'path' })
