import { setTimeout as sleep } from 'node:timers/promises'
import { StateUnreadable } from '../client/memory/memory.ts'
import { sayStatus } from '../client/report/explain.ts'
import type { AccountReport } from '../client/report/report.ts'
import { askControl } from '../platform/control.ts'
import { socketIn } from './beside.ts'
import type { Exit } from './exit-codes.ts'
import { keptBy, reportsFrom } from './kept.ts'
import type { Flags } from './commands.ts'
import type { Answer, Request } from './orders.ts'
import { accountKey } from '../config/read-client.ts'
import { fail, print, printJson } from './output.ts'
import { type Failure, type Settings, readSettings } from './settings.ts'
import { outputGone } from './streams.ts'

/** A daemon answers from what it knows, whatever it is doing. */
const PATIENCE = 5000

export interface Standing {
  readonly isRunning: boolean
  /** It runs but did not answer: what follows is from the disk. */
  readonly isSilent?: true
  readonly accounts: readonly AccountReport[]
}

/** From the daemon if one runs, else from what is on disk. */
export async function standingOf(settings: Settings): Promise<Standing> {
  const request: Request = { do: 'status' }
  const asked = await askControl(socketIn(settings), request, PATIENCE)
  const reports = asked.kind === 'answered' ? (asked.answer as Answer).reports : undefined
  const chosen = new Set(settings.accounts.map(accountKey))
  if (reports !== undefined)
    return { isRunning: true, accounts: reports.filter(({ account }) => chosen.has(account)) }
  const accounts = await reportsFrom(keptBy(settings))
  return asked.kind === 'nobody'
    ? { isRunning: false, accounts }
    : { isRunning: true, isSilent: true, accounts }
}

/** `holdfast status`: how things stand, once, or each time that they change. */
export async function statusCommand(flags: Flags): Promise<Exit> {
  const asJson = flags['json'] === true
  const settings = await readSettings(flags, 'names')
  if (!settings.ok) return fail(settings.error, asJson)
  const shown = await show(settings.value, asJson, flags['watch'] === true).catch(unreadable)
  return typeof shown === 'string' ? shown : fail(shown, asJson)
}

/** A state file that cannot be read is no bug of ours; everything else is. */
export function unreadable(error: unknown): Failure {
  if (error instanceof StateUnreadable) return { exit: 'configuration', says: [error.message] }
  throw error
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
    await sleep(1000, undefined, { signal: outputGone }).catch(() => undefined)
    if (outputGone.aborted) return 'settled'
  }
}
