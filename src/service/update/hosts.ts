import { type Address, byFamily, familyOf, listed } from '../../shared/base/address.ts'
import { parseHostname } from '../../shared/base/hostname.ts'
import { actionOf } from '../../shared/protocol/reply.ts'
import { isUsable, type UpdateQuery } from '../../shared/protocol/update-query.ts'
import { asciiName } from '../model/dns-name.ts'
import type { Account } from '../model/tree.ts'
import { blockedHostnames, inheritedNochgs } from '../auth/sanctions.ts'
import type { Sanction } from '../store/account/sanctions.ts'
import type { StoreWrites } from '../store/store.ts'
import {
  addressesAt,
  apply,
  isLeft,
  type RecordChange,
  recordChangesAt,
  storedAddresses,
  type TargetChange,
} from './apply.ts'
import { countNochg, singleReply, type UpdateContext } from './context.ts'
import { callerOf, exceedsPlan, refusalAt, type RefusalWord } from './permission.ts'
import { targetReader, type UpdateTarget } from './targets.ts'
import type { TrailEntry } from '../model/trail.ts'
import type { Reply } from '../../shared/protocol/reply-codec.ts'

/** What an update changed at one target: each value, and its offline state. */
function trailOfUpdate(
  { principal, username, request }: UpdateContext,
  { name }: UpdateTarget,
  {
    changes,
    isOffline,
    now,
  }: Pick<TargetChange, 'isOffline' | 'now'> & { readonly changes: readonly RecordChange[] },
): readonly TrailEntry[] {
  const entry = {
    at: now,
    accountId: principal.accountId,
    isUpdate: true,
    actor: `${principal.kind} ${username}`,
    peer: request.peer,
    operation: 'update',
    subject: name.fqdn,
  } as const
  const values = changes.map(({ dnsType, value, rdataId }) => {
    const before = name.rdata.filter((one) => one.dnsType === dnsType && (rdataId ?? one.id) === one.id)
    return {
      ...entry,
      dnsType,
      ...(before.length > 0 && { before: before.map((one) => one.value).join(', ') }),
      after: value,
    }
  })
  const states =
    name.isOffline === isOffline
      ? []
      : [{ ...entry, before: stateOf(name.isOffline), after: stateOf(isOffline) }]
  return [...values, ...states]
}

const stateOf = (isOffline: boolean): string => (isOffline ? 'offline' : 'online')

interface HostReplies {
  readonly replies: readonly Reply[]
  /** `key`: some hostname exceeded the limit of `nochg`. `items`: all that the request asks for is blocked. */
  readonly abuse: 'key' | 'items' | undefined
  /** Every refusal is only for a block of a hostname. */
  readonly isExcused: boolean
}

export interface HostsRequest {
  readonly query: UpdateQuery
  /** Of the query, in one spelling: see `namesOf`. */
  readonly names: readonly string[]
  /** The item that stands for all targets of the key. */
  readonly allHostnames: string
  /** Of the DDNS keys of the account that are gone. */
  readonly sanctions: readonly Sanction[]
}

/** One target with what the update changes there, or why it may not. */
interface PlannedTarget {
  readonly target: UpdateTarget
  readonly changes: readonly RecordChange[]
  /** The request says nothing about it. */
  readonly isLeft: boolean
  readonly refusal: RefusalWord | undefined
}

/** What a request asks for, once: the targets of each item, and each target by whatever items it is reached. */
interface RequestPlan {
  readonly items: ReadonlyMap<string, readonly PlannedTarget[]>
  readonly targets: readonly PlannedTarget[]
}

/**
 * One reply for each item of the hostname list, in its order; `nohost` without a list. `!donator` is for the whole
 * request, so everything is planned before anything is changed.
 */
export async function answerHosts(
  w: StoreWrites,
  context: UpdateContext,
  { query, names, allHostnames, sanctions: ofKeys }: HostsRequest,
): Promise<HostReplies> {
  const account = await w.account(context.principal.accountId)
  if (query.hostnames === undefined || account === undefined) return only('nohost')
  const isVoid = query.isVoid || query.offline === 'unknown'
  const isOfPeer = listed(query.addresses).length === 0 && query.prefix === undefined && !isVoid
  // The address of a proxy is not that of a client, and a proxy may send one that no host has. The operator must
  // correct the proxy, and the client waits.
  if (isOfPeer && (context.request.isProxy || !isUsable(context.request.peer))) return only('911')
  const change: TargetChange = {
    addresses: isOfPeer ? byFamily([context.request.peer]) : query.addresses,
    ...(query.prefix !== undefined && { prefix: query.prefix }),
    isOffline: query.offline === 'yes',
    isVoid,
    now: context.now,
  }
  const planned = await planOf(w, context.principal, { account, items: names, allHostnames, change })
  const hostnames = new Set(planned.targets.map(({ target }) => target.name.fqdn))
  const asked = [...new Set([...names, ...hostnames])]
  const ofHostnames =
    account.hasSanctions === true ? await w.sanctionsOf(context.principal.accountId, asked) : []
  const sanctions = [...ofKeys, ...ofHostnames]
  const blocked =
    ofHostnames.length === 0
      ? NOTHING_BLOCKED
      : await blockedHostnames(w, { principal: context.principal, hostnames }, { ...context, sanctions })
  const plan = withoutBlocked(planned, blocked)
  if (plan === undefined) return { replies: singleReply('abuse'), abuse: 'items', isExcused: true }
  const added = plan.targets.flatMap(({ changes, refusal }) => (refusal === undefined ? changes : []))
  const isOverPlan = await exceedsPlan(w, account, added.filter(isNew).length)
  if (isOverPlan || plan.targets.some(({ refusal }) => refusal === '!donator')) return only('!donator')
  const { replies, isAbuse } = await applyAll(w, context, { plan, change, sanctions })
  const isExcused = [...replies].every(
    ([item, { word }]) =>
      actionOf(word).kind !== 'stop' ||
      (plan.items.get(item)?.every(({ refusal }) => refusal !== undefined) === true &&
        planned.items.get(item)?.some(({ refusal }) => refusal === undefined) === true),
  )
  return {
    replies: names.flatMap((item) => replies.get(item) ?? []),
    abuse: isAbuse ? 'key' : undefined,
    isExcused,
  }
}

const NOTHING_BLOCKED: ReadonlySet<string> = new Set()

/** The items of a request are compared and counted by this spelling. */
const normalized = (item: string): string => parseHostname(asciiName(item)) ?? item.toLowerCase()

/** The names that an update will ask for, in its order. */
export const namesOf = ({ hostnames = [] }: UpdateQuery): readonly string[] =>
  // No name has U+0000, and the JSON of PostgreSQL does not either.
  hostnames.map((hostname) => normalized(hostname.replaceAll('\0', '\ufffd')))

const only = (word: RefusalWord | '911'): HostReplies => ({
  replies: singleReply(word),
  abuse: undefined,
  isExcused: false,
})
const isNew = (change: RecordChange): boolean => change.isNew

interface AskedItems {
  readonly account: Account
  readonly items: readonly string[]
  readonly allHostnames: string
  readonly change: TargetChange
}

/** The work grows with the items and the targets, and never with their product, which the sender chooses. */
async function planOf(
  w: StoreWrites,
  principal: UpdateContext['principal'],
  { account, items, allHostnames, change }: AskedItems,
): Promise<RequestPlan> {
  const planned = new Map<string, readonly PlannedTarget[]>()
  const targets = new Map<string, PlannedTarget>()
  const reader = targetReader(w, principal, allHostnames)
  for (const item of new Set(items)) {
    const ofItem: PlannedTarget[] = []
    for (const target of await reader(item)) {
      const key = `${target.name.nameId} ${target.rdataId ?? ''}`
      const known = targets.get(key) ?? (await planAt(w, account, { target, change }))
      targets.set(key, known)
      ofItem.push(known)
    }
    planned.set(item, ofItem)
  }
  return { items: planned, targets: [...targets.values()] }
}

async function planAt(
  w: StoreWrites,
  account: Account,
  { target, change }: { readonly target: UpdateTarget; readonly change: TargetChange },
): Promise<PlannedTarget> {
  const changes = recordChangesAt(target, change)
  return {
    target,
    changes,
    isLeft: isLeft(target, change),
    refusal: await refusalAt(w, callerOf(account), { target, changes }),
  }
}

const v4First = (addresses: readonly Address[]): readonly Address[] => [
  ...addresses.filter((one) => familyOf(one) === 'v4'),
  ...addresses.filter((one) => familyOf(one) === 'v6'),
]

/** A blocked hostname is refused; undefined if there is no other one. */
function withoutBlocked(
  { items, targets }: RequestPlan,
  blocked: ReadonlySet<string>,
): RequestPlan | undefined {
  if (blocked.size === 0) return { items, targets }
  if (targets.every(({ target }) => blocked.has(target.name.fqdn))) return undefined
  const known = new Map(
    targets.map((one) => [
      one,
      blocked.has(one.target.name.fqdn) ? { ...one, refusal: 'nohost' as const } : one,
    ]),
  )
  const replaced = (list: readonly PlannedTarget[]): readonly PlannedTarget[] =>
    list.map((one) => known.get(one) ?? one)
  return {
    items: new Map(Array.from(items, ([item, own]) => [item, replaced(own)])),
    targets: replaced(targets),
  }
}

/** The reply of each item. */
async function applyAll(
  w: StoreWrites,
  context: UpdateContext,
  {
    plan,
    change,
    sanctions,
  }: {
    readonly plan: RequestPlan
    readonly change: TargetChange
    readonly sanctions: readonly Sanction[]
  },
): Promise<{ readonly replies: ReadonlyMap<string, Reply>; readonly isAbuse: boolean }> {
  const changed = new Map<PlannedTarget, boolean>()
  for (const planned of plan.targets) {
    if (planned.refusal !== undefined || planned.isLeft) continue
    const isChanged = await apply(w, planned.target, { ...change, changes: planned.changes })
    changed.set(planned, isChanged)
    if (isChanged)
      await w.addTrail(trailOfUpdate(context, planned.target, { ...change, changes: planned.changes }))
  }
  const replies = new Map<string, Reply>()
  let isAbuse = false
  for (const [item, targets] of plan.items) {
    const reply = replyOf(targets, changed, change)
    // What it says nothing about is no repetition.
    if (reply.word === 'nochg' && targets.some((one) => !one.isLeft)) {
      // One count for a key, whether a request names its username or all hostnames.
      const isGroup = !item.includes('.')
      const [hostname, subject] = isGroup ? [context.username, ''] : [item, item]
      const inherited = inheritedNochgs(context.principal, { name: hostname, isGroup }, sanctions)
      isAbuse = (await countNochg(w, context, { hostname, subject, inherited })) || isAbuse
    }
    replies.set(item, reply)
  }
  return { replies, isAbuse }
}

function replyOf(
  targets: readonly PlannedTarget[],
  changed: ReadonlyMap<PlannedTarget, boolean>,
  change: TargetChange,
): Reply {
  const allowed = targets.filter(({ refusal }) => refusal === undefined)
  if (allowed.length === 0) return { word: 'nohost' }
  if (allowed.every((one) => one.isLeft)) {
    const stored = [...new Set(allowed.flatMap(({ target }) => storedAddresses(target)))]
    return stored.length === 0 ? { word: 'nohost' } : { word: 'nochg', addresses: v4First(stored) }
  }
  const addresses = v4First([...new Set(allowed.flatMap(({ target }) => addressesAt(target, change)))])
  return { word: allowed.some((one) => changed.get(one) === true) ? 'good' : 'nochg', addresses }
}
