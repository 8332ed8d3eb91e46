import { byFamily, listed } from '../../net/address.ts'
import type { Reply } from '../../protocol/reply-codec.ts'
import type { UpdateQuery } from '../../protocol/request.ts'
import type { StoreWrites } from '../store/store.ts'
import { apply, type TargetChange } from './apply.ts'
import { countNochg, singleReply, type UpdateContext } from './context.ts'
import { targetsFor } from './targets.ts'

export interface HostReplies {
  readonly replies: readonly Reply[]
  /** Whether some hostname exceeded the limit of `nochg`. */
  readonly isAbuse: boolean
}

interface HostsRequest {
  readonly query: UpdateQuery
  /** The item that stands for all targets of the key. */
  readonly allHostnames: string
}

/** One reply for each item of the hostname list, in its order; `nohost` without a list. */
export async function answerHosts(
  w: StoreWrites,
  context: UpdateContext,
  { query, allHostnames }: HostsRequest,
): Promise<HostReplies> {
  if (query.hostnames === undefined) return { replies: singleReply('nohost'), isAbuse: false }
  const hasAddresses = listed(query.addresses).length > 0
  const change = {
    addresses: hasAddresses ? query.addresses : byFamily([context.request.peer]),
    isOffline: query.isOffline,
    now: context.now,
  }
  const replies: Reply[] = []
  let isAbuse = false
  for (const item of query.hostnames) {
    const targets = await targetsFor(w, context.principal, { item, allHostnames })
    const reply = await answerHost(w, targets, change)
    if (reply.word === 'nochg') isAbuse = (await countNochg(w, context, item.toLowerCase())) || isAbuse
    replies.push(reply)
  }
  return { replies, isAbuse }
}

async function answerHost(
  w: StoreWrites,
  targets: Awaited<ReturnType<typeof targetsFor>>,
  change: TargetChange,
): Promise<Reply> {
  const outcomes = new Set<string>()
  for (const target of targets) outcomes.add(await apply(w, target, change))
  const addresses = listed(change.addresses)
  if (outcomes.has('changed')) return { word: 'good', addresses }
  return outcomes.has('unchanged') ? { word: 'nochg', addresses } : { word: 'nohost' }
}
