import { resumeSaved } from '../../report/resume-state.ts'
import type { ResumeResult } from '../../report/resume-result.ts'
import type { SystemPorts } from '../../../shared/ports/system.ts'
import { clockView } from '../../report/report.ts'
import { savedState } from './saved-state.ts'
import type { ResolvedSettings } from '../../settings/settings.ts'

/** Resumes accounts in the saved state; resolves when the change is on disk. */
export async function resumeWithoutDaemon(
  settings: ResolvedSettings,
  accounts: readonly string[],
  system: SystemPorts,
): Promise<readonly ResumeResult[]> {
  const { jobs, memory, time } = savedState(settings, system)
  const desiredStates = jobs.map(({ desired }) => desired).filter(({ account }) => accounts.includes(account))
  const saved = await memory.load()
  const clock = clockView(time)
  const moment = { now: clock.now, random: system.random() }
  const { state, results } = resumeSaved(saved, desiredStates, { moment, clock })
  await memory.save(state)
  return results
}
