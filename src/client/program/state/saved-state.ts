import type { AccountJob, LoopState } from '../../agent/agent.ts'
import { type ClientTime, clientTime } from '../../agent/memory/client-time.ts'
import { fileMemory, lastSavePaths } from '../../agent/memory/file-memory.ts'
import { type Memory, StateUnreadable } from '../../agent/memory/memory.ts'
import { type AccountReport, clockView, ExchangeLog, reportAccounts } from '../../report/report.ts'
import type { SystemPorts } from '../../../shared/ports/system.ts'
import { NO_DETECTION } from '../../detect/address-detection.ts'
import { jobsOf } from '../jobs.ts'
import type { ResolvedSettings } from '../../settings/settings.ts'

/** The state on disk, for commands that read or change it without a daemon. */
interface SavedState {
  readonly jobs: readonly AccountJob[]
  readonly memory: Memory
  readonly time: ClientTime
}

/** A change of the saved state could not be written. */
export class ChangeNotSaved extends Error {
  constructor(folder: string, because: string) {
    super(
      `${folder} is not writable (${because}); the state is unchanged, with its stops; ` +
        'free space or make the folder writable, or run the command as the user that owns it',
    )
  }
}

export function savedState(
  settings: ResolvedSettings,
  { clocks, files }: Pick<SystemPorts, 'clocks' | 'files'>,
): SavedState {
  const time = clientTime(clocks)
  const memory = fileMemory(settings.stateFolders, {
    files,
    time,
    isOnRequest: true,
    lastSaves: lastSavePaths(settings.runtimeDir, settings.stateDir),
    report: (problem) => {
      if (problem.kind === 'stateSavedAgain' || problem.kind === 'stateOutdated') return
      const { kind, because } = problem
      if (kind === 'stateUnreadable') throw new StateUnreadable(problem.path, because, 'reader')
      throw new ChangeNotSaved(settings.stateDir, because)
    },
  })
  return { jobs: jobsOf(settings, NO_DETECTION), memory, time }
}

/** The reports of the saved state. */
export async function savedReports({ jobs, memory, time }: SavedState): Promise<readonly AccountReport[]> {
  const state = await memory.load()
  const clock = clockView(time)
  const world = { sightings: undefined, nextLook: clock.now }
  const loop: LoopState = { state, world, action: { kind: 'halt' }, jobs }
  return reportAccounts(loop, { exchanges: new ExchangeLog(), clock })
}
