import type { RecordLook } from '../app/client/status/record-look.ts'
import { milliseconds } from '../base/time.ts'
import type { SystemPorts } from '../ports/system.ts'
import { evidenceOf } from '../app/client/status/evidence.ts'
import { readSettings } from '../app/client/settings/settings.ts'
import type { Exit } from '../app/exit-codes.ts'
import { presentTroubles } from '../app/client/status/status-report.ts'
import { StateUnreadable } from '../client/memory/memory.ts'
import { diagnose, formatDiagnoses } from '../client/report/diagnose.ts'
import { troubleLines } from '../client/report/troubles.ts'
import type { DoctorFlags } from './parse/flag-tables.ts'
import { systemPorts } from './system.ts'
import { fail, printJson, printWrapped } from './terminal/output.ts'
import { queryInParallel } from './terminal/parallel-queries.ts'

/** `holdfast doctor`: finds problems of this network, each with evidence and a remedy. Sends no update. */
export async function doctorCommand({ asJson, settings: flags }: DoctorFlags): Promise<Exit> {
  const settings = await readSettings(flags, 'nothing')
  if (!settings.ok) return fail(settings.error, asJson)
  const system = systemPorts()
  const [evidence, troubles] = await Promise.all([
    queryInParallel(asJson, async (queries) => evidenceOf(settings.value, queries, system)),
    presentTroubles(settings.value, system),
  ])
  const diagnoses = diagnose(evidence)
  const records = await recordsOf(flags, system)
  if (asJson) printJson({ diagnoses, troubles, records })
  else
    printWrapped(
      ...formatDiagnoses(diagnoses),
      ...troubleLines(troubles),
      ...records.map(({ account, message }) => `${account}: ${message}`),
    )
  return [...diagnoses, ...records].some(({ isTrouble }) => isTrouble) ? 'unreached' : 'settled'
}

/** In milliseconds, for all services together. */
const RECORDS_TIMEOUT = 30_000

/** What services of records have; nothing where the accounts are not complete, which `config check` says. */
async function recordsOf(
  flags: DoctorFlags['settings'],
  system: SystemPorts,
): Promise<readonly RecordLook[]> {
  const settings = await readSettings(flags)
  if (!settings.ok) return []
  const { lookAtRecords } = await import('../app/client/status/record-look.ts')
  const signal = system.steady.deadline(milliseconds(RECORDS_TIMEOUT))
  return lookAtRecords(settings.value, system, signal).catch((error: unknown) => {
    // Without the state, a stop may stand.
    if (error instanceof StateUnreadable) return []
    throw error
  })
}
