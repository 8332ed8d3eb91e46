import { isTsigAlgorithm, TSIG_ALGORITHMS } from '../../../shared/dns/tsig.ts'
import { hasFullAccess } from '../../rules/permission.ts'
import { readListing } from '../query/query.ts'
import {
  badBody,
  isObject,
  type RequestContext,
  type RequestFault,
  SCOPE_REFUSED,
  unknownFieldFaults,
} from '../request/context.ts'
import { REQUEST_FAULTS } from '../request/faults.ts'
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
export async function createTsigKey(context: RequestContext) {
  const { caller, store, now, service, body = {} } = context
  if (!hasFullAccess(caller)) return SCOPE_REFUSED
  if (!isObject(body))
    return { malformed: [badBody('the body is {"description": "…", "algorithm": "…", "scopes": […], …}')] }
  const { algorithm = 'hmac-sha256' } = body
  const draft = readKeyDraft(context, body)
  const malformed = [
    ...unknownFieldFaults(body, TSIG_KEY_FIELDS),
    ...(isTsigAlgorithm(algorithm)
      ? []
      : [badBody(`algorithm is one of ${Object.keys(TSIG_ALGORITHMS).join(', ')}`, '/algorithm')]),
    ...('malformed' in draft ? draft.malformed : []),
  ]
  if ('malformed' in draft || !isTsigAlgorithm(algorithm) || malformed.length > 0) return { malformed }
  const accountId = caller.account.id
  const { total } = await store.tsigKeysOf(accountId, { offset: 0, limit: 0 })
  if (total >= MAX_TSIG_KEYS) return { malformed: [OVER_LIMIT] }
  const { name, secret, sealed } = service.newTsigKey(algorithm)
  const key = { name, accountId, algorithm, ...draft }
  await store.addTsigKey({ ...key, sealed }, now)
  return {
    status: 201 as const,
    data: { ...showTsigKey({ ...key, createdAt: now }), secret },
    warnings: await uselessScopes(context, draft.scopes),
  }
}

const TSIG_KEY_FIELDS = ['description', 'algorithm', 'scopes', 'expires_at'] as const

const OVER_LIMIT: RequestFault = {
  ...REQUEST_FAULTS.tsigKeysOverLimit,
  detail: `an account has at most ${MAX_TSIG_KEYS} TSIG keys; delete one`,
}

export async function deleteTsigKey({ caller, store, params }: RequestContext) {
  if (!hasFullAccess(caller)) return SCOPE_REFUSED
  const isDeleted = await store.removeTsigKey((params['key_name'] ?? '').toLowerCase(), caller.account.id)
  return isDeleted ? { status: 200 as const, data: {} } : { malformed: [NOT_FOUND] }
}

const NOT_FOUND: RequestFault = { ...REQUEST_FAULTS.tsigKeyNotFound, location: 'path' }
