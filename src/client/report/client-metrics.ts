import type { Labels, MetricFamily, Sample } from '../../shared/base/exposition.ts'
import { Counter, gauge, Histogram } from '../../shared/base/instruments.ts'
import { between, type Instant, parseInstant } from '../../shared/base/time.ts'
import { FAMILIES, type Family } from '../../shared/base/address.ts'
import type { Sighting } from '../../shared/base/sighting.ts'
import type { AgentEvent } from '../agent/events.ts'
import type { AccountReport } from './report.ts'

const STATES = {
  settled: 'ready',
  addressUnknown: 'ready',
  waiting: 'waiting',
  unreached: 'retrying',
  stopped: 'stopped',
} as const
const STATE_NAMES = ['ready', 'waiting', 'retrying', 'stopped'] as const

/** What is read at the moment of a scrape. */
interface ProcessValues {
  readonly version: string
  readonly node: string
  /** Seconds since 1970. */
  readonly startTime: number
  readonly residentBytes: number
}

/** Upper bounds in seconds: a near service answers in 50 ms, and a request is given up after half a minute. */
const UPDATE_BOUNDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, Infinity] as const

/** Counts of a daemon since its start. No label holds an address. */
export class ClientMetrics {
  readonly #updates = new Counter({
    name: 'holdfast_updates',
    help: 'Answered update requests, one for each hostname, by reply word.',
  })
  readonly #durations = new Histogram(
    {
      name: 'holdfast_update_duration_seconds',
      help: 'Time from an update request to its answer.',
    },
    UPDATE_BOUNDS,
  )
  readonly #changes = new Counter({
    name: 'holdfast_address_changes',
    help: 'Changes of the confirmed address of a hostname.',
  })
  readonly #answers = new Counter({
    name: 'holdfast_source_answers',
    help: 'Answers of the address sources: seen, none or unknown.',
  })
  readonly #deliveries = new Counter({
    name: 'holdfast_notifications',
    help: 'Deliveries to programs, webhooks, mail and health checks, by target and result.',
  })
  readonly #sent = new Map<string, Instant>()
  readonly #quarantinedUntil = new Map<string, number>()

  record(event: AgentEvent, now: Instant): void {
    if (event.kind === 'sending') this.#sent.set(event.account, now)
    if (event.kind === 'quarantined') this.#quarantinedUntil.set(event.source, now + event.duration)
    const isAnswer =
      event.kind === 'settled' || event.kind === 'refused' || event.kind === 'confirmedDifferent'
    const isEnd = isAnswer || event.kind === 'notUnderstood' || event.kind === 'unreached'
    if (isAnswer) this.#updates.add({ account: event.account, reply: event.reply.word })
    if (event.kind === 'settled') this.#countChanges(event)
    const sent = isEnd ? this.#sent.get(event.account) : undefined
    if (!isEnd || sent === undefined) return
    this.#sent.delete(event.account)
    this.#durations.observe({ account: event.account }, between(sent, now) / 1000)
  }

  answered(source: string, sighting: Sighting): void {
    if (sighting.kind === 'unknown' && sighting.isUnneeded === true) return
    this.#answers.add({ source, result: sighting.kind })
  }

  delivered(target: string, result: 'delivered' | 'failed'): void {
    this.#deliveries.add({ target, result })
  }

  families(reports: readonly AccountReport[], process: ProcessValues, now: Instant): readonly MetricFamily[] {
    const names = new Map(reports.map((report) => [report.account, accountLabel(report)]))
    return [
      {
        name: 'holdfast_build',
        type: 'info',
        help: 'The version of Holdfast and of Node.',
        samples: [{ suffix: '_info', labels: { version: process.version, node: process.node }, value: 1 }],
      },
      ...reportFamilies(reports),
      ...[this.#updates, this.#durations, this.#changes].map((one) => withNames(one.family(), names)),
      this.#answers.family(),
      this.#deliveries.family(),
      gaugeOf(
        'holdfast_source_quarantined',
        'Whether an address source is paused.',
        [...this.#quarantinedUntil].map(([source, until]) => ({
          labels: { source },
          value: until > now ? 1 : 0,
        })),
      ),
      gauge({ name: 'process_resident_memory_bytes', help: 'Resident memory.' }, process.residentBytes),
      gauge(
        { name: 'process_start_time_seconds', help: 'Start of the process since 1970.' },
        process.startTime,
      ),
    ]
  }

  #countChanges({ previous, sent, account }: Extract<AgentEvent, { kind: 'settled' }>): void {
    for (const family of FAMILIES)
      if (sent.addresses[family] !== undefined && sent.addresses[family] !== previous[family])
        this.#changes.add({ account, family })
  }
}

const accountLabel = ({ account, name }: AccountReport): string => name ?? account

/** Counts are kept by account key; every series shows the name, so that they can be joined. */
const withNames = (family: MetricFamily, names: ReadonlyMap<string, string>): MetricFamily => ({
  ...family,
  samples: family.samples.map((one) => {
    const { account = '' } = one.labels
    return { ...one, labels: { ...one.labels, account: names.get(account) ?? account } }
  }),
})

interface Value {
  readonly labels: Labels
  readonly value: number
}

const gaugeOf = (name: string, help: string, values: readonly Value[]): MetricFamily => ({
  name,
  type: 'gauge',
  help,
  samples: values.map((one): Sample => ({ suffix: '', ...one })),
})

const secondsOf = (at: string | null): readonly number[] => {
  const moment = at === null ? undefined : parseInstant(at)
  return moment === undefined ? [] : [moment / 1000]
}

function reportFamilies(reports: readonly AccountReport[]): readonly MetricFamily[] {
  const hosts = reports.flatMap((report) => report.hostnames.map((host) => ({ report, host })))
  const hostFamilies = (
    value: (host: (typeof hosts)[number]['host'], family: Family) => readonly number[],
  ): readonly Value[] =>
    hosts.flatMap(({ report, host }) =>
      FAMILIES.flatMap((family) =>
        value(host, family).map((one) => ({
          labels: { account: accountLabel(report), hostname: host.hostname, family },
          value: one,
        })),
      ),
    )
  const accountValues = (value: (report: AccountReport) => readonly number[]): readonly Value[] =>
    reports.flatMap((report) =>
      value(report).map((one) => ({ labels: { account: accountLabel(report) }, value: one })),
    )
  const states = reports.flatMap((report) =>
    STATE_NAMES.map((state) => ({
      labels: { account: accountLabel(report), state },
      value: STATES[report.outcome] === state ? 1 : 0,
    })),
  )
  return [
    gaugeOf(
      'holdfast_hostname_confirmed',
      'Whether the service has confirmed an address of the family.',
      hostFamilies((host, family) => [host.confirmed[family] === undefined ? 0 : 1]),
    ),
    gaugeOf(
      'holdfast_hostname_confirmed_timestamp_seconds',
      'When the addresses of the hostname were last confirmed.',
      hosts.flatMap(({ report, host }) =>
        secondsOf(host.lastConfirmed).map((value) => ({
          labels: { account: accountLabel(report), hostname: host.hostname },
          value,
        })),
      ),
    ),
    gaugeOf('holdfast_account_state', 'The state of the account: the current one is 1.', states),
    // NOTE: the old name, for dashboards that have it; the next release is without it.
    gaugeOf('holdfast_account_standing', 'The same as holdfast_account_state.', states),
    gaugeOf(
      'holdfast_next_attempt_timestamp_seconds',
      'When the next update request is allowed, while the account waits.',
      accountValues(({ nextAttempt }) => secondsOf(nextAttempt)),
    ),
    gaugeOf(
      'holdfast_last_look_timestamp_seconds',
      'When the address was last looked up.',
      accountValues(({ lastLook }) => secondsOf(lastLook)),
    ),
  ]
}
