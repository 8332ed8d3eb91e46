import { forever, run } from '../client/agent/run.ts'
import { outcomeOf, worst } from '../client/report/outcome.ts'
import { collector, reportOn } from '../client/report/report.ts'
import { StateUnreadable } from '../client/memory/memory.ts'
import { composeClient, scheduleOf } from './client.ts'
import { EXITS, type Exit, exitOf } from './exit-codes.ts'
import type { Flags } from './main.ts'
import { fail, logTo, printJson } from './output.ts'
import { readSettings } from './settings.ts'
import { onSignals } from './signals.ts'

/** `holdfast run`: the loop that never has enough. Ends when asked to, or when every account is stopped. */
export async function runCommand(flags: Flags): Promise<Exit> {
  const asJson = flags['json'] === true
  const settings = await readSettings(flags)
  if (!settings.ok) return fail(settings.error, asJson)
  const schedule = await scheduleOf(settings.value)
  if (!schedule.ok) return fail(schedule.error, asJson)
  const log = logTo(settings.value.config.logLevel, asJson)
  for (const warning of settings.value.warnings) log('warn', warning)
  const heard = collector()
  const { agent, end, time } = composeClient(
    settings.value,
    { log, hear: heard.hear, unlogged: new Set() },
    schedule.value,
  )
  const release = onSignals(end)
  try {
    for (const { plan } of agent.charges)
      log('info', 'keeping hostnames current', { account: plan.account, hostnames: plan.hostnames })
    const rest = await run(agent, [{ kind: 'started' }], forever)
    const now = agent.clock.now()
    const reports = agent.charges.map(({ plan }) =>
      reportOn(plan, rest, heard, { now, wallAt: (at) => time.wallAt(at) }),
    )
    const outcome = worst(
      agent.charges.map(({ plan }) => outcomeOf(rest.state, plan, rest.view.sightings?.[plan.account], now)),
    )
    const exit = rest.act.kind === 'halt' ? exitOf(outcome) : 'settled'
    for (const { account, because, remedy } of reports)
      if (exit === 'stopped') log('error', 'stopped', { account, because, remedy })
    if (asJson)
      printJson({
        exit: { code: EXITS[exit].code, reason: exit, means: EXITS[exit].means },
        accounts: reports,
      })
    return exit
  } catch (error) {
    if (error instanceof StateUnreadable)
      return fail({ exit: 'configuration', says: [error.message] }, asJson)
    throw error
  } finally {
    release()
  }
}
