import { scheduleOf } from '../../settings/client-schedule.ts'
import { type DaemonEnd, type DaemonSignals, runDaemon } from '../run/daemon.ts'
import { takeDaemonLocks } from '../run/locks.ts'
import { exitOf } from '../compose.ts'
import { readSettings } from '../../settings/settings.ts'
import type { Exit } from '../../../shared/program/exit-codes.ts'
import { logTo } from '../../../shared/program/log.ts'
import { StateUnreadable } from '../../agent/memory/memory.ts'
import { worstOutcome } from '../../report/cause.ts'
import { supervisorOf } from '../../../shared/platform/process/supervisor.ts'
import type { RunFlags } from './flags.ts'
import { systemPorts } from '../system.ts'
import { exitResult, fail, printJson } from '../../../shared/program/output.ts'
import { onSignal, onStopSignal } from '../../../shared/program/signals.ts'

/** `holdfast run`: keeps the hostnames up to date until a signal stops it or every account is stopped. */
export async function runCommand({ asJson, settings: flags }: RunFlags): Promise<Exit> {
  const settings = await readSettings(flags)
  if (!settings.ok) return fail(settings.error, asJson)
  const schedule = await scheduleOf(settings.value)
  if (!schedule.ok) return fail(schedule.error, asJson)
  const log = await logTo(settings.value.config.logLevel, asJson)
  for (const warning of settings.value.warnings) log('warn', warning)
  const system = systemPorts()
  const taken = await takeDaemonLocks(settings.value, system)
  if (!taken.ok) return fail(taken.error, asJson)
  const locks = taken.value
  const reread = async () => readSettings(flags)
  try {
    const supervisor = supervisorOf(process.env, () => system.steady.now())
    const start = { settings: settings.value, schedule: schedule.value, system, supervisor, log }
    const isHandedOver = process.env['CREDENTIALS_DIRECTORY'] !== undefined
    return conclude(await runDaemon({ ...start, locks, reread, isHandedOver, signals: SIGNALS }), asJson)
  } catch (error) {
    if (error instanceof StateUnreadable)
      return fail({ exit: 'configuration', messages: [error.message] }, asJson)
    throw error
  } finally {
    await locks.release()
  }
}

const SIGNALS: DaemonSignals = {
  onStop: onStopSignal,
  onPoke: (poke) => onSignal('SIGUSR1', poke),
  onReload: (reload) => onSignal('SIGHUP', reload),
}

const EXIT_FOR_CAUSE = { asked: 'settled', lost: 'configuration' } as const

function conclude({ reports, cause }: DaemonEnd, asJson: boolean): Exit {
  const exit =
    cause === undefined ? exitOf(worstOutcome(reports.map(({ outcome }) => outcome))) : EXIT_FOR_CAUSE[cause]
  if (asJson) printJson({ exit: exitResult(exit), accounts: reports })
  return exit
}
