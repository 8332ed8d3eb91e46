import { setTimeout as sleep } from 'node:timers/promises'
import { StateUnreadable } from '../client/memory/memory.ts'
import { sayStatus } from '../client/report/explain.ts'
import type { AccountReport } from '../client/report/report.ts'
import { askControl } from '../platform/control.ts'
import { socketIn } from './beside.ts'
import type { Exit } from './exit-codes.ts'
import { keptBy, reportsFrom } from './kept.ts'
import type { Flags } from './main.ts'
import type { Answer, Request } from './orders.ts'
import { fail, print, printJson } from './output.ts'
import { type Settings, readSettings } from './settings.ts'

export interface Standing {
  readonly isRunning: boolean
  readonly accounts: readonly AccountReport[]
}

/** From the daemon if one runs, else from what is on disk. */
export async function standingOf(settings: Settings): Promise<Standing> {
  const request: Request = { do: 'status' }
  const answer = (await askControl(socketIn(settings), request)) as Answer | undefined
  if (answer?.reports !== undefined) return { isRunning: true, accounts: answer.reports }
  return { isRunning: false, accounts: await reportsFrom(keptBy(settings)) }
}

/** `holdfast status`: how things stand, once, or each time that they change. */
export async function statusCommand(flags: Flags): Promise<Exit> {
  const asJson = flags['json'] === true
  const settings = await readSettings(flags)
  if (!settings.ok) return fail(settings.error, asJson)
  try {
    return await show(settings.value, asJson, flags['watch'] === true)
  } catch (error) {
    if (error instanceof StateUnreadable)
      return fail({ exit: 'configuration', says: [error.message] }, asJson)
    throw error
  }
}

async function show(settings: Settings, asJson: boolean, isWatching: boolean): Promise<Exit> {
  let shown = ''
  for (;;) {
    const standing = await standingOf(settings)
    const text = JSON.stringify(standing.accounts.map(({ nextAttempt: _, ...account }) => account))
    if (text !== shown) {
      if (asJson) printJson(standing)
      else print(...sayStatus(standing))
    }
    shown = text
    if (!isWatching) return 'settled'
    await sleep(1000)
  }
}
