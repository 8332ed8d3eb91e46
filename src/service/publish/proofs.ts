import { minutes } from '../../shared/base/time.ts'
import type { ServiceSettings } from '../settings/service-settings.ts'
import type { ApiService } from '../api/request/context.ts'
import { keyedHash, type Pepper } from '../auth/hashes.ts'
import { isProof } from '../model/delegation/proof.ts'
import type { Zone } from '../model/tree.ts'
import type { Store } from '../store/store.ts'
import { repeat } from '../../shared/platform/clock/repeat.ts'

const PROOF_INTERVAL = minutes(10)
/** In one round, so many of the newest zones are checked, and so many of the others in turn. */
const LOOKED_AT = 100
/** Base64url characters, six bits each. */
const VALUE_LENGTH = 32

/** The expected TXT value. It depends on the account and the creation time, so an earlier owner's value is not valid. */
export const proofValue = (
  pepper: Pepper,
  { accountId, name, createdAt }: Pick<Zone, 'accountId' | 'name' | 'createdAt'>,
): string =>
  Buffer.from(keyedHash(pepper, `zone proof ${accountId} ${createdAt} ${name}`))
    .toString('base64url')
    .slice(0, VALUE_LENGTH)

interface ProofParts {
  readonly store: Store
  readonly pepper: Pepper
  readonly current: () => ServiceSettings
  readonly look: ApiService['delegation']
  readonly onProved: () => void
  readonly ending: AbortSignal
}

/** Each call resolves with the zones of one round, so that many new zones do not keep older ones from being checked. */
export function unprovedInTurn(store: Pick<Store, 'read'>): () => Promise<readonly Zone[]> {
  let last: number | undefined
  return async () =>
    store.read(async (r) => {
      const newest = await r.zonesAwaitingProof(LOOKED_AT)
      const end = newest.at(-1)?.id ?? 0
      const others = await r.zonesAwaitingProof(LOOKED_AT, Math.min(last ?? end, end))
      last = others.length < LOOKED_AT ? undefined : others.at(-1)?.id
      return [...newest, ...others]
    })
}

/** Checks unproved zones periodically. If zone_proof is off, marks all of them as proved. */
export function keepProving({ store, pepper, current, look, onProved, ending }: ProofParts): void {
  const nextZones = unprovedInTurn(store)
  void repeat(PROOF_INTERVAL, ending, async () => {
    const zones = await nextZones()
    if (!current().zoneProof) {
      if (zones.length > 0) await store.write(async (w) => w.endProofs())
      return
    }
    for (const zone of zones) {
      if (ending.aborted) return
      const found = await look(zone, current().nameservers)
      if (found === undefined || !isProof(found, proofValue(pepper, zone))) continue
      await store.write(async (w) => w.setProved(zone))
      onProved()
    }
  })
}
