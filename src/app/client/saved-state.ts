import type { AccountJob, LoopState } from '../../client/agent/loop-state.ts'
import { type ClientTime, clientTime } from '../../client/memory/client-time.ts'
import { fileMemory } from '../../client/memory/file-memory.ts'
import type { Memory } from '../../client/memory/memory.ts'
import { ExchangeLog } from '../../client/report/exchange-log.ts'
import { type AccountReport, reportAccounts } from '../../client/report/report.ts'
import { systemClocks } from '../../platform/clock.ts'
import { systemFiles } from '../../platform/files.ts'
import { NO_DETECTION } from './address-detection.ts'
import { stateFoldersOf } from './compose.ts'
import { jobsOf } from './jobs.ts'
import type { ResolvedSettings } from './settings.ts'

/** What is on disk, for commands that look at it or change it without a daemon. */
export interface SavedState {
  readonly jobs: readonly AccountJob[]
  readonly memory: Memory
  readonly time: ClientTime
}

export class NotSaved extends Error {
  constructor(folder: string, because: string) {
    super(`nothing can be written to ${folder} (${because}); the stops there stand as they were`)
  }
}

export function savedState(settings: ResolvedSettings): SavedState {
  const time = clientTime(systemClocks())
  // Looking must not set a broken file aside: that is for whoever works with it.
  const files = { ...systemFiles, rename: () => Promise.reject(new Error('only looking')) }
  const memory = fileMemory(stateFoldersOf(settings), {
    files,
    time,
    report: ({ because }) => {
      throw new NotSaved(settings.stateDir, because)
    },
  })
  return { jobs: jobsOf(settings, NO_DETECTION), memory, time }
}

/** How things stand, as the state file says. */
export async function reportsFrom({ jobs, memory, time }: SavedState): Promise<readonly AccountReport[]> {
  const state = await memory.load()
  const now = time.now()
  const rest: LoopState = {
    state,
    world: { sightings: undefined, nextLook: now },
    action: { kind: 'halt' },
    jobs: jobs,
  }
  return reportAccounts(rest, {
    exchanges: new ExchangeLog(),
    clock: { now, wallAt: (at) => time.wallAt(at) },
  })
}
