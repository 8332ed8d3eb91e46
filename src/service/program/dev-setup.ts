import type { Instant } from '../../shared/base/time.ts'
import { DEFAULT_PLAN } from '../admin/default-plan.ts'
import type { Secret } from '../../shared/base/secret.ts'
import { linkOf, makeCode } from '../auth/one-time-codes.ts'
import { keyedHash, newPassword, newUsername, type Pepper, slowHash } from '../auth/hashes.ts'
import { apexOf } from '../model/apex.ts'
import type { Store } from '../store/store.ts'

/** The credentials and names of a `serve --dev` run. The secrets are made for this run and printed on purpose. */
export interface DevSetup {
  readonly username: string
  readonly password: string
  readonly hostnames: readonly string[]
  readonly zone: string
  readonly account: string
  readonly accountPassword: string
  readonly apiKey: string
  /** Opens the console as this account, once, within ten minutes. */
  readonly openCode: Secret
}

/** RFC 6761 reserves .test. */
const ZONE = 'example.test'
const DEV_LABELS = ['home', 'office', 'cabin'] as const
const ACCOUNT = 'demo'

interface DevParts {
  readonly store: Store
  readonly pepper: Pepper
  readonly nameservers: readonly string[]
}

/** Adds an account with an API key, a zone, and a DDNS key with three hostnames. */
export async function makeDevSetup(
  { store, pepper, nameservers }: DevParts,
  now: Instant,
): Promise<DevSetup> {
  const username = newUsername()
  const [password, accountPassword, apiKey] = [newPassword(), newPassword(), newPassword()]
  const accountHash = await slowHash(accountPassword)
  const openCode = await store.write(async (w) => {
    const planId = await w.addPlan({ name: 'everything', ...DEFAULT_PLAN })
    const accountId = await w.addAccount({ name: ACCOUNT, hash: accountHash, planId }, now)
    await w.addApiKey(
      { accountId, hash: keyedHash(pepper, apiKey), description: 'made for this run', scopes: [] },
      now,
    )
    const zoneId = await w.addZone({ accountId, name: ZONE, isShared: false }, now)
    await w.saveName(apexOf({ zoneId, accountId }, nameservers, now), now)
    const keyId = await w.addKey(
      { accountId, username, hash: keyedHash(pepper, password), description: 'made for this run' },
      now,
    )
    for (const name of DEV_LABELS) await w.attach(keyId, await w.addName({ zoneId, accountId, name }, now))
    return makeCode(w, { purpose: 'open', accountId, now })
  })
  const hostnames = DEV_LABELS.map((name) => `${name}.${ZONE}`)
  return { username, password, hostnames, zone: ZONE, account: ACCOUNT, accountPassword, apiKey, openCode }
}

/** The address that opens the console. */
export const openingLink = (url: string, code: Secret): string => linkOf(url, 'open', code).reveal()
