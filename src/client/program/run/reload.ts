import type { Result } from '../../../shared/base/result.ts'
import { listAccounts } from '../../report/account-name.ts'
import type { Log } from '../../../shared/ports/log.ts'
import type { Failure } from '../../../shared/program/exit-codes.ts'
import { scheduleOf } from '../../settings/client-schedule.ts'
import type { ComposedClient } from '../compose.ts'
import type { DaemonObservers } from './observers.ts'
import { jobsOf } from '../jobs.ts'
import type { ResolvedSettings } from '../../settings/settings.ts'

export interface ReloadOptions {
  readonly log: Log
  /** Reads the settings again. */
  readonly reread: () => Promise<Result<ResolvedSettings, Failure>>
  /** The passwords are copies that the supervisor made at the start. */
  readonly isHandedOver: boolean
}

/** The parts of a daemon that the settings change. */
interface Reloadable extends ComposedClient {
  readonly observers: Pick<DaemonObservers, 'adopt' | 'reloaded'>
}

/**
 * Reads the settings again and applies them. With a mistake in them, the daemon logs it and keeps its settings. Returns the
 * mistakes.
 */
export async function reload(parts: Reloadable, options: ReloadOptions): Promise<readonly string[]> {
  const mistakes = await mistakesOf(parts, options)
  parts.observers.reloaded(mistakes)
  for (const because of mistakes)
    options.log('error', NOT_RELOADED, { fields: { because }, line: `${NOT_RELOADED}: ${because}` })
  return mistakes
}

async function mistakesOf(parts: Reloadable, options: ReloadOptions): Promise<readonly string[]> {
  try {
    return await adopt(parts, options)
  } catch (error) {
    // Parts of the program are read when they are needed, and it may have been removed or replaced.
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error
    return ['the files of the program have changed; restart the daemon']
  }
}

async function adopt(
  { agent, detection, observers }: Reloadable,
  { reread, isHandedOver, log }: ReloadOptions,
): Promise<readonly string[]> {
  const settings = await reread()
  if (!settings.ok) return settings.error.messages
  const schedule = await scheduleOf(settings.value)
  if (!schedule.ok) return schedule.error.messages
  for (const warning of settings.value.warnings) log('warn', warning)
  detection.adopt(settings.value)
  await observers.adopt(settings.value)
  const jobs = jobsOf(settings.value, detection)
  agent.inbox.put({
    observations: [{ kind: 'networkChanged' }],
    reload: { jobs, schedule: schedule.value },
  })
  const accounts = jobs.map(({ desired }) => desired)
  const facts = { accounts: accounts.map(({ account }) => account) }
  log('info', 'the settings are reloaded', {
    fields: facts,
    line: `the settings are reloaded, for ${listAccounts(accounts)}${isHandedOver ? OLD_PASSWORDS : ''}`,
  })
  return []
}

/** systemd.exec(5), CREDENTIALS: a reload does not renew them. */
const OLD_PASSWORDS =
  '; passwords that systemd passes are read only at the start: if one has changed, run holdfast resume'

const NOT_RELOADED = 'the settings were not reloaded, and the earlier ones stay in use'
