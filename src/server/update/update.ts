import { type Instant, after } from '../../base/time.ts'
import { parseBasic } from '../../net/basic.ts'
import type { Reply } from '../../protocol/reply-codec.ts'
import { readQuery } from '../../protocol/request.ts'
import { judgeUserAgent } from '../../protocol/user-agent.ts'
import type { Passwords } from '../auth/login.ts'
import type { Login, Principal } from '../model/rows.ts'
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
  readonly passwords: Passwords
  readonly policy: Policy
  readonly now: () => Instant
}

/**
 * From request to replies. The order of checks: User-Agent, Basic, throttle per peer, credentials, blocks, features
 * asked for, each hostname. Everything that is counted or changed is durable when this resolves. A DDNS key's request
 * is one transaction; only an account's password takes so long that nobody in the store can wait for it.
 */
export async function answerUpdate(updater: Updater, inbound: Inbound): Promise<readonly Reply[]> {
  const { store, passwords, policy } = updater
  const verdict = judgeUserAgent(inbound.agent, policy.blockedAgents)
  const isUnwelcome = verdict === 'refused' || (policy.strictAgents && verdict === 'undescriptive')
  const call: Call = { inbound, verdict, isUnwelcome, network: networkOf(inbound.peer) }
  const credentials = parseBasic(inbound.authorization ?? '')
  if (credentials === undefined) return refusalOf(call)
  const atOnce = await store.write(async (w): Promise<readonly Reply[] | Unknown> => {
    if (await isDeafTo(w, call.network, updater.now())) return refusalOf(call)
    const login = await w.login(credentials.username)
    const isRight = passwords.isRightAtOnce(login, credentials.password)
    if (isRight === undefined) return { login }
    return settle(w, updater, call, isRight ? login : undefined)
  })
  if (!('login' in atOnce)) return atOnce
  const { login } = atOnce
  const isRight = await passwords.isRight(login, credentials.password)
  return store.write(async (w) => settle(w, updater, call, isRight ? login : undefined))
}

/** A request, and what can be said of it without the store. */
interface Call {
  readonly inbound: Inbound
  readonly verdict: Visit['verdict']
  readonly isUnwelcome: boolean
  readonly network: string
}

/** Whether it is the right password takes a slow hash to tell. */
interface Unknown {
  readonly login: Login | undefined
}

const refusalOf = ({ isUnwelcome }: Call): readonly Reply[] => only(isUnwelcome ? 'badagent' : 'badauth')

/** A failed login is counted for its peer; a badagent under the key, if there is one. The answer is the same. */
async function settle(
  w: Writing,
  { policy, now }: Updater,
  call: Call,
  who: Principal | undefined,
): Promise<readonly Reply[]> {
  if (who === undefined) {
    await countFailure(w, call.network, policy.limits, now())
    return refusalOf(call)
  }
  const { inbound, verdict } = call
  const visit: Visit = { who, inbound, verdict, limits: policy.limits, now: now() }
  if (!call.isUnwelcome) return serve(w, visit, policy, inbound.query)
  await keep(w, visit, await w.usageOf(who), refusalOf(call))
  return refusalOf(call)
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
