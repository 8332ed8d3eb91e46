import { byFamily, listed } from '../../net/address.ts'
import { parseHostname } from '../../net/hostname.ts'
import type { Reply } from '../../protocol/reply-codec.ts'
import { isUsable, type UpdateQuery } from '../../protocol/request.ts'
import type { Account } from '../model/tree.ts'
import type { StoreWrites } from '../store/store.ts'
import { addressesAt, apply, type RecordChange, recordChangesAt, type TargetChange } from './apply.ts'
import { countNochg, singleReply, type UpdateContext } from './context.ts'
import { callerOf, exceedsPlan, type RefusalWord, refusalAt } from './permission.ts'
import { targetsFor, type UpdateTarget } from './targets.ts'
import { trailOfUpdate } from './trail.ts'

interface HostReplies {
  readonly replies: readonly Reply[]
  /** Whether some hostname exceeded the limit of `nochg`. */
  readonly isAbuse: boolean
}

export interface HostsRequest {
  readonly query: UpdateQuery
  /** The item that stands for all targets of the key. */
  readonly allHostnames: string
}

/** One target with what the update changes there, or why it may not. */
interface PlannedTarget {
  readonly target: UpdateTarget
  readonly changes: readonly RecordChange[]
  readonly refusal: RefusalWord | undefined
}

/** One item of the hostname list. */
interface PlannedItem {
  readonly item: string
  readonly targets: readonly PlannedTarget[]
}

/**
 * One reply for each item of the hostname list, in its order; `nohost` without a list. `!donator` is for the whole
 * request, so everything is planned before anything is changed.
 */
export async function answerHosts(
  w: StoreWrites,
  context: UpdateContext,
  { query, allHostnames }: HostsRequest,
): Promise<HostReplies> {
  const account = await w.account(context.principal.accountId)
  if (query.hostnames === undefined || account === undefined) return only('nohost')
  const hasAddresses = listed(query.addresses).length > 0
  // The address of a proxy is not that of a client, and a proxy may send one that no host has. The operator must
  // correct the proxy, and the client waits.
  if (!hasAddresses && (context.request.isProxy || !isUsable(context.request.peer))) return only('911')
  const change = {
    addresses: hasAddresses ? query.addresses : byFamily([context.request.peer]),
    isOffline: query.isOffline,
    now: context.now,
  }
  const planned: PlannedItem[] = []
  for (const item of query.hostnames) {
    const targets = await targetsFor(w, context.principal, { item, allHostnames })
    planned.push({ item, targets: await planAt(w, account, { targets, change }) })
  }
  const all = planned.flatMap(({ targets }) => targets)
  const added = all.flatMap(({ changes, refusal }) => (refusal === undefined ? changes : [])).filter(isNew)
  const isOverPlan = await exceedsPlan(w, account, added.length)
  return isOverPlan || all.some(({ refusal }) => refusal === '!donator')
    ? only('!donator')
    : applyAll(w, context, { planned, change })
}

/** What an item is counted by. */
const countedName = (item: string): string => parseHostname(item) ?? item.toLowerCase()

/** The names that an update will ask for. */
export const namesOf = ({ hostnames = [] }: UpdateQuery): readonly string[] => hostnames.map(countedName)

const only = (word: RefusalWord | '911'): HostReplies => ({ replies: singleReply(word), isAbuse: false })
const isNew = (change: RecordChange): boolean => change.isNew

async function planAt(
  w: StoreWrites,
  account: Account,
  { targets, change }: { readonly targets: readonly UpdateTarget[]; readonly change: TargetChange },
): Promise<readonly PlannedTarget[]> {
  const planned: PlannedTarget[] = []
  for (const target of targets) {
    const changes = recordChangesAt(target, change)
    planned.push({ target, changes, refusal: await refusalAt(w, callerOf(account), { target, changes }) })
  }
  return planned
}

async function applyAll(
  w: StoreWrites,
  context: UpdateContext,
  { planned, change }: { readonly planned: readonly PlannedItem[]; readonly change: TargetChange },
): Promise<HostReplies> {
  const replies: Reply[] = []
  let isAbuse = false
  for (const { item, targets } of planned) {
    const reply = await answerHost(w, targets, { ...change, context })
    if (reply.word === 'nochg') isAbuse = (await countNochg(w, context, countedName(item))) || isAbuse
    replies.push(reply)
  }
  return { replies, isAbuse }
}

async function answerHost(
  w: StoreWrites,
  targets: readonly PlannedTarget[],
  { context, ...change }: TargetChange & { readonly context: UpdateContext },
): Promise<Reply> {
  const outcomes = new Set<boolean>()
  const allowed = targets.filter(({ refusal }) => refusal === undefined)
  for (const { target, changes } of allowed) {
    const isChanged = await apply(w, target, { ...change, changes })
    outcomes.add(isChanged)
    if (isChanged) await w.addTrail(trailOfUpdate(context, target, { ...change, changes }))
  }
  const current = new Set(allowed.flatMap(({ target }) => addressesAt(target, change)))
  const addresses = listed(change.addresses).filter((address) => current.has(address))
  if (outcomes.has(true)) return { word: 'good', addresses }
  return outcomes.has(false) ? { word: 'nochg', addresses } : { word: 'nohost' }
}
