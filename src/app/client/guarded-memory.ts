import type { Agent } from '../../client/agent/agent.ts'
import { mergeStates } from '../../client/decide/merge.ts'
import type { State } from '../../client/decide/state.ts'
import type { DaemonLocks } from './daemon-locks.ts'

/**
 * Each time that the loop saves, and so before each request, the folders are checked first: neither another daemon's state
 * nor what a one-shot kept after the folder was deleted must be written over.
 */
export function withGuardedMemory(
  agent: Agent,
  holding: DaemonLocks,
  checked: (lost: string | undefined) => Promise<void> | void,
): Agent {
  const { memory } = agent
  let isUnread = false
  const save = async (state: State): Promise<State | undefined> => {
    if (holding.hasLost()) return undefined
    const { lost, isTaken } = await holding.renew()
    isUnread ||= isTaken
    await checked(lost)
    if (holding.hasLost()) return undefined
    const found = isUnread ? await memory.reread() : undefined
    isUnread = false
    return found === undefined || mergeStates(state, found) === state ? memory.save(state) : found
  }
  return { ...agent, memory: { ...memory, save } }
}
