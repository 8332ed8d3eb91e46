import { evidenceOf } from '../status/evidence.ts'
import { readSoundSettings } from '../../settings/settings.ts'
import type { Exit } from '../../../shared/program/exit-codes.ts'
import { presentStatus } from '../status/status-report.ts'
import { diagnoseAccounts, diagnoseFaults, diagnoseTroubles } from '../../report/account-diagnoses.ts'
import { diagnose, formatDiagnoses } from '../../report/diagnose.ts'
import type { DoctorFlags } from './flags.ts'
import { recordLines, recordLooks } from './record-looks.ts'
import { systemPorts } from '../system.ts'
import { fail, printJson, printWrapped } from '../../../shared/program/output.ts'
import { queryInParallel } from './parallel-queries.ts'

/** `holdfast doctor`: finds problems of this network, each with evidence and a remedy. Sends no update. */
export async function doctorCommand({ asJson, settings: flags }: DoctorFlags): Promise<Exit> {
  const settings = await readSoundSettings(flags, 'nothing')
  if (!settings.ok) return fail(settings.error, asJson)
  const system = systemPorts()
  const [evidence, { accounts, troubles = [] }] = await Promise.all([
    queryInParallel(asJson, async (queries) => evidenceOf(settings.value, queries, system)),
    presentStatus(settings.value, system),
  ])
  const diagnoses = [
    ...diagnoseFaults(settings.value.faults),
    ...diagnoseAccounts(accounts),
    ...diagnoseTroubles(troubles),
    ...diagnose(evidence),
  ]
  const records = await recordLooks(flags, system)
  if (asJson) printJson({ diagnoses, troubles, records })
  else printWrapped(...formatDiagnoses(diagnoses), ...recordLines(records))
  return [...diagnoses, ...records].some(({ isTrouble }) => isTrouble) ? 'unreached' : 'settled'
}
