import { isUsername } from '../auth/hashes.ts'
import {
  countWrongPassword,
  lockedOutUntil,
  type LoginOrigin,
  loginPeer,
  recordFailedLogin,
} from '../auth/failed-logins.ts'
import { after, type Instant } from '../../shared/base/time.ts'
import type { BareWord } from '../../shared/protocol/reply.ts'
import { classifyUserAgent } from '../../shared/protocol/user-agent.ts'
import type { AbuseLimits } from '../auth/limits.ts'
import { endInherited, inheritedUsage } from '../auth/sanctions.ts'
import { exceeds, withEvent } from '../auth/sliding-window.ts'
import type { PasswordChecker } from '../auth/login.ts'
import { networkOf, shareOf } from '../../shared/base/network.ts'
import type { Audit, AuditEvent } from '../model/audit.ts'
import type { Login, Usage } from '../model/rows.ts'
import type { ReadUpdate } from './read-update.ts'
import type { About, Store, StoreWrites } from '../store/store.ts'
import { isBlocked, recordUsage, singleReply, type UpdateContext, type UpdateOutcome } from './context.ts'
import { answerHosts, type HostsRequest } from './hosts.ts'
import { doorAnswer, type DoorAnswer, type DoorState } from '../rules/doors.ts'
import type { Reply } from '../../shared/protocol/reply-codec.ts'

/** What `/nic/update` says where the door is not open. */
const DOOR_REPLIES = {
  suspended: 'abuse',
  blocked: 'abuse',
  websiteOnly: '!donator',
  lacksFeature: '!donator',
} as const satisfies Partial<Record<DoorAnswer, BareWord>>

/** What `/nic/update` answers to a login. */
const updateDoor = (
  { kind, isSuspended, needsFactor }: Login,
  state: Pick<DoorState, 'isBlocked' | 'lacksFeature' | 'isWebsiteOnly'> = {},
) =>
  doorAnswer('update', kind === 'key' ? 'ddnsKey' : 'password', {
    isSuspended,
    ...(needsFactor && { needsFactor }),
    ...state,
  }) as 'open' | 'unknown' | keyof typeof DOOR_REPLIES

export interface UpdatePolicy {
  readonly limits: AbuseLimits
  readonly allHostnames: string
  readonly strictAgents: boolean
  readonly blockedAgents: readonly string[]
}

export interface Updater {
  readonly store: Store
  readonly passwords: PasswordChecker
  readonly policy: UpdatePolicy
  readonly now: () => Instant
  /** Receives what an operator must be able to find later, when it is durable. */
  readonly audit: Audit
}

/** In characters, of what is named in the log and in the list of clients. */
const MAX_UNREADABLE = 80

/** The answer, and what the operator's log says about it. */
interface Settled {
  readonly replies: readonly Reply[]
  readonly events: readonly AuditEvent[]
}

/**
 * From request to replies. The order of checks: Basic, credentials, User-Agent, the door, blocks, requested features, each
 * hostname. A refused login is answered badagent where the User-Agent is refused too.
 * A password that takes a slow hash is not checked during a lockout: 911, because `badauth` stops a client for good and
 * is said of checked credentials only. All changes are durable when this resolves. The request of a DDNS key is one
 * transaction; the slow hash runs between two, because a transaction blocks all other requests.
 */
export async function answerUpdate(updater: Updater, update: ReadUpdate): Promise<readonly Reply[]> {
  const { store, passwords } = updater
  const { request, credentials } = update
  const call = updateCall(updater.policy, update)
  if (credentials === undefined && request.authorization === undefined) return refusedLogin(call)
  // No password is tested by a malformed login, and a flood of them is one of guesses all the same.
  if (credentials === undefined)
    return audited(
      updater,
      await store.write(
        async (w) => settle(w, updater, { ...call, username: undefined, login: undefined }),
        () => aboutOf(call, ''),
      ),
    )
  const { username } = credentials
  const about = (): About => ({
    ...aboutOf(call, username),
    isLikelyRefused: passwords.isLikelyRefused(credentials),
  })
  const write = async <T>(work: (w: StoreWrites) => Promise<T>): Promise<T> =>
    update.isLong ? store.write(work) : store.write(work, about)
  const result = await write(async (w): Promise<Settled | PendingCheck> => {
    const login = await w.login(username)
    const isRight = passwords.checkFast(login, credentials)
    if (isRight === undefined) return (await isLockedOut(w, updater, call)) ? unchecked(call) : { login }
    const renewed = isRight && login !== undefined ? passwords.renewedHash(login, credentials) : undefined
    if (renewed !== undefined && login !== undefined) await w.changeKey(login.id, { hash: renewed })
    return settle(w, updater, { ...call, username, login: isRight ? login : undefined })
  })
  if (!('login' in result)) return audited(updater, result)
  const { login } = result
  const isRight = await passwords.checkSlow(login, credentials, shareOf(request.peer))
  if (isRight === undefined) return unchecked(call).replies
  return audited(
    updater,
    await write(async (w) => settle(w, updater, { ...call, username, login: isRight ? login : undefined })),
  )
}

function audited({ audit }: Updater, { replies, events }: Settled): readonly Reply[] {
  for (const event of events) audit(event)
  return replies
}

/** A request with the facts that do not need the store. */
interface UpdateCall {
  readonly update: ReadUpdate
  readonly userAgentClass: UpdateContext['userAgentClass']
  readonly isAgentRefused: boolean
  /** Undefined behind a proxy that does not say who the client is: nothing is counted. */
  readonly origin: LoginOrigin | undefined
}

function updateCall({ blockedAgents, strictAgents }: UpdatePolicy, update: ReadUpdate): UpdateCall {
  const { request } = update
  const userAgentClass = classifyUserAgent(request.userAgent, blockedAgents)
  const isAgentRefused = userAgentClass === 'refused' || (strictAgents && userAgentClass === 'nondescriptive')
  return {
    update,
    userAgentClass,
    isAgentRefused,
    origin: request.isProxy ? undefined : { endpoint: 'update', network: networkOf(request.peer) },
  }
}

const aboutOf = ({ update, origin }: UpdateCall, username: string): About => ({
  username,
  hostnames: update.names,
  peers: origin === undefined ? [] : [loginPeer(origin)],
})

/** Checking the password takes a slow hash. */
interface PendingCheck {
  readonly login: Login | undefined
}

const isLockedOut = async (w: StoreWrites, { policy, now }: Updater, call: UpdateCall): Promise<boolean> =>
  (await lockedOutUntil(w, call.origin, { limits: policy.limits, now: now() })) !== undefined

const refusedLogin = ({ isAgentRefused }: UpdateCall): readonly Reply[] =>
  singleReply(isAgentRefused ? 'badagent' : 'badauth')

/** The password was not checked: the client asks again after its wait. */
const unchecked = ({ isAgentRefused }: UpdateCall): Settled => ({
  replies: singleReply(isAgentRefused ? 'badagent' : '911'),
  events: [],
})

/** Counts a failed login under its peer, and a badagent under the principal if there is one. The replies are the same. */
async function settle(
  w: StoreWrites,
  { policy, now }: Updater,
  call: UpdateCall & { readonly username: string | undefined; readonly login: Login | undefined },
): Promise<Settled> {
  const { update, userAgentClass, username, login } = call
  const { request } = update
  const { peer } = request
  const isCredential = login !== undefined && updateDoor(login) !== 'unknown'
  if (!isCredential) {
    if (!(await w.hasAccounts())) return unchecked(call)
    // An account name cannot have the form of a key username.
    if (login === undefined && !isUsername(username ?? '')) await countWrongPassword(w, username, now())
    const isLockedNow = await recordFailedLogin(w, call.origin, { limits: policy.limits, now: now() })
    return { replies: refusedLogin(call), events: refusalEvents({ peer, username, login, isLockedNow }) }
  }
  const principal = login
  const context: UpdateContext = {
    principal,
    username: username ?? '',
    request,
    unreadable: update.query.unreadable.join(', ').slice(0, MAX_UNREADABLE),
    userAgentClass,
    limits: policy.limits,
    now: now(),
  }
  const usage = await w.usageOf(principal)
  if (call.isAgentRefused) {
    await recordUsage(w, context, { usage, replies: refusedLogin(call) })
    return { replies: refusedLogin(call), events: [] }
  }
  const answer = updateDoor(principal)
  if (answer !== 'open' && answer !== 'unknown') {
    const replies = await recordUsage(w, context, { usage, replies: singleReply(DOOR_REPLIES[answer]) })
    return { replies, events: [] }
  }
  const outcome = await outcomeOf(w, context, {
    usage,
    query: update.query,
    names: update.names,
    allHostnames: policy.allHostnames,
  })
  const replies = await recordUsage(w, context, outcome)
  const { blockedUntil } = await w.usageOf(principal)
  if (blockedUntil !== undefined && blockedUntil !== usage.blockedUntil && principal.kind === 'key')
    await w.passBlock(principal, blockedUntil, context.now)
  return {
    replies,
    events: [
      ...blockEvents(usage.blockedUntil, blockedUntil, { username: username ?? '', peer }),
      ...(context.unreadable === ''
        ? []
        : [{ kind: 'unreadable', peer, username: context.username, items: context.unreadable } as const]),
    ],
  }
}

interface RefusedLogin {
  readonly peer: string
  readonly username: string | undefined
  /** The password is right, and no credential. */
  readonly login: Login | undefined
  readonly isLockedNow: boolean
}

function refusalEvents({ peer, username, login, isLockedNow }: RefusedLogin): readonly AuditEvent[] {
  const endpoint = 'update'
  if (login === undefined)
    return [
      { kind: 'loginRefused', endpoint, peer, username },
      ...(isLockedNow ? [{ kind: 'lockedOut', endpoint, peer } as const] : []),
    ]
  return [
    { kind: 'secondFactorMissing', peer, username: username ?? '' },
    ...(isLockedNow ? [{ kind: 'lockedOut', endpoint, peer, lacksFactor: true } as const] : []),
  ]
}

/** A block that this request has caused, or one that was over before it. */
function blockEvents(
  before: Instant | undefined,
  until: Instant | undefined,
  who: { readonly username: string; readonly peer: string },
): readonly AuditEvent[] {
  if (before === until) return []
  return [until === undefined ? { kind: 'blockEnded', ...who } : { kind: 'blocked', ...who, until }]
}

async function outcomeOf(
  w: StoreWrites,
  context: UpdateContext,
  { usage: before, query, names, allHostnames }: { readonly usage: Usage } & Omit<HostsRequest, 'sanctions'>,
): Promise<UpdateOutcome> {
  const { principal, limits, now } = context
  const account = await w.account(principal.accountId)
  const hasSanctions = account?.hasSanctions === true
  const sanctions = hasSanctions ? await w.sanctionsOf(principal.accountId, ['']) : []
  const inherited = inheritedUsage(principal, before, { sanctions, limits, now })
  const blocked = updateDoor(principal, { isBlocked: isBlocked(inherited, context) })
  if (blocked === 'blocked')
    return { usage: before, replies: singleReply(DOOR_REPLIES[blocked]), isSanctioned: true }
  const { refusals, nondescriptive } = inherited
  const usage = { requests: withEvent(inherited.requests, now, limits.requests), refusals, nondescriptive }
  if (exceeds(usage.requests, limits.requests)) {
    await endInherited(w, principal, { subject: '', counts: 'requests' })
    return {
      usage: { ...usage, requests: [], blockedUntil: after(now, limits.shortBlock) },
      replies: singleReply('abuse'),
    }
  }
  const answer = updateDoor(principal, {
    isWebsiteOnly: account?.isWebsiteOnly === true,
    lacksFeature: query.offline === 'yes' && account?.plan.hasOffline !== true,
  })
  if (answer !== 'open' && answer !== 'unknown') return { usage, replies: singleReply(DOOR_REPLIES[answer]) }
  const { replies, abuse, isExcused } = await answerHosts(w, context, {
    query,
    names,
    allHostnames,
    sanctions,
  })
  if (abuse === 'items') return { usage, replies: singleReply('abuse'), isSanctioned: true }
  return abuse === 'key'
    ? { usage: { ...usage, blockedUntil: after(now, limits.longBlock) }, replies: singleReply('abuse') }
    : { usage, replies, isExcused }
}
