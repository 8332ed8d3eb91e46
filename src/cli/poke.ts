import { askControl } from '../platform/control.ts'
import { socketIn } from './beside.ts'
import { chosenBy } from './chosen.ts'
import { plansOf } from './client.ts'
import type { Exit } from './exit-codes.ts'
import type { Flags } from './commands.ts'
import type { Answer, Request } from './orders.ts'
import { fail, print, printJson } from './output.ts'
import { readSettings, textFlag } from './settings.ts'
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
  const chosen = chosenBy(subject, plansOf(settings.value))
  if (!chosen.ok) return fail(chosen.error, asJson)
  const request: Request = { do: 'poke' }
  const asked = await askControl(socketIn(settings.value), request, PATIENCE)
  // A daemon looks for all of its accounts at once.
  if (asked.kind === 'nobody')
    return updateCommand(subject === undefined ? flags : { ...flags, account: chosen.value })
  if (asked.kind === 'silent') return fail({ exit: 'unreached', says: [SILENT] }, asJson)
  const answer = asked.answer as Answer
  if (answer.error !== undefined) return fail({ exit: 'unreached', says: [answer.error] }, asJson)
  if (asJson) printJson({ poked: true })
  else if (flags['quiet'] !== true) print('the daemon looks at once')
  return 'settled'
}
