import { formatInstant, type Instant, isBefore, parseInstant } from '../../../shared/base/time.ts'
import { parseScope, widerScopes } from '../../rules/permission.ts'
import type { ListedApiKey } from '../../store/records.ts'
import { badBody, type Malformed, type RequestFault } from '../request/faults.ts'
import { canonicalScopes, type KeyFields } from './key-draft.ts'

/** The key with the fields of the body; a key never gets more rights. What is left out stays. */
export function changedApiKey(
  key: ListedApiKey,
  { description = key.description, scopes: given = key.scopes, expires_at: expires }: KeyFields,
  now: Instant,
): ListedApiKey | Malformed {
  const scopes = canonicalScopes(given)
  const expiresAt = typeof expires === 'string' ? parseInstant(expires) : undefined
  const malformed = [
    ...widerFaults(key.scopes, scopes, given),
    ...laterFaults(expires, { expiresAt, now, present: key.expiresAt }),
  ]
  if (malformed.length > 0) return { malformed }
  return { ...key, description, scopes, ...(expiresAt !== undefined && { expiresAt }) }
}

/** `given`: the new scopes in the order of the body. */
function widerFaults(
  present: readonly string[],
  next: readonly string[],
  given: readonly string[],
): readonly RequestFault[] {
  const { uncovered, missing } = widerScopes(present, next)
  return [
    ...uncovered.map((scope) =>
      badBody(
        `the present scopes do not cover ${scope}; they may only become narrower`,
        `/scopes/${given.findIndex((one) => parseScope(one) === scope)}`,
      ),
    ),
    ...missing.map((word) =>
      badBody(
        word === 'read'
          ? 'the scope read cannot be removed: the key would be allowed more'
          : `one scope ${word}:… must stay: without it the key would be allowed more`,
        '/scopes',
      ),
    ),
  ]
}

interface NewExpiry {
  readonly expiresAt: Instant | undefined
  readonly now: Instant
  /** When the key expires now. */
  readonly present: Instant | undefined
}

function laterFaults(
  given: KeyFields['expires_at'],
  { expiresAt, now, present }: NewExpiry,
): readonly RequestFault[] {
  if (given === undefined || (given === null && present === undefined)) return []
  const end =
    present === undefined ? '' : `the key expires at ${formatInstant(present)}, and may only expire earlier`
  if (given === null) return [badBody(end, '/expires_at')]
  if (expiresAt === undefined || !isBefore(now, expiresAt))
    return [badBody('expires_at is a time to come in UTC, such as 2031-01-31T00:00:00Z', '/expires_at')]
  return present !== undefined && isBefore(present, expiresAt) ? [badBody(end, '/expires_at')] : []
}
