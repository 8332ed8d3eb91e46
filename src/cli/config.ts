import { domainToUnicode } from 'node:url'
import { clientSchema } from '../config/schema.ts'
import { formatComplaint } from '../config/setting.ts'
import { scheduleOf } from './client.ts'
import { inForce, tomlLines } from './config-show.ts'
import type { Exit } from './exit-codes.ts'
import type { Flags } from './commands.ts'
import { unwritable } from './local-checks.ts'
import { fail, print, printJson } from './output.ts'
import { type Settings, readSettings } from './settings.ts'
import { writeError } from './streams.ts'

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
async function check(settings: Settings, asJson: boolean): Promise<Exit> {
  const closed = await unwritable(settings.stateDir)
  const where = settings.config.places['stateDir'] ?? ''
  const says = [
    ...settings.doubts,
    ...(closed === undefined ? [] : [formatComplaint({ where, says: `state_dir: ${closed}` })]),
  ]
  const warnings = settings.warnings.filter((one) => !settings.doubts.includes(one))
  if (says.length > 0) return fail({ exit: 'configuration', says: [...says, ...warnings] }, asJson)
  const notes = notesOn(settings)
  if (asJson) printJson({ exit: 'settled', complaints: [], warnings, notes })
  for (const warning of warnings) writeError(`holdfast: ${warning}\n`)
  if (!asJson) print(...notes, 'the configuration is in order')
  return 'settled'
}

/** What is sent otherwise than it is written: names of other alphabets. */
const notesOn = ({ accounts }: Settings): readonly string[] =>
  accounts
    .flatMap(({ hostnames }) => hostnames)
    .filter((name) => name.includes('xn--'))
    .map((name) => `${domainToUnicode(name)} is sent as ${name}`)
