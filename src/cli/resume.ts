import { chosenBy } from '../app/client/chosen-accounts.ts'
import { desiredStatesOf } from '../app/client/jobs.ts'
import { resumeAlone } from '../app/client/resume-alone.ts'
import { NotSaved } from '../app/client/saved-state.ts'
import { readSettings } from '../app/client/settings.ts'
import { asSingleInstance, busy } from '../app/client/single-instance.ts'
import type { Exit } from '../app/exit-codes.ts'
import type { Failure } from '../app/failure.ts'
import { type Flags, textFlag } from '../app/flags.ts'
import { StateUnreadable } from '../client/memory/memory.ts'
import { type Resumed, sayResumed } from '../client/report/resumed.ts'
import { fail, print, printJson } from './output.ts'

/** `holdfast resume`: clears every stop. A wait that a reply word asked for still stands. */
export async function resumeCommand(flags: Flags): Promise<Exit> {
  const asJson = flags['json'] === true
  const settings = await readSettings(flags, 'names')
  if (!settings.ok) return fail(settings.error, asJson)
  const chosen = chosenBy(textFlag(flags, 'subject'), desiredStatesOf(settings.value))
  if (!chosen.ok) return fail(chosen.error, asJson)
  const accounts = chosen.value
  const found = await asSingleInstance(settings.value, { do: 'resume', accounts })
  if (found.kind === 'busy') return fail(busy(found.owner), asJson)
  if (found.kind === 'answered' && found.answer.error !== undefined)
    return fail({ exit: 'configuration', messages: [found.answer.error] }, asJson)
  if (found.kind === 'answered') return say(found.answer.resumed ?? [], asJson)
  try {
    return say(await resumeAlone(settings.value, accounts), asJson)
  } catch (error) {
    return fail(unkept(error), asJson)
  } finally {
    await found.release()
  }
}

/** A `resume` that is not on disk did not happen. */
function unkept(error: unknown): Failure {
  if (error instanceof StateUnreadable || error instanceof NotSaved)
    return { exit: 'configuration', messages: [error.message] }
  throw error
}

function say(resumed: readonly Resumed[], asJson: boolean): Exit {
  if (asJson) printJson({ resumed })
  else print(...sayResumed(resumed))
  return 'settled'
}
