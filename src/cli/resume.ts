import { learn } from '../client/decide/learn.ts'
import { type Resumed, resumedIn, sayResumed } from '../client/report/resumed.ts'
import { StateUnreadable } from '../client/memory/memory.ts'
import { systemDice } from '../platform/clock.ts'
import { beside } from './beside.ts'
import { chosenBy } from './chosen.ts'
import { plansOf } from './client.ts'
import type { Exit } from './exit-codes.ts'
import { NotKept, keptBy } from './kept.ts'
import type { Flags } from './commands.ts'
import { busy, fail, print, printJson } from './output.ts'
import { type Failure, type Settings, readSettings, textFlag } from './settings.ts'

/** `holdfast resume`: the user's own word, which ends every stop. A wait that a reply word asked for still stands. */
export async function resumeCommand(flags: Flags): Promise<Exit> {
  const asJson = flags['json'] === true
  const settings = await readSettings(flags, 'names')
  if (!settings.ok) return fail(settings.error, asJson)
  const chosen = chosenBy(textFlag(flags, 'subject'), plansOf(settings.value))
  if (!chosen.ok) return fail(chosen.error, asJson)
  const accounts = chosen.value
  const found = await beside(settings.value, { do: 'resume', accounts })
  if (found.kind === 'busy') return fail(busy(found.owner), asJson)
  if (found.kind === 'answered' && found.answer.error !== undefined)
    return fail({ exit: 'configuration', says: [found.answer.error] }, asJson)
  if (found.kind === 'answered') return say(found.answer.resumed ?? [], asJson)
  try {
    return say(await resume(settings.value, accounts), asJson)
  } catch (error) {
    return fail(unkept(error), asJson)
  } finally {
    await found.release()
  }
}

/** A word to go on that is not on disk was never said. */
function unkept(error: unknown): Failure {
  if (error instanceof StateUnreadable || error instanceof NotKept)
    return { exit: 'configuration', says: [error.message] }
  throw error
}

function say(resumed: readonly Resumed[], asJson: boolean): Exit {
  if (asJson) printJson({ resumed })
  else print(...sayResumed(resumed))
  return 'settled'
}

async function resume(settings: Settings, accounts: readonly string[]): Promise<readonly Resumed[]> {
  const { charges, memory, time } = keptBy(settings)
  const plans = charges.map(({ plan }) => plan).filter(({ account }) => accounts.includes(account))
  const state = await memory.load()
  const now = time.now()
  const resumed = resumedIn(state, plans, { now, wallAt: (at) => time.wallAt(at) })
  await memory.save(learn(state, { kind: 'resumed' }, plans, { now, dice: systemDice() }))
  return resumed
}
