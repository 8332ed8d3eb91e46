import { type Instant, after } from '../../base/time.ts'
import { type Credentials, parseBasic } from '../../net/basic.ts'
import type { Reply } from '../../protocol/reply-codec.ts'
import { readQuery } from '../../protocol/request.ts'
import { judgeUserAgent } from '../../protocol/user-agent.ts'
import type { Authenticate } from '../auth/login.ts'
import type { Principal } from '../model/rows.ts'
import type { Store, Writing } from '../store/store.ts'
import { answerHosts } from './hosts.ts'
import type { Inbound } from './inbound.ts'
import type { Limits } from './limits.ts'
import { networkOf } from './peer.ts'
import { counted, exceeds } from './tally.ts'
import { type Visit, countFailure, isBlocked, isDeafTo, keep, only } from './visit.ts'

export interface Policy {
  readonly limits: Limits
  readonly allHostnames: string
  readonly strictAgents: boolean
  readonly blockedAgents: readonly string[]
}

export interface Updater {
  readonly store: Store
  readonly authenticate: Authenticate
  readonly policy: Policy
  readonly now: () => Instant
}

/**
 * From request to replies. The order of checks: User-Agent, Basic, throttle per peer, credentials, blocks, features
 * asked for, each hostname. Everything that is counted or changed is durable when this resolves.
 */
export async function answerUpdate(updater: Updater, inbound: Inbound): Promise<readonly Reply[]> {
  const { store, policy, now } = updater
  const verdict = judgeUserAgent(inbound.agent, policy.blockedAgents)
  const isUnwelcome = verdict === 'refused' || (policy.strictAgents && verdict === 'undescriptive')
  const credentials = parseBasic(inbound.authorization ?? '')
  const who = credentials === undefined ? undefined : await recognise(updater, inbound, credentials)
  const visitOf = (known: Principal): Visit => ({
    who: known,
    inbound,
    verdict,
    limits: policy.limits,
    now: now(),
  })
  if (isUnwelcome) {
    // Counted under the key, if there is one; a stranger counts nowhere. The answer is the same.
    if (who !== undefined)
      await store.write(async (w) => keep(w, visitOf(who), await w.usageOf(who), only('badagent')))
    return only('badagent')
  }
  if (who === undefined) return only('badauth')
  return store.write(async (w) => serve(w, visitOf(who), policy, inbound.query))
}

/** Who these credentials are. A failure is counted for its peer; a peer that failed too often is not looked at. */
async function recognise(
  updater: Updater,
  inbound: Inbound,
  credentials: Credentials,
): Promise<Principal | undefined> {
  const { store, authenticate, policy, now } = updater
  const network = networkOf(inbound.peer)
  if (await store.read(async (r) => isDeafTo(r, network, now()))) return undefined
  const who = await authenticate(credentials)
  if (who === undefined) await store.write(async (w) => countFailure(w, network, policy.limits, now()))
  return who
}

async function serve(w: Writing, visit: Visit, policy: Policy, query: string): Promise<readonly Reply[]> {
  const { who, limits, now } = visit
  const known = await w.usageOf(who)
  if (isBlocked(known, now)) return keep(w, visit, known, only('abuse'))
  const { refusals, undescriptive } = known
  const usage = { requests: counted(known.requests, now, limits.requests), refusals, undescriptive }
  if (exceeds(usage.requests, limits.requests))
    return keep(
      w,
      visit,
      { ...usage, requests: [], blockedUntil: after(now, limits.shortBlock) },
      only('abuse'),
    )
  const asked = readQuery(query)
  if (asked.isOffline && !(await w.hasOffline(who.accountId))) return keep(w, visit, usage, only('!donator'))
  const { replies, isAbuse } = await answerHosts(w, visit, asked, policy.allHostnames)
  if (isAbuse) return keep(w, visit, { ...usage, blockedUntil: after(now, limits.longBlock) }, only('abuse'))
  return keep(w, visit, usage, replies)
}
