import { rmSync } from 'node:fs'
import { onCrash } from '../app/crash.ts'
import type { Exit } from '../app/exit-codes.ts'
import type { Failure } from '../app/failure.ts'
import { type Flags, textFlag } from '../app/flags.ts'
import { logTo } from '../app/log.ts'
import { readServiceSettings } from '../app/service/settings.ts'
import { type StartedService, startService } from '../app/service/start.ts'
import { err, type Result } from '../base/result.ts'
import type { ServiceSettings } from '../config/service-settings.ts'
import { formatDevSetup } from './dev-setup.ts'
import { fail, print, printJson } from './output.ts'
import { onSignals } from './signals.ts'

/** Time that accepted requests have when the service is asked to end. */
const GRACE = 4000

/** `holdfast serve`: listens until it is asked to end. */
export async function serveCommand(flags: Flags): Promise<Exit> {
  const asJson = flags['json'] === true
  const settings = await settingsOf(flags)
  if (!settings.ok) return fail(settings.error, asJson)
  const log = await logTo(settings.value.logLevel, asJson)
  // What was answered is on disk already.
  onCrash({ log, save: () => Promise.resolve() })
  const ending = new AbortController()
  const [isDev, faults] = [flags['dev'] === true, textFlag(flags, 'fault')]
  const started = await startService(settings.value, { isDev, faults, log, ending: ending.signal })
  if (!started.ok) return fail(started.error, asJson)
  // Before the first line tells that the service is there, and can be asked to end.
  const asked = new Promise<void>((resolve) => onSignals(resolve))
  const urls = announce(started.value, asJson)
  for (const url of urls) log('info', 'listening', { fields: { url }, line: `listening at ${url}` })
  await asked
  log('info', 'asked to stop; finishing what was accepted')
  setTimeout(() => ending.abort(), GRACE).unref()
  await closeService(started.value)
  return 'settled'
}

function announce({ listeners, dev }: StartedService, asJson: boolean): readonly string[] {
  const urls = listeners.map(({ url }) => url)
  if (asJson) printJson({ url: urls[0], urls, ...dev })
  else if (dev !== undefined) print(...formatDevSetup(dev, urls[0] ?? ''))
  return urls
}

async function closeService({ listeners, store, dev, folder, idle }: StartedService): Promise<void> {
  await Promise.all(listeners.map(async (one) => one.close(GRACE)))
  await idle()
  await store.close()
  if (dev !== undefined) rmSync(folder, { recursive: true, force: true })
}

async function settingsOf(flags: Flags): Promise<Result<ServiceSettings, Failure>> {
  const isDev = flags['dev'] === true
  const settings = await readServiceSettings(flags)
  if (!settings.ok) return settings
  if (isDev && settings.value.store !== undefined)
    return err({
      exit: 'usage',
      messages: ['--store: the store of --dev is deleted at the end; leave one of the two out'],
    })
  return flags['fault'] !== undefined && !isDev
    ? err({ exit: 'usage', messages: ['--fault goes with --dev'] })
    : settings
}
