import { formatInstant, type Instant, isBefore, parseInstant } from '../../../shared/base/time.ts'
import { isAccessible, parseScope } from '../../rules/permission.ts'
import type { ListedApiKey } from '../../store/records.ts'
import type { Named } from '../openapi/schemas.ts'
import { type RequestContext, unexpected, type Warning } from '../request/context.ts'
import { badBody, type Malformed, type RequestFault } from '../request/faults.ts'

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

/** A key that expires makes keys that expire no later. */
export function readKeyDraft(
  { caller, now }: RequestContext,
  { description = '', scopes = [], expires_at: expires }: KeyFields,
): KeyDraft | Malformed {
  const expiresAt = expires === undefined || expires === null ? caller.expiresAt : parseInstant(expires)
  const malformed = expiryFaults(expires, { expiresAt, now, latest: caller.expiresAt })
  return malformed.length > 0
    ? { malformed }
    : { description, scopes: canonicalScopes(scopes), ...(expiresAt !== undefined && { expiresAt }) }
}

export type KeyFields = Named<'NewApiKey'>

/** Each once. The form of the body refuses what is no scope. */
export const canonicalScopes = (scopes: readonly string[]): readonly string[] => [
  ...new Set(scopes.flatMap((one) => parseScope(one) ?? [])),
]

interface Expiry {
  readonly expiresAt: Instant | undefined
  readonly now: Instant
  /** When the caller's own key expires. */
  readonly latest: Instant | undefined
}

function expiryFaults(
  given: KeyFields['expires_at'],
  { expiresAt, now, latest }: Expiry,
): readonly RequestFault[] {
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
