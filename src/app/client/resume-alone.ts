import { resumeSaved } from '../../client/control/resume.ts'
import type { ResumeResult } from '../../client/report/resume-result.ts'
import { systemRandom } from '../../platform/clock.ts'
import { savedState } from './saved-state.ts'
import type { ResolvedSettings } from './settings.ts'

/** Resumes accounts in the saved state, where no daemon runs; resolves when that is on disk. */
export async function resumeAlone(
  settings: ResolvedSettings,
  accounts: readonly string[],
): Promise<readonly ResumeResult[]> {
  const { jobs, memory, time } = savedState(settings)
  const desiredStates = jobs.map(({ desired }) => desired).filter(({ account }) => accounts.includes(account))
  const known = await memory.load()
  const now = time.now()
  const { state, results } = resumeSaved(known, desiredStates, {
    moment: { now, random: systemRandom() },
    clock: { now, wallAt: (at) => time.wallAt(at) },
  })
  await memory.save(state)
  return results
}
