import { isBefore } from '../../base/time.ts'
import type { LastUse } from '../model/rows.ts'
import type { KeyOfName, RecordReads } from './records.ts'

/** The last use of a key that is counted here and not stored yet. */
interface UnstoredUses {
  unstoredUse(keyId: number): LastUse | undefined
}

type KeyReads = Pick<RecordReads, 'keysOfNames'>

/** Shows what is not stored yet, so that a list of names needs not wait until it is. */
export const withUnstoredUses = (tables: KeyReads, counters: UnstoredUses): KeyReads => ({
  keysOfNames: async (accountId, nameIds) =>
    (await tables.keysOfNames(accountId, nameIds)).map((key) =>
      withUse(key, counters.unstoredUse(key.keyId)),
    ),
})

function withUse(key: KeyOfName, use: LastUse | undefined): KeyOfName {
  if (use === undefined || (key.lastUse !== undefined && isBefore(use.at, key.lastUse.at))) return key
  const { at, agent, peer: address, reply } = use
  return { ...key, lastUse: { at, agent, address, reply } }
}
