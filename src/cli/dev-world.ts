import type { Instant } from '../base/time.ts'
import { type Pepper, keyedHash, newPassword, newUsername, slowHash } from '../server/auth/hashes.ts'
import { apexOf } from '../server/api/zones.ts'
import type { Store } from '../server/store/store.ts'

/** What somebody needs to try a client against the service. The secrets are made for this run and printed on purpose. */
export interface DevWorld {
  readonly username: string
  readonly password: string
  readonly hostnames: readonly string[]
  readonly zone: string
  readonly account: string
  readonly accountPassword: string
  readonly apiKey: string
}

/** RFC 6761 keeps .test for this. */
const ZONE = 'example.test'
const NAMES = ['home', 'office', 'cabin'] as const
const ACCOUNT = 'demo'
/** Nobody asks them. */
const NAMESERVERS = ['ns1.nameserver.test', 'ns2.nameserver.test']

export async function makeDevWorld(store: Store, pepper: Pepper, now: Instant): Promise<DevWorld> {
  const [username, password, accountPassword, apiKey] = [
    newUsername(),
    newPassword(),
    newPassword(),
    newPassword(),
  ]
  const accountHash = await slowHash(accountPassword)
  await store.write(async (w) => {
    const plan = {
      mostNames: 1000,
      mostRdata: 10_000,
      mostNameMetadata: 10,
      mostRRSetMetadata: 10,
      leastTtl: 60,
    }
    const planId = await w.addPlan({ name: 'everything', ...plan, hasOffline: true, hasWildcards: true })
    const accountId = await w.addAccount(ACCOUNT, accountHash, planId, now)
    await w.addApiKey(
      { accountId, hash: keyedHash(pepper, apiKey), description: 'made for this run', scopes: [] },
      now,
    )
    const zoneId = await w.addZone({ accountId, name: ZONE, isShared: false }, now)
    await w.saveName(apexOf(zoneId, accountId, NAMESERVERS, now), now)
    const keyId = await w.addKey(
      { accountId, username, hash: keyedHash(pepper, password), description: 'made for this run' },
      now,
    )
    for (const name of NAMES) await w.attach(keyId, await w.addName(zoneId, accountId, name, now))
  })
  const hostnames = NAMES.map((name) => `${name}.${ZONE}`)
  return { username, password, hostnames, zone: ZONE, account: ACCOUNT, accountPassword, apiKey }
}

/** With one line to paste into another terminal. */
export function sayDevWorld(world: DevWorld, url: string): readonly string[] {
  const [hostname = ''] = world.hostnames
  return [
    `The service listens on ${url} with a store that is thrown away at the end.`,
    `  DDNS key   ${world.username}  password ${world.password}`,
    `  hostnames  ${world.hostnames.join(', ')}`,
    `  account    ${world.account}  password ${world.accountPassword}  API key ${world.apiKey}`,
    'Try it:',
    `  curl -u ${world.username}:${world.password} -A 'You curl/1-1 you@example.test' '${url}/nic/update?hostname=${hostname}&myip=192.0.2.1'`,
    `  HOLDFAST_PASSWORD=${world.password} holdfast update --server ${url} --username ${world.username} --hostname ${hostname} --myip 192.0.2.2`,
  ]
}
