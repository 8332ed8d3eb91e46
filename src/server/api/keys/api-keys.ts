import { formatInstant, type Instant, isBefore, parseInstant } from '../../../base/time.ts'
import { hasFullAccess, isAccessible } from '../../rules/access.ts'
import { parseScope, SCOPE_FORMS } from '../../rules/scopes.ts'
import type { ListedApiKey } from '../../store/records.ts'
import { badBody, type Fields, isObject, isText, unknownFieldFaults } from '../request/bodies.ts'
import { MAX_DESCRIPTION_LENGTH, MAX_SCOPES } from '../request/limits.ts'
import { combine, readFilter, readPage } from '../query/query.ts'
import { QUERY } from '../query/parameters.ts'
import {
  INSUFFICIENT_SCOPE,
  type RequestContext,
  type RequestFault,
  unexpected,
  type Warning,
} from '../request/context.ts'
import { REQUEST_FAULTS } from '../request/faults.ts'
import { listResult } from '../answer/list.ts'
import { showApiKey } from '../answer/show.ts'

const MAX_API_KEYS = 1000
const FORBIDDEN = { malformed: [INSUFFICIENT_SCOPE] }

export async function listApiKeys(context: RequestContext) {
  const { caller, store } = context
  if (!hasFullAccess(caller)) return FORBIDDEN
  const list = { operation: 'listApiKeys', values: ['number'] } as const
  const parsed = combine({
    page: readPage(context, list),
    filter: readFilter(context, QUERY.listApiKeys.filter),
  })
  if ('malformed' in parsed) return parsed
  const { page, filter } = parsed.value
  const { items, ...place } = await store.apiKeysOf(caller.account.id, page, filter.search)
  return listResult(context, { list, page, ...place }, items.map(showApiKey))
}

/** The secret is shown only in this response. */
export async function createApiKey(context: RequestContext) {
  const { caller, store, now, service, body = {} } = context
  if (!hasFullAccess(caller)) return FORBIDDEN
  if (!isObject(body))
    return { malformed: [badBody('the body is {"description": "…", "scopes": […], "expires_at": "…"}')] }
  const unknown = unknownFieldFaults(body, API_KEY_FIELDS)
  if (unknown.length > 0) return { malformed: unknown }
  const draft = readDraft(context, body)
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

/** A scope that matches nothing now; what it names may be made later. */
async function uselessScopes(
  { caller, store }: RequestContext,
  scopes: readonly string[],
): Promise<readonly Warning[]> {
  const warnings: Warning[] = []
  for (const scope of scopes) {
    const [word, value = ''] = scope.split(':')
    if (word !== 'zone' && word !== 'name') continue
    const zone = await (word === 'zone' ? store.zoneNamed(value) : store.zoneContaining(value))
    if (zone === undefined || !isAccessible(caller, zone))
      warnings.push(unexpected(`the scope ${scope} matches nothing that this account may use now`))
  }
  return warnings
}

const OVER_LIMIT: RequestFault = {
  ...REQUEST_FAULTS.apiKeysOverLimit,
  detail: `an account has at most ${MAX_API_KEYS} API keys; delete one`,
}

type Draft = Pick<ListedApiKey, 'description' | 'scopes' | 'expiresAt'>

/** Parses the body; reports all faults of its form. A key that expires makes keys that expire no later. */
function readDraft(
  { caller, now }: RequestContext,
  { description = '', scopes = [], expires_at: expires }: Fields,
): Draft | { readonly malformed: readonly RequestFault[] } {
  const parsed = Array.isArray(scopes)
    ? (scopes as unknown[]).map((one) => (typeof one === 'string' ? parseScope(one) : undefined))
    : undefined
  const text = typeof expires === 'string' ? parseInstant(expires) : undefined
  const expiresAt = expires === undefined || expires === null ? caller.expiresAt : text
  const isDescription =
    typeof description === 'string' && description.length <= MAX_DESCRIPTION_LENGTH && isText(description)
  const malformed = [
    ...(isDescription
      ? []
      : [
          badBody(
            `description is a string of at most ${MAX_DESCRIPTION_LENGTH} characters, without U+0000`,
            '/description',
          ),
        ]),
    ...scopeFaults(parsed),
    ...expiryFaults(expires, { expiresAt, now, latest: caller.expiresAt }),
  ]
  if (malformed.length > 0) return { malformed }
  return {
    description: String(description),
    scopes: [...new Set(parsed?.flatMap((scope) => scope ?? []))],
    ...(expiresAt !== undefined && { expiresAt }),
  }
}

const scopeFaults = (scopes: readonly (string | undefined)[] | undefined): readonly RequestFault[] =>
  scopes === undefined || scopes.length > MAX_SCOPES
    ? [badBody(`scopes is a list of at most ${MAX_SCOPES} strings`, '/scopes')]
    : scopes.flatMap((scope, n) =>
        scope === undefined ? [badBody(`a scope is one of ${SCOPE_FORMS}`, `/scopes/${n}`)] : [],
      )

interface Expiry {
  readonly expiresAt: Instant | undefined
  readonly now: Instant
  /** When the caller's own key expires. */
  readonly latest: Instant | undefined
}

function expiryFaults(given: unknown, { expiresAt, now, latest }: Expiry): readonly RequestFault[] {
  if (given === undefined || given === null) return []
  if (expiresAt === undefined || !isBefore(now, expiresAt))
    return [badBody('expires_at is a time to come in UTC, such as 2031-01-31T00:00:00Z', '/expires_at')]
  return latest !== undefined && isBefore(latest, expiresAt)
    ? [
        badBody(
          `this API key expires at ${formatInstant(latest)}; it makes none that lasts longer`,
          '/expires_at',
        ),
      ]
    : []
}

export async function deleteApiKey({ caller, store, params }: RequestContext) {
  if (!hasFullAccess(caller)) return FORBIDDEN
  const { id = '' } = params
  const isDeleted = /^\d{1,15}$/.test(id) && (await store.removeApiKey(Number(id), caller.account.id))
  return isDeleted ? { status: 200 as const, data: {} } : { malformed: [NOT_FOUND] }
}

const NOT_FOUND: RequestFault = { ...REQUEST_FAULTS.apiKeyNotFound, location: 'path' }
