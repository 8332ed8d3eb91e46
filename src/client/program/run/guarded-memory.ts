import type { Agent } from '../../agent/agent.ts'
import { mergeStates } from '../../decide/merge.ts'
import type { State } from '../../decide/state.ts'
import type { DaemonLocks } from './locks.ts'

/**
 * The agent with a memory that checks the locks before each save, and so before each request. It must not overwrite the
 * state of another daemon, or one that a one-shot command saved after the folder was deleted.
 */
export function withGuardedMemory(
  agent: Agent,
  locks: DaemonLocks,
  onChecked: (lost: string | undefined) => Promise<void> | void,
): Agent {
  const { memory } = agent
  let mustReread = false
  const save = async (state: State): Promise<State | undefined> => {
    if (locks.hasLost()) return undefined
    const { lost, wasMissing } = await locks.renew()
    mustReread ||= wasMissing
    await onChecked(lost)
    if (locks.hasLost()) return undefined
    const other = mustReread ? await memory.reread() : undefined
    mustReread = false
    return other === undefined || mergeStates(state, other) === state ? memory.save(state) : other
  }
  return { ...agent, memory: { ...memory, save } }
}
