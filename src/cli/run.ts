import { setTimeout as sleep } from 'node:timers/promises'
import type { Order } from '../client/agent/inbox.ts'
import { type Agent, type Charge, type Rest, forever, once, run } from '../client/agent/run.ts'
import { accountOf, hostOf } from '../client/decide/state.ts'
import { StateUnreadable } from '../client/memory/memory.ts'
import { worst } from '../client/report/outcome.ts'
import { type AccountReport, type When, collector, reportOn } from '../client/report/report.ts'
import { type Control, serveControl } from '../platform/control.ts'
import { notifier } from '../platform/notify.ts'
import type { Log } from '../ports/log.ts'
import { milliseconds } from '../base/time.ts'
import { ownForGood, socketIn } from './beside.ts'
import { type Composed, chargesOf, composeClient, scheduleOf } from './client.ts'
import { detectingLookout } from './detecting.ts'
import { onCrash } from './crash.ts'
import { EXITS, type Exit, exitOf } from './exit-codes.ts'
import type { Flags } from './commands.ts'
import { carryOut } from './orders.ts'
import { busy, fail, logTo, printJson } from './output.ts'
import { type Settings, readSettings } from './settings.ts'
import { onSignal, onSignals } from './signals.ts'

/** How long an address that is known waits for the one of the other family. */
const TOGETHER = milliseconds(50)

/** `holdfast run`: the loop that never has enough. Ends when asked to, or when every account is stopped. */
export async function runCommand(flags: Flags): Promise<Exit> {
  const asJson = flags['json'] === true
  const settings = await readSettings(flags)
  if (!settings.ok) return fail(settings.error, asJson)
  const schedule = await scheduleOf(settings.value)
  if (!schedule.ok) return fail(schedule.error, asJson)
  const log = await logTo(settings.value.config.logLevel, asJson)
  for (const warning of settings.value.warnings) log('warn', warning)
  const owner = await ownForGood(settings.value)
  if (owner.kind === 'theirs') return fail(busy(owner.owner), asJson)
  const heard = collector()
  let latest: Rest | undefined
  const supervisor = notifier(process.env, () => performance.now())
  const show = (rest: Rest): void => {
    latest = rest
    supervisor.status(inShort(rest))
  }
  const composed = composeClient(
    settings.value,
    {
      log,
      hear: heard.hear,
      unlogged: new Set(),
      show,
      beat: () => supervisor.beat(),
      settleWithin: TOGETHER,
    },
    schedule.value,
    detectingLookout,
  )
  onCrash({ log, save: async () => latest && composed.agent.memory.save(latest.state) })
  const report = (rest: Rest): readonly AccountReport[] => reportsOf(composed, rest, heard)
  const control = await takeOrders(composed, settings.value, { log, report, rest: () => latest })
  const release = [
    onSignals(() => {
      supervisor.stopping()
      composed.end()
    }),
    onSignal('SIGUSR1', () => composed.lookout.hint('somebody said so')),
    onSignal('SIGHUP', () => void reload(flags, composed, log).finally(() => supervisor.reloaded())),
  ]
  supervisor.ready()
  if (settings.value.config.watch) composed.lookout.watch(composed.agent.end)
  try {
    return conclude(await live(composed.agent, settings.value, log), report, {
      log,
      asJson,
      wasAsked: composed.agent.end.aborted,
    })
  } catch (error) {
    if (error instanceof StateUnreadable)
      return fail({ exit: 'configuration', says: [error.message] }, asJson)
    throw error
  } finally {
    for (const one of release) one()
    composed.end() // however it came to that, nobody waits for a loop that is over
    await control?.close()
    if (owner.kind === 'ours') await owner.release()
  }
}

/** One line for a supervisor's status. */
function inShort({ state, charges, act }: Rest): string {
  const names = charges.flatMap(({ plan }) =>
    plan.hostnames.map((name) => hostOf(accountOf(state, plan.account), name)),
  )
  const confirmed = names.filter(({ touched }) => touched !== undefined).length
  const held = charges.filter(({ plan }) => accountOf(state, plan.account).standing.kind !== 'ready').length
  const accounts = held === 0 ? '' : `; ${held} of ${charges.length} accounts waiting or stopped`
  return act.kind === 'halt'
    ? 'stopped until you act; see holdfast explain'
    : `${confirmed} of ${names.length} hostnames confirmed${accounts}`
}

/** The loop itself, and a last word to the service when it is asked to end and the user wants that. */
async function live(agent: Agent, settings: Settings, log: Log): Promise<Rest> {
  for (const { plan } of agent.charges)
    log('info', 'keeping hostnames current', { account: plan.account, hostnames: plan.hostnames })
  // Who starts a daemon may have mended what was wrong: the retries begin anew, waits and stops stay.
  const rest = await run(agent, [{ kind: 'started' }, { kind: 'networkChanged' }], forever)
  if (!settings.config.offlineOnStop || !agent.end.aborted) return rest
  const charges = rest.charges
    .filter(({ plan }) => accountOf(rest.state, plan.account).offlineRefused === undefined)
    .map((charge) => ({ ...charge, plan: { ...charge.plan, isOffline: true } }))
  const stillOpen = new AbortController().signal
  const memory = { ...agent.memory, load: () => Promise.resolve(rest.state) }
  await run({ ...agent, memory, charges, end: stillOpen, whenStopped: 'exit' }, [{ kind: 'started' }], once)
  return rest
}

function reportsOf(
  { agent, time }: Composed,
  rest: Rest,
  heard: ReturnType<typeof collector>,
): readonly AccountReport[] {
  const when: When = { now: agent.clock.now(), wallAt: (at) => time.wallAt(at) }
  return rest.charges.map(({ plan }) => reportOn(plan, rest, heard, when))
}

interface Desk {
  readonly log: Log
  readonly report: (rest: Rest) => readonly AccountReport[]
  readonly rest: () => Rest | undefined
}

/** A daemon without its socket still keeps hostnames current; it only takes no orders. */
async function takeOrders(
  { agent, lookout }: Composed,
  settings: Settings,
  { log, report, rest }: Desk,
): Promise<Control | undefined> {
  const path = socketIn(settings)
  try {
    return await serveControl(path, async (request) => {
      // Whoever asks in the first moment waits for it to pass.
      while (rest() === undefined && !agent.end.aborted) await sleep(20)
      const known = rest()
      if (known === undefined) return { error: 'the daemon has ended' }
      return carryOut(
        {
          inbox: agent.inbox,
          hint: () => lookout.hint('somebody said so'),
          rest: () => rest() ?? known,
          report,
        },
        request,
      )
    })
  } catch (error) {
    log('warn', 'there is no control socket', { path, because: (error as Error).message })
    return undefined
  }
}

/** SIGHUP: the settings anew. A bad file keeps the old ones, and says why. */
async function reload(flags: Flags, { agent, lookout }: Composed, log: Log): Promise<void> {
  const settings = await readSettings(flags)
  const schedule = settings.ok ? await scheduleOf(settings.value) : settings
  if (!settings.ok || !schedule.ok) {
    for (const line of schedule.ok ? [] : schedule.error.says)
      log('error', 'the settings are kept as they were', { because: line })
    return
  }
  lookout.adopt(settings.value)
  const charges: readonly Charge[] = chargesOf(settings.value, lookout)
  const order: Order = {
    observe: [{ kind: 'networkChanged' }],
    replace: { charges, schedule: schedule.value },
  }
  agent.inbox.put(order)
  log('info', 'the settings are read anew', { accounts: charges.map(({ plan }) => plan.account) })
}

interface Ending {
  readonly log: Log
  readonly asJson: boolean
  /** By a signal: then it ends in order, however things stand. */
  readonly wasAsked: boolean
}

function conclude(rest: Rest, report: Desk['report'], { log, asJson, wasAsked }: Ending): Exit {
  const reports = report(rest)
  const exit =
    rest.act.kind === 'halt' && !wasAsked ? exitOf(worst(reports.map(({ outcome }) => outcome))) : 'settled'
  for (const { account, because, remedy } of reports)
    if (exit === 'stopped') log('error', 'stopped', { account, because, remedy })
  if (asJson)
    printJson({ exit: { code: EXITS[exit].code, reason: exit, means: EXITS[exit].means }, accounts: reports })
  return exit
}
