import { type Addresses, byFamily, listed } from '../../net/address.ts'
import type { Reply } from '../../protocol/reply-codec.ts'
import type { UpdateQuery } from '../../protocol/request.ts'
import type { StoreWrites } from '../store/store.ts'
import { apply } from './apply.ts'
import { countNochg, only, type UpdateContext } from './context.ts'
import { targetsFor } from './targets.ts'

export interface HostReplies {
  readonly replies: readonly Reply[]
  /** Some hostname heard `nochg` once too often. */
  readonly isAbuse: boolean
}

/** One reply for each item of the list, in its order; a list that is missing names no host. */
export async function answerHosts(
  w: StoreWrites,
  visit: UpdateContext,
  asked: UpdateQuery,
  allHostnames: string,
): Promise<HostReplies> {
  if (asked.hostnames === undefined) return { replies: only('nohost'), isAbuse: false }
  const isSupplied = listed(asked.addresses).length > 0
  const change = {
    addresses: isSupplied ? asked.addresses : byFamily([visit.inbound.peer]),
    isOffline: asked.isOffline,
  }
  const replies: Reply[] = []
  let isAbuse = false
  for (const item of asked.hostnames) {
    const reply = await answerHost(w, visit, { item, change }, allHostnames)
    if (reply.word === 'nochg') isAbuse = (await countNochg(w, visit, item.toLowerCase())) || isAbuse
    replies.push(reply)
  }
  return { replies, isAbuse }
}

interface HostUpdate {
  readonly item: string
  readonly change: { readonly addresses: Addresses; readonly isOffline: boolean }
}

async function answerHost(
  w: StoreWrites,
  { who, now }: UpdateContext,
  { item, change }: HostUpdate,
  allHostnames: string,
): Promise<Reply> {
  const goals = await targetsFor(w, who, item, allHostnames)
  const outcomes = new Set<string>()
  for (const goal of goals) outcomes.add(await apply(w, goal, change, now))
  const addresses = listed(change.addresses)
  if (outcomes.has('changed')) return { word: 'good', addresses }
  return outcomes.has('unchanged') ? { word: 'nochg', addresses } : { word: 'nohost' }
}
