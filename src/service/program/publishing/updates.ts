import { after, milliseconds } from '../../../shared/base/time.ts'
import type { ServiceSettings } from '../../settings/service-settings.ts'
import { steadyClock, systemClock } from '../../../shared/platform/clock/clock.ts'
import { limitsOf } from '../../auth/limits.ts'
import type { InTurn } from '../../api/request/context.ts'
import type { Pepper } from '../../auth/hashes.ts'
import { unseal } from '../../auth/sealed.ts'
import type { Audit } from '../../model/audit.ts'
import type { DnsContext } from '../../publish/handle.ts'
import type { ResponseLimit } from '../../publish/limit.ts'
import type { PublishSettings } from '../../publish/settings.ts'
import { handleUpdateMessage, type UpdateMessageContext, usableKey } from '../../rfc2136/handle.ts'
import type { Store } from '../../store/store.ts'
import { apiServiceOf } from '../http/api-service.ts'

interface UpdateMessageParts {
  readonly store: Store
  readonly pepper: Pepper
  readonly current: () => ServiceSettings
  readonly settings: () => PublishSettings
  readonly limit: ResponseLimit
  readonly inTurn: InTurn
  readonly audit: Audit
  readonly ending: AbortSignal
  readonly reportFailure: (what: string, error: unknown) => void
  readonly requestFlush: () => void
}

/** In milliseconds: the longest time between two flushes, and that of a flush. */
const MAX_WAIT = 2000
const PUBLISHED_INTERVAL = milliseconds(10)

/** Resolves when what was changed is published, or after `MAX_WAIT`: it is stored in any case. */
export async function whenPublished(
  { store, ending }: Pick<UpdateMessageParts, 'store' | 'ending'>,
  zoneId: number,
  names: readonly string[],
): Promise<void> {
  const until = steadyClock.now() + MAX_WAIT
  while (steadyClock.now() < until && !ending.aborted) {
    const isDirty = await store.read(async (r) => r.hasDirtyNamesAmong(zoneId, names)).catch(() => true)
    if (!isDirty) return
    await steadyClock.sleep(after(steadyClock.now(), PUBLISHED_INTERVAL), ending)
  }
}

/** UPDATE messages of accounts (RFC 2136), and the keys that sign them. */
export function updateMessages(parts: UpdateMessageParts): Pick<DnsContext, 'update' | 'accountKey'> {
  const { store, pepper, current, requestFlush } = parts
  const context: UpdateMessageContext = {
    ...parts,
    service: () => apiServiceOf(current(), { pepper, requestFlush }),
    limits: () => limitsOf(current()),
    unseal: ({ name, sealed }) => unseal(pepper, sealed, name),
    now: () => systemClock.now(),
    published: async (zoneId, names) => whenPublished(parts, zoneId, names),
    reportError: (error) => parts.reportFailure('an UPDATE message', error),
  }
  return {
    update: async (call, send) => handleUpdateMessage(context, call, send),
    accountKey: async (name) => {
      const stored = await store.read(async (r) => r.tsigKeyNamed(name))
      return stored && usableKey(context, stored, context.now())
    },
  }
}
