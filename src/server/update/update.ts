import { after, type Instant } from '../../base/time.ts'
import { parseBasic } from '../../net/basic.ts'
import type { Reply } from '../../protocol/reply-codec.ts'
import { readQuery } from '../../protocol/request.ts'
import { classifyUserAgent } from '../../protocol/user-agent.ts'
import { lockedOutUntil, recordFailedLogin } from '../abuse/failed-logins.ts'
import type { AbuseLimits } from '../abuse/limits.ts'
import { exceeds, withEvent } from '../abuse/sliding-window.ts'
import type { Passwords } from '../auth/login.ts'
import { networkOf } from '../http/client-address.ts'
import type { IncomingRequest } from '../http/request.ts'
import type { Login, Principal } from '../model/rows.ts'
import type { Store, StoreWrites } from '../store/store.ts'
import { isBlocked, only, recordUsage, type UpdateContext } from './context.ts'
import { answerHosts } from './hosts.ts'

export interface UpdatePolicy {
  readonly limits: AbuseLimits
  readonly allHostnames: string
  readonly strictAgents: boolean
  readonly blockedAgents: readonly string[]
}

export interface Updater {
  readonly store: Store
  readonly passwords: Passwords
  readonly policy: UpdatePolicy
  readonly now: () => Instant
}

/**
 * From request to replies. The order of checks: User-Agent, Basic, throttle per peer, credentials, blocks, features
 * asked for, each hostname. Everything that is counted or changed is durable when this resolves. A DDNS key's request
 * is one transaction; only an account's password takes so long that nobody in the store can wait for it.
 */
export async function answerUpdate(updater: Updater, inbound: IncomingRequest): Promise<readonly Reply[]> {
  const { store, passwords, policy } = updater
  const verdict = classifyUserAgent(inbound.userAgent, policy.blockedAgents)
  const isUnwelcome = verdict === 'refused' || (policy.strictAgents && verdict === 'undescriptive')
  const call: UpdateCall = { inbound, userAgentClass: verdict, isUnwelcome, network: networkOf(inbound.peer) }
  const credentials = parseBasic(inbound.authorization ?? '')
  if (credentials === undefined) return refusalOf(call)
  const atOnce = await store.write(async (w): Promise<readonly Reply[] | Unknown> => {
    if ((await lockedOutUntil(w, call.network, updater.now())) !== undefined) return refusalOf(call)
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
interface UpdateCall {
  readonly inbound: IncomingRequest
  readonly userAgentClass: UpdateContext['userAgentClass']
  readonly isUnwelcome: boolean
  readonly network: string
}

/** Whether it is the right password takes a slow hash to tell. */
interface Unknown {
  readonly login: Login | undefined
}

const refusalOf = ({ isUnwelcome }: UpdateCall): readonly Reply[] =>
  only(isUnwelcome ? 'badagent' : 'badauth')

/** A failed login is counted for its peer; a badagent under the key, if there is one. The answer is the same. */
async function settle(
  w: StoreWrites,
  { policy, now }: Updater,
  call: UpdateCall,
  who: Principal | undefined,
): Promise<readonly Reply[]> {
  if (who === undefined) {
    await recordFailedLogin(w, call.network, { limits: policy.limits, now: now() })
    return refusalOf(call)
  }
  const { inbound, userAgentClass } = call
  const visit: UpdateContext = { who, inbound, userAgentClass, limits: policy.limits, now: now() }
  if (!call.isUnwelcome) return serve(w, visit, policy, inbound.query)
  await recordUsage(w, visit, await w.usageOf(who), refusalOf(call))
  return refusalOf(call)
}

async function serve(
  w: StoreWrites,
  visit: UpdateContext,
  policy: UpdatePolicy,
  query: string,
): Promise<readonly Reply[]> {
  const { who, limits, now } = visit
  const known = await w.usageOf(who)
  if (isBlocked(known, now)) return recordUsage(w, visit, known, only('abuse'))
  const { refusals, undescriptive } = known
  const usage = { requests: withEvent(known.requests, now, limits.requests), refusals, undescriptive }
  if (exceeds(usage.requests, limits.requests))
    return recordUsage(
      w,
      visit,
      { ...usage, requests: [], blockedUntil: after(now, limits.shortBlock) },
      only('abuse'),
    )
  const asked = readQuery(query)
  if (asked.isOffline && !(await w.hasOffline(who.accountId)))
    return recordUsage(w, visit, usage, only('!donator'))
  const { replies, isAbuse } = await answerHosts(w, visit, asked, policy.allHostnames)
  if (isAbuse)
    return recordUsage(w, visit, { ...usage, blockedUntil: after(now, limits.longBlock) }, only('abuse'))
  return recordUsage(w, visit, usage, replies)
}
