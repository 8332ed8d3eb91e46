import { stopOf } from '../client/decide/next.ts'
import { learn } from '../client/decide/learn.ts'
import { accountOf } from '../client/decide/state.ts'
import { StateUnreadable, fileMemory } from '../client/memory/memory.ts'
import { timeline } from '../client/memory/timeline.ts'
import { systemClocks, systemDice } from '../platform/clock.ts'
import { systemFiles } from '../platform/files.ts'
import { chargesOf } from './client.ts'
import type { Exit } from './exit-codes.ts'
import type { Flags } from './main.ts'
import { fail, print, printJson } from './output.ts'
import { type Settings, readSettings } from './settings.ts'

/** `holdfast resume`: the user's own word, which ends every stop. A wait that the service asked for still stands. */
export async function resumeCommand(flags: Flags): Promise<Exit> {
  const asJson = flags['json'] === true
  const settings = await readSettings(flags)
  if (!settings.ok) return fail(settings.error, asJson)
  try {
    const resumed = await resume(settings.value)
    if (asJson) printJson({ resumed })
    else
      print(
        ...(resumed.length === 0
          ? ['nothing was stopped']
          : resumed.map((one) => `${one.account}: no longer stopped by ${one.because}`)),
      )
    return 'settled'
  } catch (error) {
    if (error instanceof StateUnreadable)
      return fail({ exit: 'configuration', says: [error.message] }, asJson)
    throw error
  }
}

interface Resumed {
  readonly account: string
  readonly because: string
}

async function resume(settings: Settings): Promise<readonly Resumed[]> {
  const plans = chargesOf(settings).map(({ plan }) => plan)
  const time = timeline(systemClocks())
  const memory = fileMemory(systemFiles, settings.stateDir, time, ({ because }) => {
    throw new Error(because)
  })
  const state = await memory.load()
  const resumed = plans.flatMap((plan) => {
    const account = accountOf(state, plan.account)
    const stop =
      stopOf(account, plan) ??
      account.offlineRefused ??
      Object.values(account.hosts).find(({ stopped }) => stopped)?.stopped
    return stop === undefined ? [] : [{ account: plan.account, because: stop.because }]
  })
  await memory.save(learn(state, { kind: 'resumed' }, plans, { now: time.now(), dice: systemDice() }))
  return resumed
}
