import type { Instant } from '../../../shared/base/time.ts'
import type { AgentEvent } from '../../agent/events.ts'
import type { LoopState } from '../../agent/agent.ts'
import { accountOf, hostOf } from '../../decide/state.ts'
import { deliveryTroubles } from '../../notify/memory.ts'
import {
  type AccountReport,
  clockView,
  ExchangeLog,
  type ExchangeView,
  reportAccounts,
} from '../../report/report.ts'
import { settingsTrouble, stateTrouble, type Trouble } from '../../report/troubles.ts'
import type { Log } from '../../../shared/ports/log.ts'
import type { Supervisor } from '../../../shared/ports/supervisor.ts'
import type { SystemPorts } from '../../../shared/ports/system.ts'
import { accountKey } from '../../settings/client-checks.ts'
import { type AskService, BackgroundVerification } from '../verify/background.ts'
import { verifyPorts } from '../verify/verify-account.ts'
import type { ClientParts, ComposedClient } from '../compose.ts'
import type { Monitoring } from '../../page/monitoring.ts'
import { Notifications } from '../../notify/notifications.ts'
import type { ResolvedSettings } from '../../settings/settings.ts'

/** In milliseconds, for notifications at the end. A supervisor that ends the daemon waits five seconds or more. */
const LAST_DELIVERY_TIMEOUT = { asked: 1500, own: 30_000 } as const

interface Connected {
  readonly composed: ComposedClient
  /** Reads the settings again; returns the mistakes in them. */
  readonly reread: () => Promise<readonly string[]>
  readonly verification: BackgroundVerification
}

export interface ObserverParts {
  readonly log: Log
  readonly system: SystemPorts
  readonly supervisor: Supervisor
}

/** All that follows the loop of a daemon and does not change what it does. */
export class DaemonObservers {
  readonly supervisor: Supervisor
  readonly exchanges = new ExchangeLog()
  readonly #stopping = new AbortController()
  readonly #log: Log
  readonly #system: SystemPorts
  readonly #notifications: Notifications
  #connected: Connected | undefined
  #isEnding = false
  #settings: ResolvedSettings | undefined
  #stateTrouble: Trouble | undefined
  #settingsTrouble: Trouble | undefined
  /** Loaded only for a page or a file of metrics. */
  #monitoring: Monitoring | undefined
  /** The last state of the loop; undefined before its first decision. */
  latest: LoopState | undefined

  constructor({ log, system, supervisor }: ObserverParts) {
    this.#log = log
    this.#system = system
    this.supervisor = supervisor
    this.#notifications = new Notifications(log, system, (target, result) => {
      this.#monitoring?.delivered(target, result)
      this.#monitoring?.changed()
    })
  }

  /** While a stop or a wait stands, nothing is asked. */
  async #serviceHas(
    signal: AbortSignal,
    ...[account, hostname, addresses]: Parameters<AskService>
  ): ReturnType<AskService> {
    const [settings, state] = [this.#settings, this.latest?.state]
    if (settings === undefined || state === undefined) return undefined
    if (accountOf(state, accountKey(account)).status.kind !== 'ready') return undefined
    const { serviceHas } = await import('../status/record-look.ts')
    return serviceHas({ account, hostname, addresses }, settings, { system: this.#system, signal })
  }

  /** The settings, after each reload. */
  async adopt(settings: ResolvedSettings): Promise<void> {
    this.#settings = settings
    this.#connected?.verification.adopt(settings)
    await this.#notifications.adopt(settings)
    const isMonitored = settings.config.page !== undefined || settings.config.metricsFile !== undefined
    if (isMonitored) this.#monitoring ??= await this.#loadMonitoring()
    await this.#monitoring?.adopt(settings)
  }

  /** A supervisor asks for the end, while the last notifications may be on their way. */
  stopping(): void {
    this.supervisor.stopping()
    if (this.#isEnding) this.#stopping.abort()
  }

  /** The settings at the start. */
  async connect(
    composed: ComposedClient,
    settings: ResolvedSettings,
    reread: () => Promise<readonly string[]>,
  ): Promise<void> {
    const ports = await verifyPorts(this.#system)
    this.#connected = {
      composed,
      reread,
      verification: new BackgroundVerification(composed.agent.emit, composed.agent.end, {
        ...ports,
        askService: async (...asked) => this.#serviceHas(composed.agent.end, ...asked),
      }),
    }
    await this.adopt(settings)
  }

  readonly onEvent = (event: AgentEvent): void => {
    this.exchanges.record(event)
    this.#connected?.verification.record(event)
    this.#notifications.record(event)
    const before = this.#stateTrouble
    this.#stateTrouble = stateTrouble(before, event, this.#system.clocks().wall)
    if (this.#stateTrouble !== before) this.#monitoring?.changed()
    this.#monitoring?.record(event)
  }

  readonly onAnswer: NonNullable<ClientParts['onAnswer']> = (source, family, sighting) =>
    this.#monitoring?.answered(source, family, sighting)

  readonly onWait = (): void => {
    this.supervisor.beat()
    this.#notifications.tick()
    this.#monitoring?.tick()
  }

  readonly onState = (loop: LoopState): void => {
    const isFirst = this.latest === undefined
    // Ready means that the saved state could be read.
    if (isFirst) this.supervisor.ready()
    this.latest = loop
    this.supervisor.status(statusLine(loop))
    this.#notifications.take(() => this.reports(loop))
    if (isFirst) this.#notifications.announce('started')
    this.#monitoring?.changed()
  }

  readonly reports = (
    loop: LoopState,
    exchanges: ExchangeView = this.exchanges,
  ): readonly AccountReport[] => {
    if (this.#connected === undefined) return []
    const { composed, verification } = this.#connected
    return reportAccounts(loop, {
      exchanges,
      publications: verification,
      clock: clockView(composed.clientTime),
      isLooking: true,
    })
  }

  /** With the mistakes for which a reload was refused. */
  readonly reloaded = (mistakes: readonly string[]): void => {
    this.#settingsTrouble =
      mistakes.length === 0 ? undefined : settingsTrouble(mistakes, this.#system.clocks().wall)
    this.#monitoring?.changed()
  }

  /** What concerns no account. */
  readonly troubles = (): readonly Trouble[] => [
    ...[this.#stateTrouble, this.#settingsTrouble].flatMap((trouble) => trouble ?? []),
    ...deliveryTroubles(this.#notifications.failing),
  ]

  readonly recovered = (receivers: readonly string[]): void => this.#notifications.recovered(receivers)

  /** The loop has ended: a supervisor asked for that, or every account is stopped. */
  async end(by: 'asked' | 'own'): Promise<void> {
    this.#isEnding = true
    this.#monitoring?.close()
    this.#notifications.announce('ended')
    await this.#notifications.finish(LAST_DELIVERY_TIMEOUT[by], this.#stopping.signal)
  }

  async #loadMonitoring(): Promise<Monitoring | undefined> {
    const connected = this.#connected
    if (connected === undefined) return undefined
    const { Monitoring: Loaded } = await import('../../page/monitoring.ts')
    return new Loaded(connected.composed, {
      log: this.#log,
      clock: this.#system.steady,
      loopState: () => this.latest,
      reread: connected.reread,
      reports: this.reports,
      troubles: this.troubles,
      files: this.#system.files,
      now: (): Instant =>
        clockView(connected.composed.clientTime).wallAt(connected.composed.clientTime.now()),
    })
  }
}

/** One line for the status of the supervisor. */
function statusLine({ state, jobs, action }: LoopState): string {
  if (action.kind === 'halt') return 'stopped until you act; run holdfast explain'
  const hosts = jobs.flatMap(({ desired }) =>
    desired.hostnames.map((name) => hostOf(accountOf(state, desired.account), name)),
  )
  const confirmed = hosts.filter(({ touched }) => touched !== undefined).length
  const delayed = jobs.filter(
    ({ desired }) => accountOf(state, desired.account).status.kind !== 'ready',
  ).length
  const accounts = delayed === 0 ? '' : `; ${delayed} of ${jobs.length} accounts waiting or stopped`
  return `${confirmed} of ${hosts.length} hostnames confirmed${accounts}`
}
