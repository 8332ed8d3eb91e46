import { formatInstant, type Instant, isBefore, parseInstant } from '../../../shared/base/time.ts'
import { isAccessible, parseScope, SCOPE_FORMS } from '../../rules/permission.ts'
import type { ListedApiKey } from '../../store/records.ts'
import {
  badBody,
  descriptionFaults,
  type Fields,
  type RequestContext,
  type RequestFault,
  unexpected,
  type Warning,
} from '../request/context.ts'
import { MAX_SCOPES } from '../request/limits.ts'

/** A scope that matches nothing now; what it names may be made later. */
export async function uselessScopes(
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

/** What API keys and TSIG keys have in common. */
type KeyDraft = Pick<ListedApiKey, 'description' | 'scopes' | 'expiresAt'>

/** Parses the body; reports all faults of its form. A key that expires makes keys that expire no later. */
export function readKeyDraft(
  { caller, now }: RequestContext,
  { description = '', scopes = [], expires_at: expires }: Fields,
): KeyDraft | { readonly malformed: readonly RequestFault[] } {
  const parsed = parsedScopes(scopes)
  const text = typeof expires === 'string' ? parseInstant(expires) : undefined
  const expiresAt = expires === undefined || expires === null ? caller.expiresAt : text
  const malformed = [
    ...descriptionFaults(description),
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

/** Each scope in its canonical form, undefined where it is none; undefined if it is no list. */
export const parsedScopes = (scopes: unknown): readonly (string | undefined)[] | undefined =>
  Array.isArray(scopes)
    ? (scopes as unknown[]).map((one) => (typeof one === 'string' ? parseScope(one) : undefined))
    : undefined

export const scopeFaults = (scopes: readonly (string | undefined)[] | undefined): readonly RequestFault[] =>
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
