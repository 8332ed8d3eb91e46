import type { Charge, Rest } from '../client/agent/run.ts'
import { type Memory, fileMemory } from '../client/memory/memory.ts'
import { type Timeline, timeline } from '../client/memory/timeline.ts'
import { type AccountReport, collector, viewOf } from '../client/report/report.ts'
import { systemClocks } from '../platform/clock.ts'
import { systemFiles } from '../platform/files.ts'
import { chargesOf, stateFoldersOf } from './client.ts'
import { NOT_LOOKING } from './lookout.ts'
import type { Settings } from './settings.ts'

/** What is on disk, for commands that look at it or change it without a daemon. */
export interface Kept {
  readonly charges: readonly Charge[]
  readonly memory: Memory
  readonly time: Timeline
}

export class NotKept extends Error {
  constructor(folder: string, because: string) {
    super(`nothing can be written to ${folder} (${because}); the stops there stand as they were`)
  }
}

export function keptBy(settings: Settings): Kept {
  const time = timeline(systemClocks())
  // Looking must not set a broken file aside: that is for whoever works with it.
  const files = { ...systemFiles, rename: () => Promise.reject(new Error('only looking')) }
  const memory = fileMemory(files, stateFoldersOf(settings), time, ({ because }) => {
    throw new NotKept(settings.stateDir, because)
  })
  return { charges: chargesOf(settings, NOT_LOOKING), memory, time }
}

/** How things stand, as the state file says. */
export async function reportsFrom({ charges, memory, time }: Kept): Promise<readonly AccountReport[]> {
  const state = await memory.load()
  const now = time.now()
  const rest: Rest = { state, view: { sightings: undefined, nextLook: now }, act: { kind: 'halt' }, charges }
  return viewOf(rest, collector(), { now, wallAt: (at) => time.wallAt(at) })
}
