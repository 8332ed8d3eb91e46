import { type Instant, after, isBefore } from '../../base/time.ts'
import { type Address, type Addresses, byFamily, listed } from '../../net/address.ts'
import { type Credentials, parseBasic } from '../../net/basic.ts'
import { type Reply, formatReply } from '../../protocol/reply-codec.ts'
import { type ReplyWord, mandateOf } from '../../protocol/reply.ts'
import { type Asked, readQuery } from '../../protocol/request.ts'
import { type Verdict, judgeUserAgent } from '../../protocol/user-agent.ts'
import type { Authenticate } from '../auth/login.ts'
import type { Principal, Usage } from '../model/rows.ts'
import type { Store, Writing } from '../store/store.ts'
import { apply } from './apply.ts'
import type { Inbound } from './inbound.ts'
import type { Limits } from './limits.ts'
import { networkOf } from './peer.ts'
import { counted, exceeds } from './tally.ts'
import { targetsFor } from './targets.ts'

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

const only = (word: Exclude<ReplyWord, 'good' | 'nochg'>): readonly Reply[] => [{ word }]

/**
 * From request to replies. The order of checks: User-Agent, Basic, throttle per peer, credentials, blocks, features
 * asked for, each hostname. Everything that is counted or changed is durable when this resolves.
 */
export async function answerUpdate(updater: Updater, inbound: Inbound): Promise<readonly Reply[]> {
  const { store, authenticate, policy, now } = updater
  const verdict = judgeUserAgent(inbound.agent, policy.blockedAgents)
  const isUnwelcome = verdict === 'refused' || (policy.strictAgents && verdict === 'undescriptive')
  const credentials = parseBasic(inbound.authorization ?? '')
  if (isUnwelcome) return rememberRefusal(updater, inbound, credentials)
  if (credentials === undefined) return only('badauth')
  const network = networkOf(inbound.peer)
  const { deafUntil } = await store.read((r) => r.failuresOf(network))
  if (deafUntil !== undefined && isBefore(now(), deafUntil)) return only('badauth')
  const who = await authenticate(credentials)
  if (who === undefined) {
    await store.write((w) => countFailure(w, network, policy.limits, now()))
    return only('badauth')
  }
  return store.write((w) => serve(w, { who, inbound, verdict }, policy, now()))
}

async function countFailure(
  w: Writing,
  network: string,
  { badauth, deafness }: Limits,
  now: Instant,
): Promise<void> {
  const moments = counted((await w.failuresOf(network)).moments, now, badauth)
  await w.putFailures(
    network,
    exceeds(moments, badauth) ? { moments: [], deafUntil: after(now, deafness) } : { moments },
  )
}

/** A client that is turned away for its User-Agent is counted under its key, if it has one; a stranger counts nowhere. */
async function rememberRefusal(
  updater: Updater,
  inbound: Inbound,
  credentials: Credentials | undefined,
): Promise<readonly Reply[]> {
  const { store, authenticate, policy, now } = updater
  const network = networkOf(inbound.peer)
  const { deafUntil } = await store.read((r) => r.failuresOf(network))
  const isDeaf = deafUntil !== undefined && isBefore(now(), deafUntil)
  const who = credentials === undefined || isDeaf ? undefined : await authenticate(credentials)
  if (credentials !== undefined && !isDeaf && who === undefined)
    await store.write((w) => countFailure(w, network, policy.limits, now()))
  if (who !== undefined)
    await store.write(async (w) =>
      keep(w, { who, inbound, verdict: 'refused' }, await w.usageOf(who), only('badagent'), {
        limits: policy.limits,
        now: now(),
      }),
    )
  return only('badagent')
}

interface Visit {
  readonly who: Principal
  readonly inbound: Inbound
  readonly verdict: Verdict
}

async function serve(w: Writing, visit: Visit, policy: Policy, now: Instant): Promise<readonly Reply[]> {
  const { who, inbound } = visit
  const { limits } = policy
  const known = await w.usageOf(who)
  const isBlocked = known.blockedUntil !== undefined && isBefore(now, known.blockedUntil)
  if (isBlocked) return keep(w, visit, known, only('abuse'), { limits, now })
  const requests = counted(known.requests, now, limits.requests)
  const usage = { requests, refusals: known.refusals, undescriptive: known.undescriptive }
  if (exceeds(requests, limits.requests))
    return keep(
      w,
      visit,
      { ...usage, requests: [], blockedUntil: after(now, limits.shortBlock) },
      only('abuse'),
      { limits, now },
    )
  const asked = readQuery(inbound.query)
  if (asked.isOffline && !(await w.hasOffline(who.accountId)))
    return keep(w, visit, usage, only('!donator'), { limits, now })
  const { replies, isAbuse } = await answerHosts(w, who, asked, { inbound, policy, now })
  if (isAbuse)
    return keep(w, visit, { ...usage, blockedUntil: after(now, limits.longBlock) }, only('abuse'), {
      limits,
      now,
    })
  return keep(w, visit, usage, replies, { limits, now })
}

interface Context {
  readonly inbound: Inbound
  readonly policy: Policy
  readonly now: Instant
}

interface Answered {
  readonly replies: readonly Reply[]
  /** Some hostname heard `nochg` once too often. */
  readonly isAbuse: boolean
}

async function answerHosts(w: Writing, who: Principal, asked: Asked, context: Context): Promise<Answered> {
  if (asked.hostnames === undefined) return { replies: only('nohost'), isAbuse: false }
  const addresses = listed(asked.addresses).length > 0 ? asked.addresses : byFamily([context.inbound.peer])
  const replies: Reply[] = []
  let isAbuse = false
  for (const item of asked.hostnames) {
    const reply = await answerHost(w, who, item, { ...context, addresses, isOffline: asked.isOffline })
    if (reply.word === 'nochg') isAbuse = (await countNochg(w, who, item.toLowerCase(), context)) || isAbuse
    replies.push(reply)
  }
  return { replies, isAbuse }
}

type Wanted = Context & { readonly addresses: Addresses; readonly isOffline: boolean }

async function answerHost(w: Writing, who: Principal, item: string, wanted: Wanted): Promise<Reply> {
  const targets = await targetsFor(w, who, item, wanted.policy.allHostnames)
  const outcomes = new Set<string>()
  for (const target of targets) outcomes.add(await apply(w, target, wanted, wanted.now))
  const addresses: readonly Address[] = listed(wanted.addresses)
  if (outcomes.has('changed')) return { word: 'good', addresses }
  return outcomes.has('unchanged') ? { word: 'nochg', addresses } : { word: 'nohost' }
}

async function countNochg(
  w: Writing,
  who: Principal,
  hostname: string,
  { policy, now }: Context,
): Promise<boolean> {
  const { nochg } = policy.limits
  const moments = counted(await w.nochgsOf(who, hostname), now, nochg)
  const isAbuse = exceeds(moments, nochg)
  await w.putNochgs(who, hostname, isAbuse ? [] : moments)
  return isAbuse
}

/** The last thing of every visit: what it adds to the counts, and when and how it was. */
async function keep(
  w: Writing,
  { who, inbound, verdict }: Visit,
  usage: Usage,
  replies: readonly Reply[],
  { limits, now }: { readonly limits: Limits; readonly now: Instant },
): Promise<readonly Reply[]> {
  const isRefused =
    usage.blockedUntil === undefined && replies.some(({ word }) => mandateOf(word).kind === 'stop')
  const refusals = isRefused ? counted(usage.refusals, now, limits.refusals) : usage.refusals
  const isTooMany = isRefused && exceeds(refusals, limits.refusals)
  const answers = isTooMany ? only('abuse') : replies
  const undescriptive = usage.undescriptive + (verdict === 'undescriptive' ? 1 : 0)
  const blocked = isTooMany ? { refusals: [], blockedUntil: after(now, limits.longBlock) } : { refusals }
  const reply = answers[0] === undefined ? '' : formatReply(answers[0])
  await w.putUsage(
    who,
    { ...usage, ...blocked, undescriptive },
    { at: now, agent: (inbound.agent ?? '').slice(0, 256), peer: inbound.peer, reply },
  )
  return answers
}
