import type { MetricFamily } from '../../shared/base/exposition.ts'
import { formatInstant, type Instant, instant } from '../../shared/base/time.ts'
import type { AgentEvent } from '../agent/events.ts'
import type { Agent, LoopState } from '../agent/agent.ts'
import type { EventFormat } from '../agent/wording.ts'
import { resumeObservations } from '../report/resume-state.ts'
import { type AskedCheck, seenAddresses } from './now-view.ts'
import type { PageView } from './view.ts'
import { labelOf } from '../report/account-name.ts'
import { ClientMetrics } from '../report/client-metrics.ts'
import { EventRing } from '../report/event-ring.ts'
import type { AccountReport } from '../report/report.ts'
import { SourceAnswers } from '../report/source-answers.ts'
import type { Trouble } from '../report/troubles.ts'
import { accountKey } from '../settings/client-checks.ts'
import type { Family } from '../../shared/base/address.ts'
import type { Sighting } from '../../shared/base/sighting.ts'
import type { Clock } from '../../shared/ports/clock.ts'
import type { Files } from '../../shared/ports/files.ts'
import type { Log } from '../../shared/ports/log.ts'
import { ABOUT } from '../../shared/program/about.ts'
import type { ClientTime } from '../agent/memory/client-time.ts'
import type { AddressDetection } from '../detect/address-detection.ts'
import { HistoryFile } from './history-file.ts'
import { MetricsFile } from './metrics-file.ts'
import type { ResolvedSettings } from '../settings/settings.ts'
import { StatusPage } from './status-page.ts'

interface MonitoringContext {
  readonly log: Log
  readonly clock: Clock
  readonly loopState: () => LoopState | undefined
  /** Reads the settings again; returns the mistakes in them. */
  readonly reread: () => Promise<readonly string[]>
  readonly reports: (loop: LoopState) => readonly AccountReport[]
  readonly troubles: () => readonly Trouble[]
  readonly files: Files
  /** By the wall clock. */
  readonly now: () => Instant
}

/** The parts of the running client that the page shows and wakes. */
interface ShownClient {
  readonly agent: Pick<Agent, 'inbox'>
  readonly clientTime: ClientTime
  readonly detection: Pick<AddressDetection, 'hint'>
}

/** The page and the metrics of a daemon, with what they remember since its start. */
export class Monitoring {
  readonly #client: ShownClient
  readonly #context: MonitoringContext
  readonly #events = new EventRing()
  readonly #answers = new SourceAnswers()
  readonly #metrics = new ClientMetrics()
  readonly #page: StatusPage
  readonly #file: MetricsFile
  #history: HistoryFile | undefined
  /** The last check that a person asked for. */
  #check: AskedCheck | undefined
  readonly #started: Instant
  #labels: ReadonlyMap<string, string> = new Map()
  #settings: ResolvedSettings | undefined

  constructor(client: ShownClient, context: MonitoringContext) {
    this.#client = client
    this.#context = context
    // The page may be opened later than the process has started.
    this.#started = instant(context.now() - Math.round(process.uptime() * 1000))
    this.#file = new MetricsFile(context.log, context.clock)
    this.#page = new StatusPage(
      {
        view: () => this.#view(),
        metrics: () => this.#families(),
        status: () => ({ isRunning: true, accounts: this.#reports(), troubles: context.troubles() }),
        look: () => client.detection.hint('poke'),
        asked: () => {
          this.#check = {
            at: formatInstant(context.now()),
            addresses: seenAddresses(this.#reports()),
          }
          this.#page.changed()
        },
        resume: async (account) => this.#resume(account),
        clock: context.clock,
      },
      context.log,
    )
  }

  async adopt(settings: ResolvedSettings): Promise<void> {
    this.#settings = settings
    this.#labels = new Map(
      settings.accounts.map((account) => {
        const key = accountKey(account)
        return [key, labelOf({ account: key, name: account.name })]
      }),
    )
    this.#history ??= await HistoryFile.load(settings.stateFolders, this.#context)
    await this.#page.adopt(settings.config)
  }

  record(event: AgentEvent): void {
    const now = this.#context.now()
    this.#metrics.record(event, now)
    if (this.#events.record(event, now, this.#format)) this.#page.changed()
  }

  answered(source: string, family: Family, sighting: Sighting): void {
    this.#answers.record(source, family, { sighting, now: this.#context.now() })
    this.#metrics.answered(source, sighting)
  }

  delivered(target: string, result: 'delivered' | 'failed'): void {
    this.#metrics.delivered(target, result)
  }

  changed(): void {
    this.#history?.take(this.#reports(), this.#context.now())
    this.#page.changed()
    this.tick()
  }

  tick(): void {
    const path = this.#settings?.config.metricsFile
    if (path !== undefined) this.#file.write(path, () => this.#families())
  }

  close(): void {
    this.#page.close()
  }

  readonly #format: EventFormat = {
    account: (key) => this.#labels.get(key) ?? key,
    // The page writes moments as the reader's language does.
    time: (at) => formatInstant(this.#client.clientTime.wallAt(at)),
  }

  #reports(): readonly AccountReport[] {
    const loop = this.#context.loopState()
    return loop === undefined ? [] : this.#context.reports(loop)
  }

  #view(): PageView {
    return {
      accounts: this.#reports(),
      troubles: this.#context.troubles(),
      events: this.#events.newestFirst,
      answers: this.#answers.all,
      history: this.#history?.addresses ?? [],
      ...(this.#check !== undefined && { check: this.#check }),
      about: {
        version: ABOUT.version,
        node: process.versions.node,
        started: formatInstant(this.#started),
        stateDir: this.#settings?.stateDir ?? '',
        configFile: this.#settings?.configFile ?? null,
      },
    }
  }

  #families(): readonly MetricFamily[] {
    const values = {
      version: ABOUT.version,
      node: process.versions.node,
      startTime: this.#started / 1000,
      residentBytes: process.memoryUsage.rss(),
    }
    return this.#metrics.families(this.#reports(), values, this.#context.now())
  }

  /** The same as `holdfast resume` for one account. */
  async #resume(account: string): Promise<void> {
    if ((await this.#context.reread()).length > 0) return
    const job = this.#context.loopState()?.jobs.find(({ desired }) => desired.account === account)
    if (job === undefined) return
    await new Promise<void>((done) => {
      this.#client.agent.inbox.put({
        observations: resumeObservations([job.desired]),
        onDone: () => done(),
      })
    })
  }
}
