import type { Order } from '../client/agent/inbox.ts'
import { type Agent, type Charge, type Rest, forever, once, run } from '../client/agent/run.ts'
import { joined } from '../client/decide/joined.ts'
import { type State, accountOf, hostOf } from '../client/decide/state.ts'
import { StateUnreadable } from '../client/memory/memory.ts'
import { worst } from '../client/report/outcome.ts'
import { type AccountReport, type Heard, type When, collector, viewOf } from '../client/report/report.ts'
import { labelOf, listOf } from '../client/report/subject.ts'
import { namesOf } from '../client/agent/wording.ts'
import { notifier } from '../platform/notify.ts'
import type { Schedule } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import { milliseconds } from '../base/time.ts'
import { type Composed, chargesOf, composeClient, scheduleOf } from './client.ts'
import { detectingLookout } from './detecting.ts'
import { type Desk, keepControl } from './control-socket.ts'
import { onCrash } from './crash.ts'
import { EXITS, type Exit, exitOf } from './exit-codes.ts'
import type { Flags } from './commands.ts'
import { type Holding, hold } from './holding.ts'
import { fail, logTo, printJson } from './output.ts'
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
  const holding = await hold(settings.value)
  if (!holding.ok) return fail(holding.error, asJson)
  try {
    return await runHolding(holding.value, flags, { log, settings: settings.value, schedule: schedule.value })
  } catch (error) {
    if (error instanceof StateUnreadable)
      return fail({ exit: 'configuration', says: [error.message] }, asJson)
    throw error
  } finally {
    await holding.value.release()
  }
}

interface Given {
  readonly log: Log
  readonly settings: Settings
  readonly schedule: Schedule
}

async function runHolding(holding: Holding, flags: Flags, { log, settings, schedule }: Given): Promise<Exit> {
  const heard = collector()
  let latest: Rest | undefined
  const supervisor = notifier(process.env, () => performance.now())
  const show = (rest: Rest): void => {
    // Not before the state is read: who could not start was never ready.
    if (latest === undefined) supervisor.ready()
    latest = rest
    supervisor.status(inShort(rest))
  }
  const beat = (): void => supervisor.beat()
  const audience = { log, hear: heard.hear, unlogged: new Set<never>(), show, beat, settleWithin: TOGETHER }
  const composed = composeClient(settings, audience, schedule, detectingLookout)
  const report = (rest: Rest): readonly AccountReport[] => reportsOf(composed, rest, heard)
  const reportFromNow = (): Desk['report'] => {
    const fresh = heard.fromNow()
    return (rest) => reportsOf(composed, rest, fresh)
  }
  const control = await keepControl(composed, settings, {
    log,
    report,
    reportFromNow,
    when: () => whenOf(composed),
    rest: () => latest,
  })
  const stop = (): void => {
    supervisor.stopping()
    composed.end()
  }
  const agent = keepingHold(composed.agent, holding, async (lost) => {
    if (lost === undefined) return control.renew()
    log('error', lost)
    stop()
  })
  onCrash({ log, save: async () => latest && agent.memory.save(latest.state) })
  const release = [
    onSignals(stop),
    onSignal('SIGUSR1', () => composed.lookout.hint('somebody said so')),
    onSignal('SIGHUP', () => void reload(flags, composed, log).finally(() => supervisor.reloaded())),
  ]
  if (settings.config.watch) composed.lookout.watch(agent.end)
  try {
    const rest = await live(agent, settings, { log, hasLost: holding.hasLost })
    const because = holding.hasLost() ? 'lost' : agent.end.aborted ? 'asked' : undefined
    return conclude(rest, report, { asJson: flags['json'] === true, because })
  } finally {
    for (const one of release) one()
    composed.end() // however it came to that, nobody waits for a loop that is over
    await control.close()
  }
}

/**
 * Each time that the loop saves, and so before each request, the folders are checked first: neither another daemon's state
 * nor what a one-shot kept after the folder was deleted must be written over.
 */
function keepingHold(
  agent: Agent,
  holding: Holding,
  checked: (lost: string | undefined) => Promise<void> | void,
): Agent {
  const { memory } = agent
  let isUnread = false
  const save = async (state: State): Promise<State | undefined> => {
    if (holding.hasLost()) return undefined
    const { lost, isTaken } = await holding.renew()
    isUnread ||= isTaken
    await checked(lost)
    if (holding.hasLost()) return undefined
    const found = isUnread ? await memory.reread() : undefined
    isUnread = false
    return found === undefined || joined(state, found) === state ? memory.save(state) : found
  }
  return { ...agent, memory: { ...memory, save } }
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
async function live(
  agent: Agent,
  settings: Settings,
  { log, hasLost }: { readonly log: Log } & Pick<Holding, 'hasLost'>,
): Promise<Rest> {
  for (const { plan } of agent.charges)
    log(
      'info',
      'keeping hostnames current',
      { account: plan.account, hostnames: plan.hostnames },
      `${labelOf(plan)}: keeping ${namesOf(plan.hostnames)} current`,
    )
  // Who starts a daemon may have mended what was wrong: the retries begin anew, waits and stops stay.
  const rest = await run(agent, [{ kind: 'started' }, { kind: 'networkChanged' }], forever)
  if (!settings.config.offlineOnStop || !agent.end.aborted || hasLost()) return rest
  const charges = rest.charges
    .filter(({ plan }) => accountOf(rest.state, plan.account).offlineRefused === undefined)
    .map((charge) => ({ ...charge, plan: { ...charge.plan, isOffline: true } }))
  const stillOpen = new AbortController().signal
  const memory = { ...agent.memory, load: () => Promise.resolve(rest.state) }
  await run({ ...agent, memory, charges, end: stillOpen, whenStopped: 'exit' }, [{ kind: 'started' }], once)
  return rest
}

const whenOf = ({ agent, time }: Composed): When => ({
  now: agent.clock.now(),
  wallAt: (at) => time.wallAt(at),
})

const reportsOf = (composed: Composed, rest: Rest, heard: Heard): readonly AccountReport[] =>
  viewOf(rest, heard, whenOf(composed))

/** SIGHUP: the settings anew. A bad file keeps the old ones, and says why. */
async function reload(flags: Flags, { agent, lookout }: Composed, log: Log): Promise<void> {
  const settings = await readSettings(flags)
  const schedule = settings.ok ? await scheduleOf(settings.value) : settings
  if (!settings.ok || !schedule.ok) {
    for (const line of schedule.ok ? [] : schedule.error.says)
      log('error', KEPT, { because: line }, `${KEPT}: ${line}`)
    return
  }
  lookout.adopt(settings.value)
  const charges: readonly Charge[] = chargesOf(settings.value, lookout)
  const order: Order = {
    observe: [{ kind: 'networkChanged' }],
    replace: { charges, schedule: schedule.value },
  }
  agent.inbox.put(order)
  const accounts = charges.map(({ plan }) => plan)
  log(
    'info',
    'the settings are read anew',
    { accounts: accounts.map(({ account }) => account) },
    `the settings are read anew, for ${listOf(accounts)}`,
  )
}

const KEPT = 'the settings are kept as they were'

interface Ending {
  readonly asJson: boolean
  /** A signal asked for it: then it ends in order, however things stand. Or another daemon has its folders. */
  readonly because: 'asked' | 'lost' | undefined
}

function conclude(rest: Rest, report: Desk['report'], { asJson, because: why }: Ending): Exit {
  const reports = report(rest)
  const exit = why === undefined ? exitOf(worst(reports.map(({ outcome }) => outcome))) : ENDINGS[why]
  if (asJson)
    printJson({ exit: { code: EXITS[exit].code, reason: exit, means: EXITS[exit].means }, accounts: reports })
  return exit
}

const ENDINGS = { asked: 'settled', lost: 'configuration' } as const
