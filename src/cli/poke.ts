import { chosenBy } from '../app/client/chosen-accounts.ts'
import { desiredStatesOf } from '../app/client/jobs.ts'
import { readSettings } from '../app/client/settings.ts'
import { socketIn } from '../app/client/single-instance.ts'
import type { Exit } from '../app/exit-codes.ts'
import { type Flags, textFlag } from '../app/flags.ts'
import type { ControlRequest, ControlResponse } from '../client/control/control-requests.ts'
import { askControl } from '../platform/control.ts'
import { fail, print, printJson } from './output.ts'
import { updateCommand } from './update.ts'

/** A daemon notes a poke at once, whatever it is doing. */
const PATIENCE = 5000
const SILENT = 'the daemon does not answer; it may hang'

/** `holdfast poke`: something may have changed; the daemon looks at once. Without one, this is an update. */
export async function pokeCommand(flags: Flags): Promise<Exit> {
  const asJson = flags['json'] === true
  const settings = await readSettings(flags, 'names')
  if (!settings.ok) return fail(settings.error, asJson)
  const subject = textFlag(flags, 'subject')
  const chosen = chosenBy(subject, desiredStatesOf(settings.value))
  if (!chosen.ok) return fail(chosen.error, asJson)
  const request: ControlRequest = { do: 'poke' }
  const asked = await askControl(socketIn(settings.value), request, PATIENCE)
  // A daemon looks for all of its accounts at once.
  if (asked.kind === 'nobody')
    return updateCommand(subject === undefined ? flags : { ...flags, account: chosen.value })
  if (asked.kind === 'silent') return fail({ exit: 'unreached', messages: [SILENT] }, asJson)
  const answer = asked.answer as ControlResponse
  if (answer.error !== undefined) return fail({ exit: 'unreached', messages: [answer.error] }, asJson)
  if (asJson) printJson({ poked: true })
  else if (flags['quiet'] !== true) print('the daemon looks at once')
  return 'settled'
}
