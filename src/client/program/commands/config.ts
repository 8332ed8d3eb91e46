import { domainToUnicode } from 'node:url'
import { missingRules, writeProblem } from '../../settings/local-checks.ts'
import { scheduleOf } from '../../settings/client-schedule.ts'
import { type ResolvedSettings, readSettings } from '../../settings/settings.ts'
import type { Exit } from '../../../shared/program/exit-codes.ts'
import { writeError } from '../../../shared/program/streams.ts'
import { clientSchema } from '../../settings/client-schema.ts'
import { formatComplaint } from '../../../shared/settings/setting.ts'
import { effectiveSettings, formatToml } from './config-show.ts'
import type { ConfigFlags } from './flags.ts'
import { fail, print, printJson } from '../../../shared/program/output.ts'

/** `holdfast config`: checks or shows the configuration, or prints its schema. Sends nothing. */
export async function configCommand(flags: ConfigFlags): Promise<Exit> {
  const { asJson, operation } = flags
  if (operation === 'schema') {
    print(JSON.stringify(clientSchema(), null, 2))
    return 'settled'
  }
  const settings = await readSettings(flags.settings)
  if (!settings.ok) return fail(settings.error, asJson)
  const schedule = await scheduleOf(settings.value)
  if (!schedule.ok) return fail(schedule.error, asJson)
  if (operation === 'check') return check(settings.value, asJson)
  for (const warning of settings.value.warnings) writeError(`holdfast: ${warning}\n`)
  const effective = effectiveSettings(settings.value)
  if (asJson) printJson(effective)
  else print(...formatToml(effective, settings.value))
  return 'settled'
}

/** Stricter than a start: a missing interface, which a daemon waits for, is an error here. */
async function check(settings: ResolvedSettings, asJson: boolean): Promise<Exit> {
  const problem = await writeProblem(settings.stateDir)
  const where = settings.config.places['stateDir'] ?? ''
  const errors = [
    ...settings.strictWarnings,
    ...(problem === undefined ? [] : [formatComplaint({ where, problem: `state_dir: ${problem}` })]),
  ]
  const warnings = [
    ...settings.warnings.filter((warning) => !settings.strictWarnings.includes(warning)),
    ...(await missingRules(settings)),
  ]
  if (errors.length > 0) return fail({ exit: 'configuration', messages: [...errors, ...warnings] }, asJson)
  const notes = notesOn(settings)
  if (asJson) printJson({ exit: 'settled', complaints: [], warnings, notes })
  for (const warning of warnings) writeError(`holdfast: ${warning}\n`)
  if (!asJson) print(...notes, 'the configuration is valid')
  return 'settled'
}

/** Internationalized hostnames, which are sent in their ASCII form (RFC 5890). */
const notesOn = ({ accounts }: ResolvedSettings): readonly string[] =>
  accounts
    .flatMap(({ hostnames }) => hostnames)
    .filter((name) => name.includes('xn--'))
    .map((name) => `${domainToUnicode(name)} is sent as ${name}`)
