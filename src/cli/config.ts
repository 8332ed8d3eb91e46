import { domainToUnicode } from 'node:url'
import { writeProblem } from '../app/client/local-checks.ts'
import { scheduleOf } from '../app/client/client-schedule.ts'
import { type ResolvedSettings, readSettings } from '../app/client/settings.ts'
import type { Exit } from '../app/exit-codes.ts'
import type { Flags } from '../app/flags.ts'
import { writeError } from '../app/streams.ts'
import { clientSchema } from '../config/schema.ts'
import { formatComplaint } from '../config/setting.ts'
import { inForce, tomlLines } from './config-show.ts'
import { fail, print, printJson } from './output.ts'

/** `holdfast config`: what is wrong, what is in force, and what there is. Sends nothing. */
export async function configCommand(flags: Flags): Promise<Exit> {
  const asJson = flags['json'] === true
  if (flags['what'] === 'schema') {
    print(JSON.stringify(clientSchema(), null, 2))
    return 'settled'
  }
  const settings = await readSettings(flags)
  if (!settings.ok) return fail(settings.error, asJson)
  const schedule = await scheduleOf(settings.value)
  if (!schedule.ok) return fail(schedule.error, asJson)
  const { warnings } = settings.value
  if (flags['what'] === 'check') return check(settings.value, asJson)
  for (const warning of warnings) writeError(`holdfast: ${warning}\n`)
  if (asJson) printJson(inForce(settings.value))
  else print(...tomlLines(inForce(settings.value)))
  return 'settled'
}

/** Stricter than a start: what a daemon would wait for, and what only it could write to, is wrong here. */
async function check(settings: ResolvedSettings, asJson: boolean): Promise<Exit> {
  const closed = await writeProblem(settings.stateDir)
  const where = settings.config.places['stateDir'] ?? ''
  const says = [
    ...settings.strictWarnings,
    ...(closed === undefined ? [] : [formatComplaint({ where, problem: `state_dir: ${closed}` })]),
  ]
  const warnings = settings.warnings.filter((one) => !settings.strictWarnings.includes(one))
  if (says.length > 0) return fail({ exit: 'configuration', messages: [...says, ...warnings] }, asJson)
  const notes = notesOn(settings)
  if (asJson) printJson({ exit: 'settled', complaints: [], warnings, notes })
  for (const warning of warnings) writeError(`holdfast: ${warning}\n`)
  if (!asJson) print(...notes, 'the configuration is in order')
  return 'settled'
}

/** What is sent otherwise than it is written: names of other alphabets. */
const notesOn = ({ accounts }: ResolvedSettings): readonly string[] =>
  accounts
    .flatMap(({ hostnames }) => hostnames)
    .filter((name) => name.includes('xn--'))
    .map((name) => `${domainToUnicode(name)} is sent as ${name}`)
