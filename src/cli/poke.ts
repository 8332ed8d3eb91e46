import { askControl } from '../platform/control.ts'
import { socketIn } from './beside.ts'
import type { Exit } from './exit-codes.ts'
import type { Flags } from './main.ts'
import type { Answer, Request } from './orders.ts'
import { fail, print, printJson } from './output.ts'
import { readSettings } from './settings.ts'
import { updateCommand } from './update.ts'

/** `holdfast poke`: something may have changed; the daemon looks at once. Without one, this is an update. */
export async function pokeCommand(flags: Flags): Promise<Exit> {
  const asJson = flags['json'] === true
  const settings = await readSettings(flags)
  if (!settings.ok) return fail(settings.error, asJson)
  const request: Request = { do: 'poke' }
  const answer = (await askControl(socketIn(settings.value), request)) as Answer | undefined
  if (answer === undefined) return updateCommand(flags)
  if (answer.error !== undefined) return fail({ exit: 'unreached', says: [answer.error] }, asJson)
  if (asJson) printJson({ poked: true })
  else print('the daemon looks at once')
  return 'settled'
}
