import { setTimeout as sleep } from 'node:timers/promises'
import { type ResolvedSettings, readSettings } from '../app/client/settings.ts'
import { statusReport, unreadable } from '../app/client/status-report.ts'
import type { Exit } from '../app/exit-codes.ts'
import type { Flags } from '../app/flags.ts'
import { outputGone } from '../app/streams.ts'
import { sayStatus } from '../client/report/explain-account.ts'
import { fail, print, printJson } from './output.ts'

/** `holdfast status`: how things stand, once, or each time that they change. */
export async function statusCommand(flags: Flags): Promise<Exit> {
  const asJson = flags['json'] === true
  const settings = await readSettings(flags, 'names')
  if (!settings.ok) return fail(settings.error, asJson)
  const shown = await show(settings.value, asJson, flags['watch'] === true).catch(unreadable)
  return typeof shown === 'string' ? shown : fail(shown, asJson)
}

async function show(settings: ResolvedSettings, asJson: boolean, isWatching: boolean): Promise<Exit> {
  let shown = ''
  for (;;) {
    const standing = await statusReport(settings)
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
