import { type Result, err, ok } from '../base/result.ts'
import { isWordlessWait, learn } from '../client/decide/learn.ts'
import { stopOf } from '../client/decide/next.ts'
import { accountOf } from '../client/decide/state.ts'
import { isMeant, listOf } from '../client/report/subject.ts'
import { StateUnreadable } from '../client/memory/memory.ts'
import { systemDice } from '../platform/clock.ts'
import { beside } from './beside.ts'
import type { Exit } from './exit-codes.ts'
import { type Kept, NotKept, keptBy } from './kept.ts'
import type { Flags } from './commands.ts'
import { busy, fail, print, printJson } from './output.ts'
import { type Failure, type Settings, readSettings, textFlag } from './settings.ts'

/** `holdfast resume`: the user's own word, which ends every stop. A wait that a reply word asked for still stands. */
export async function resumeCommand(flags: Flags): Promise<Exit> {
  const asJson = flags['json'] === true
  const settings = await readSettings(flags, 'names')
  if (!settings.ok) return fail(settings.error, asJson)
  const chosen = chosenBy(textFlag(flags, 'subject'), keptBy(settings.value))
  if (!chosen.ok) return fail(chosen.error, asJson)
  const accounts = chosen.value
  const found = await beside(settings.value, { do: 'resume', accounts })
  if (found.kind === 'busy') return fail(busy(found.owner), asJson)
  if (found.kind === 'answered' && found.answer.error !== undefined)
    return fail({ exit: 'configuration', says: [found.answer.error] }, asJson)
  if (found.kind === 'answered')
    return say(
      (found.answer.resumed ?? []).map((account) => ({ account, because: undefined })),
      asJson,
    )
  try {
    return say(await resume(settings.value, accounts), asJson)
  } catch (error) {
    return fail(unkept(error), asJson)
  } finally {
    await found.release()
  }
}

/** The accounts that a word names: a whole key, or its username; without one, all of them. */
export function chosenBy(
  subject: string | undefined,
  { charges }: Pick<Kept, 'charges'>,
): Result<readonly string[], Failure> {
  const all = charges.map(({ plan }) => plan)
  const chosen = all.filter((plan) => subject === undefined || isMeant(subject, plan))
  return chosen.length > 0
    ? ok(chosen.map(({ account }) => account))
    : err({ exit: 'usage', says: [`there is no account ${subject}; there are ${listOf(all)}`] })
}

/** A word to go on that is not on disk was never said. */
function unkept(error: unknown): Failure {
  if (error instanceof StateUnreadable || error instanceof NotKept)
    return { exit: 'configuration', says: [error.message] }
  throw error
}

interface Resumed {
  readonly account: string
  /** Unknown where a daemon did it. */
  readonly because: string | undefined
}

function say(resumed: readonly Resumed[], asJson: boolean): Exit {
  if (asJson) printJson({ resumed })
  else if (resumed.length === 0) print('nothing was stopped, and no wait was ended; a wait for 911 stands')
  else
    print(
      ...resumed.map(
        ({ account, because }) =>
          `${account}: ${because === undefined ? 'told to go on' : `no longer stopped by ${because}`}`,
      ),
    )
  return 'settled'
}

async function resume(settings: Settings, accounts: readonly string[]): Promise<readonly Resumed[]> {
  const { charges, memory, time } = keptBy(settings)
  const plans = charges.map(({ plan }) => plan).filter(({ account }) => accounts.includes(account))
  const state = await memory.load()
  const resumed = plans.flatMap((plan) => {
    const account = accountOf(state, plan.account)
    const stop =
      stopOf(account, plan) ??
      account.offlineRefused ??
      Object.values(account.hosts).find(({ stopped }) => stopped)?.stopped
    const wait = isWordlessWait(account.standing) ? account.standing : undefined
    const because = stop?.because ?? wait?.because
    return because === undefined ? [] : [{ account: plan.account, because }]
  })
  await memory.save(learn(state, { kind: 'resumed' }, plans, { now: time.now(), dice: systemDice() }))
  return resumed
}
