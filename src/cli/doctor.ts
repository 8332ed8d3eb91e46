import { evidenceOf } from '../app/client/evidence.ts'
import { readSettings } from '../app/client/settings.ts'
import type { Exit } from '../app/exit-codes.ts'
import type { Flags } from '../app/flags.ts'
import { type Diagnosis, diagnose, sayDiagnoses } from '../client/report/diagnose.ts'
import { fail, print, printJson } from './output.ts'
import { askInParallel } from './parallel-questions.ts'

/** `holdfast doctor`: what is wrong with this network, each with evidence and a remedy. Sends no update. */
export async function doctorCommand(flags: Flags): Promise<Exit> {
  const asJson = flags['json'] === true
  const settings = await readSettings(flags, 'nothing')
  if (!settings.ok) return fail(settings.error, asJson)
  const diagnoses = diagnose(
    await askInParallel(asJson, async (questions) => evidenceOf(settings.value, questions)),
  )
  if (asJson) printJson({ diagnoses })
  else print(...sayDiagnoses(diagnoses))
  return exitFor(diagnoses)
}

const exitFor = (diagnoses: readonly Diagnosis[]): Exit =>
  diagnoses.some(({ isTrouble }) => isTrouble) ? 'unreached' : 'settled'
