import { hasFullAccess } from '../../rules/permission.ts'
import { readListing } from '../query/query.ts'
import type { Named } from '../openapi/schemas.ts'
import { readBody } from '../request/body.ts'
import type { RequestContext } from '../request/context.ts'
import { faulty, SCOPE_REFUSED } from '../request/faults.ts'
import { showTsigKey } from '../answer/show.ts'
import { readKeyDraft, uselessScopes } from './key-draft.ts'
import { listResult } from '../answer/list.ts'

const MAX_TSIG_KEYS = 1000

export async function listTsigKeys(context: RequestContext) {
  const { caller, store } = context
  if (!hasFullAccess(caller)) return SCOPE_REFUSED
  const listing = readListing(context, ['text'])
  if ('malformed' in listing) return listing
  const { page, filter } = listing
  const { items, ...place } = await store.tsigKeysOf(caller.account.id, page, filter.search)
  return listResult(context, { page, ...place }, items.map(showTsigKey))
}

/** The secret is shown only in this response. */
export async function createTsigKey(context: RequestContext<Named<'NewTsigKey'>>) {
  const { caller, store, now, service } = context
  if (!hasFullAccess(caller)) return SCOPE_REFUSED
  const body = readBody(context)
  if ('malformed' in body) return body
  const { algorithm = 'hmac-sha256' } = body
  const draft = readKeyDraft(context, body)
  if ('malformed' in draft) return draft
  const accountId = caller.account.id
  const { total } = await store.tsigKeysOf(accountId, { offset: 0, limit: 0 })
  if (total >= MAX_TSIG_KEYS) return OVER_LIMIT
  const { name, secret, sealed } = service.newTsigKey(algorithm)
  const key = { name, accountId, algorithm, ...draft }
  await store.addTsigKey({ ...key, sealed }, now)
  return {
    status: 201 as const,
    data: { ...showTsigKey({ ...key, createdAt: now }), secret },
    warnings: await uselessScopes(context, draft.scopes),
  }
}

const OVER_LIMIT = faulty('tsigKeysOverLimit', {
  detail: `an account has at most ${MAX_TSIG_KEYS} TSIG keys; delete one`,
})

export async function deleteTsigKey({ caller, store, params }: RequestContext) {
  if (!hasFullAccess(caller)) return SCOPE_REFUSED
  const isDeleted = await store.removeTsigKey((params['key_name'] ?? '').toLowerCase(), caller.account.id)
  return isDeleted ? { status: 200 as const, data: {} } : NOT_FOUND
}

const NOT_FOUND = faulty('tsigKeyNotFound', { location: 'path' })
