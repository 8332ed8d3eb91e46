import { hasFullAccess } from '../../rules/permission.ts'
import {
  badBody,
  isObject,
  type RequestContext,
  type RequestFault,
  SCOPE_REFUSED,
  unknownFieldFaults,
} from '../request/context.ts'
import { idInPath } from '../request/locate.ts'
import { readListing } from '../query/query.ts'
import { REQUEST_FAULTS } from '../request/faults.ts'
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
export async function createApiKey(context: RequestContext) {
  const { caller, store, now, service, body = {} } = context
  if (!hasFullAccess(caller)) return SCOPE_REFUSED
  if (!isObject(body))
    return { malformed: [badBody('the body is {"description": "…", "scopes": […], "expires_at": "…"}')] }
  const unknown = unknownFieldFaults(body, API_KEY_FIELDS)
  if (unknown.length > 0) return { malformed: unknown }
  const draft = readKeyDraft(context, body)
  if ('malformed' in draft) return draft
  const { total } = await store.apiKeysOf(caller.account.id, { offset: 0, limit: 0 })
  if (total >= MAX_API_KEYS) return { malformed: [OVER_LIMIT] }
  const { password, hash } = service.newPassword()
  const id = await store.addApiKey({ accountId: caller.account.id, hash, ...draft }, now)
  const shown = showApiKey({ id, accountId: caller.account.id, createdAt: now, ...draft })
  const warnings = await uselessScopes(context, draft.scopes)
  return { status: 201 as const, data: { ...shown, key: password }, warnings }
}

const API_KEY_FIELDS = ['description', 'scopes', 'expires_at'] as const

const OVER_LIMIT: RequestFault = {
  ...REQUEST_FAULTS.apiKeysOverLimit,
  detail: `an account has at most ${MAX_API_KEYS} API keys; delete one`,
}

export async function getApiKey(context: RequestContext) {
  const { caller, store } = context
  if (!hasFullAccess(caller)) return SCOPE_REFUSED
  const key = await store.apiKeyOf(caller.account.id, idInPath(context))
  return key === undefined ? { malformed: [NOT_FOUND] } : { status: 200 as const, data: showApiKey(key) }
}

/** A key gets no more rights than it has: its copies in programs would have them too. */
export async function changeApiKey(context: RequestContext) {
  const { caller, store, now, body } = context
  if (!hasFullAccess(caller)) return SCOPE_REFUSED
  const key = await store.apiKeyOf(caller.account.id, idInPath(context))
  if (key === undefined) return { malformed: [NOT_FOUND] }
  if (!isObject(body)) return { malformed: [badBody('the body is an object')] }
  const unknown = unknownFieldFaults(body, API_KEY_FIELDS)
  if (unknown.length > 0) return { malformed: unknown }
  const changed = changedApiKey(key, body, now)
  if ('malformed' in changed) return changed
  const [before, after] = [showApiKey(key), showApiKey(changed)]
  if (JSON.stringify(before) === JSON.stringify(after)) return { status: 200 as const, data: after }
  await store.changeApiKey(changed)
  const warnings = body['scopes'] === undefined ? [] : await uselessScopes(context, changed.scopes)
  return { status: 202 as const, data: after, warnings }
}

export async function deleteApiKey(context: RequestContext) {
  const { caller, store } = context
  if (!hasFullAccess(caller)) return SCOPE_REFUSED
  const isDeleted = await store.removeApiKey(idInPath(context), caller.account.id)
  return isDeleted ? { status: 200 as const, data: {} } : { malformed: [NOT_FOUND] }
}

const NOT_FOUND: RequestFault = { ...REQUEST_FAULTS.apiKeyNotFound, location: 'path' }
