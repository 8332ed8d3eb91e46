import type { KeyOfName, KeyUse } from '../../store/records.ts'
import type { RequestContext } from '../request/context.ts'
import { timeOf } from './show.ts'

export const showLastUpdate = (key: string, use: KeyUse | undefined) =>
  use === undefined
    ? null
    : { at: timeOf(use.at), key, user_agent: use.agent, address: use.address, reply: use.reply }

type LastUpdate = ReturnType<typeof showLastUpdate>

/**
 * Of each of these names, the last request of the account's DDNS keys that may update it or one of its Rdata; null where
 * there is none. A name of another account shows nothing of its keys.
 */
export async function lastUpdatesOf(
  { caller, store }: RequestContext,
  nameIds: readonly (number | undefined)[],
): Promise<(nameId: number | undefined) => LastUpdate> {
  const keys = await store.keysOfNames(
    caller.account.id,
    nameIds.flatMap((id) => id ?? []),
  )
  const latest = new Map<number, KeyOfName>()
  for (const key of keys) if (usedAt(key) > usedAt(latest.get(key.nameId))) latest.set(key.nameId, key)
  return (nameId) => {
    const key = nameId === undefined ? undefined : latest.get(nameId)
    return key === undefined ? null : showLastUpdate(key.username, key.lastUse)
  }
}

/** Never: before the epoch. */
const usedAt = (key: KeyOfName | undefined): number => key?.lastUse?.at ?? -1
