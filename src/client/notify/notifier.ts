import { formatInstant, type Instant } from '../../shared/base/time.ts'
import type { AgentEvent } from '../agent/events.ts'
import {
  admit,
  CLOCK_TOLERANCE,
  type Compared,
  compareReports,
  isSettled,
  maxPerDay,
  notificationOf,
  type TargetsOf,
  withoutHeld,
} from './compare.ts'
import type { DeliveryTarget, FailingTarget, NotifyMemory, PendingDelivery } from './memory.ts'
import { EVENT_ROWS, NO_DETAILS, type Notification } from './notification.ts'
import type { AccountReport } from '../report/report.ts'
import type { NotificationEvent } from '../settings/notify-settings.ts'
import { byFamily, listed } from '../../shared/base/address.ts'
import type { Log } from '../../shared/ports/log.ts'
import type { SystemPorts } from '../../shared/ports/system.ts'
import {
  accountsByKey,
  deliveryOf,
  deliveryPorts,
  deliveryTargets,
  newDeliveryId,
  queuesOf,
  receiversOf,
} from './delivery.ts'
import type { DeliveryPorts } from './receivers/receiver.ts'
import { pingDelivery } from './receivers/ping.ts'
import { DeliveryQueue, MAX_DELIVERY_AGE, type OnDelivery } from './delivery-queue.ts'
import { NotifyMemoryFile } from './memory-file.ts'
import type { ClientAccount, ResolvedSettings } from '../settings/settings.ts'
import { type EventFormat, wordingOf } from '../agent/wording.ts'

interface PingContext {
  /** Milliseconds between two pings, of the accounts that have a check. */
  readonly every: ReadonlyMap<string, number>
  readonly now: Instant
}

/** Accounts that are due for a ping while all is well. */
export function duePings(
  memory: NotifyMemory,
  reports: readonly AccountReport[],
  { every, now }: PingContext,
): { readonly memory: NotifyMemory; readonly accounts: readonly string[] } {
  const due = reports.filter((report) => {
    const { account } = report
    const interval = every.get(account)
    const pinged = memory.accounts[account]?.pinged
    if (interval === undefined || !isSettled(report)) return false
    return pinged === undefined || now - pinged >= interval || pinged - now > CLOCK_TOLERANCE
  })
  const accounts = due.map(({ account }) => account)
  return { memory: accounts.reduce((one, account) => withPing(one, account, now), memory), accounts }
}

function withPing(memory: NotifyMemory, account: string, now: Instant): NotifyMemory {
  const earlier = memory.accounts[account] ?? { confirmed: {}, events: {} }
  return { ...memory, accounts: { ...memory.accounts, [account]: { ...earlier, pinged: now } } }
}

/** The next look at which all is well pings. */
export function withoutPing(memory: NotifyMemory, account: string): NotifyMemory {
  const earlier = memory.accounts[account]
  if (earlier === undefined) return memory
  const { pinged: _pinged, ...rest } = earlier
  return { ...memory, accounts: { ...memory.accounts, [account]: rest } }
}

/** Events that cause a notification and neither delay nor stop updates. */
const EVENTS_FOR_ALL: Readonly<Partial<Record<AgentEvent['kind'], NotificationEvent>>> = {
  behindAnother: 'behind-nat',
  flipping: 'flipping',
  lineHeldLong: 'held',
  outlier: 'outlier',
  quarantined: 'quarantined',
  stateSavedElsewhere: 'unsaved',
  stateSetAside: 'state-lost',
  stateOutdated: 'state-lost',
}
const FORMAT: EventFormat = { account: (key) => key, time: formatInstant }
const eventLine = (event: AgentEvent): string => wordingOf(event).line(event, FORMAT)

/** What an event without an account is for people. */
function newsForAll(
  event: AgentEvent,
): { readonly about: NotificationEvent; readonly because: string } | undefined {
  if (event.kind === 'stateNotSaved') return { about: 'unsaved', because: event.because }
  const about = EVENTS_FOR_ALL[event.kind]
  return about === undefined ? undefined : { about, because: eventLine(event) }
}

/** Pings of the interval are not remembered: the next one follows. */
const INTERVAL_PING = 'interval'

type NotifierPorts = Pick<SystemPorts, 'clocks' | 'entropy' | 'files' | 'hook' | 'http' | 'mail' | 'steady'>

interface NotifierOptions {
  readonly log: Log
  readonly onDelivery?: OnDelivery
  readonly system: NotifierPorts
}

/** Tells what happens, as the settings want it. Nothing here delays an update or changes its result. */
export class Notifier {
  readonly #log: Log
  readonly #ports: DeliveryPorts
  readonly #entropy: NotifierPorts['entropy']
  readonly #file: NotifyMemoryFile
  readonly #queue: DeliveryQueue
  #accounts: ReadonlyMap<string, ClientAccount>
  #memory: NotifyMemory
  /** The account that was told that the state cannot be saved. */
  #unsavedListener = ''
  #isFull = false
  #reports: readonly AccountReport[] = []
  /** Deliveries that wait until they are saved. */
  #starting: Promise<unknown> = Promise.resolve()

  private constructor(
    settings: ResolvedSettings,
    { log, onDelivery = () => undefined, system }: NotifierOptions,
    { file, memory }: { readonly file: NotifyMemoryFile; readonly memory: NotifyMemory },
  ) {
    this.#log = log
    this.#file = file
    this.#memory = memory
    this.#accounts = accountsByKey(settings.accounts)
    this.#ports = deliveryPorts(system)
    this.#entropy = system.entropy
    this.#queue = new DeliveryQueue(log, system.steady, {
      onResult: onDelivery,
      onAttempt: this.#attempted,
      now: this.#now,
      failing: memory.failing,
    })
  }

  static async make(settings: ResolvedSettings, options: NotifierOptions): Promise<Notifier> {
    const { log, system } = options
    const file = new NotifyMemoryFile(settings.stateFolders, { files: system.files, log })
    const notifier = new Notifier(settings, options, { file, memory: await file.load() })
    notifier.#deliverPending()
    return notifier
  }

  adopt({ accounts }: Pick<ResolvedSettings, 'accounts'>): void {
    this.#accounts = accountsByKey(accounts)
  }

  /** After each change of the state, and at least once a minute. */
  take(reports: readonly AccountReport[]): void {
    this.#reports = reports
    const now = this.#now()
    this.#apply(compareReports(this.#memory, reports, { now, targetsOf: this.#targetsOf }))
    const every = new Map(
      [...this.#accounts].flatMap(([key, account]) =>
        account.healthUrl === undefined ? [] : [[key, account.healthEvery] as const],
      ),
    )
    const pings = duePings(this.#memory, reports, { every, now })
    this.#memory = pings.memory
    for (const key of pings.accounts) this.#ping(key)
    void this.#save()
  }

  /** The end of time between two changes: what was held back is told, and problems that last. */
  tick(): void {
    if (this.#reports.length > 0) this.take(this.#reports)
  }

  record(event: AgentEvent): void {
    if (event.kind === 'confirmedDifferent')
      this.#tell('different', event.account, {
        hostnames: [event.hostname],
        addresses: 'addresses' in event.reply ? byFamily(event.reply.addresses) : {},
        before: event.previous,
        because: `the service confirmed another address than was sent (${listed(event.sent.addresses).join(' and ')})`,
      })
    this.#recordForAll(event)
  }

  /** Events without an account: the first account that asks for the event reports it. */
  #recordForAll(event: AgentEvent): void {
    const news = newsForAll(event)
    if (event.kind === 'stateSavedAgain') this.#savedAgain(event)
    if (news === undefined) return
    const { about, because } = news
    this.#tell(about, this.#listener(about), { because, hostnames: [], addresses: {} })
    if (about === 'unsaved') this.#unsavedListener = this.#listener('unsaved')
  }

  /** The end of what was told; what was held back of it is no news. */
  #savedAgain(event: AgentEvent): void {
    const account = this.#unsavedListener
    if (account === '') return
    this.#unsavedListener = ''
    const wasHeld = this.#memory.accounts[account]?.events.unsaved?.held !== undefined
    this.#memory = withoutHeld(this.#memory, account, 'unsaved')
    if (!wasHeld)
      this.#tell('recovered', account, { because: eventLine(event), hostnames: [], addresses: {} })
  }

  /** The start and the end of the daemon. */
  announce(event: 'started' | 'ended'): void {
    const isUndone = (one: PendingDelivery): boolean =>
      event === 'started' && one.notification.event === 'ended'
    for (const one of this.#memory.pending.filter(isUndone)) this.#attempted(one, true)
    for (const account of this.#accounts.keys()) {
      this.#tell(event, account, { because: null })
      // A check that knows of a start waits for its success.
      if (event === 'started') this.#memory = withoutPing(this.#memory, account)
    }
  }

  /** Targets of the present settings that do not take what they are told. */
  get failing(): readonly FailingTarget[] {
    const present = new Set([...this.#accounts.values()].flatMap(queuesOf))
    return this.#queue.failing.filter(({ receiver }) => present.has(receiver))
  }

  /** A test was delivered to these receivers. */
  recovered(receivers: readonly string[]): void {
    for (const one of receivers) this.#queue.recovered(one)
    this.#memory = { ...this.#memory, failing: this.#queue.failing }
    void this.#save()
  }

  /** Waits for what is being delivered, until the signal. What has not arrived is delivered after the next start. */
  async finish(timeout: number, signal?: AbortSignal): Promise<void> {
    await this.#starting
    await this.#queue.finish(timeout, signal)
    await this.#save()
  }

  /** The first account that tells anyone of an event. */
  readonly #listener = (event: NotificationEvent): string =>
    [...this.#accounts.keys()].find((account) => this.#isHeard(account, event)) ?? ''

  readonly #now = (): Instant => this.#ports.now()
  readonly #targetsOf: TargetsOf = (account, event) => {
    const settings = this.#accounts.get(account)
    return settings === undefined ? [] : deliveryTargets({ event }, settings)
  }
  readonly #isHeard = (account: string, event: NotificationEvent): boolean =>
    this.#targetsOf(account, event).length > 0

  #tell(event: NotificationEvent, account: string, more: Partial<Notification>): void {
    if (!this.#isHeard(account, event)) return
    const report = this.#reports.find((one) => one.account === account)
    const name = this.#accounts.get(account)?.name ?? null
    const base =
      report === undefined ? { ...NO_DETAILS, account, name, event } : notificationOf(event, report)
    const targets = this.#targetsOf(account, event)
    this.#apply(admit(this.#memory, { ...base, remedy: null, ...more }, { now: this.#now(), targets }))
    void this.#save()
  }

  #apply({ memory, notifications, atOnce }: Compared): void {
    this.#memory = memory
    this.#reportLimit()
    const pending = atOnce.flatMap((one) => this.#pendingOf(one, ['hook']))
    for (const one of notifications) {
      const { account, event } = one
      const isDown = this.#memory.accounts[account]?.problem !== undefined
      const targets = this.#targetsOf(account, event).filter((target) =>
        target === 'hook'
          ? EVENT_ROWS[event].isAtOnce !== true
          : // A change of one hostname, or a state that is saved again, does not mean that all is well.
            target !== 'ping' || EVENT_ROWS[event].ping !== 'success' || !isDown,
      )
      pending.push(...this.#pendingOf(one, targets))
      if (targets.includes('ping') && EVENT_ROWS[event].ping === 'success')
        this.#memory = withPing(this.#memory, account, this.#now())
    }
    if (pending.length === 0) return
    // Begins when the file knows of all: after a kill, the next process tells it with the same id.
    this.#memory = { ...this.#memory, pending: [...this.#memory.pending, ...pending] }
    const saved = this.#save()
    this.#starting = Promise.all([this.#starting, saved.then(() => pending.forEach((one) => this.#put(one)))])
  }

  #pendingOf(notification: Notification, targets: readonly DeliveryTarget[]): PendingDelivery[] {
    const { account, event } = notification
    this.#log('debug', 'a notification is delivered', { fields: { account, event } })
    const settings = this.#accounts.get(account)
    const at = this.#now()
    return targets.flatMap((target) =>
      (settings === undefined ? [undefined] : receiversOf(target, settings)).map((to) => {
        const id = newDeliveryId(this.#entropy)
        return { id, target, ...(to !== undefined && { to }), notification, at, attempts: 0 }
      }),
    )
  }

  #put(pending: PendingDelivery): void {
    const settings = this.#accounts.get(pending.notification.account)
    // A run for other accounts leaves it to the next one.
    if (settings === undefined) return
    const delivery = deliveryOf(pending, settings, this.#ports)
    if (delivery === undefined) this.#attempted(pending, true)
    else this.#queue.put(pending, delivery)
  }

  /** What an earlier process did not deliver. */
  #deliverPending(): void {
    const now = this.#ports.now()
    for (const pending of this.#memory.pending) {
      if (now - pending.at > MAX_DELIVERY_AGE) this.#attempted(pending, true)
      // Of no interest if this process is a daemon: see `announce`.
      else if (pending.notification.event !== 'ended') this.#put(pending)
    }
  }

  readonly #attempted = (pending: PendingDelivery, isOver: boolean): void => {
    const left = this.#memory.pending.flatMap((one) => {
      if (one.id !== pending.id) return [one]
      return isOver ? [] : [pending]
    })
    this.#memory = { ...this.#memory, pending: left, failing: this.#queue.failing }
    void this.#save()
  }

  /** While all is well. */
  #ping(account: string): void {
    const settings = this.#accounts.get(account)
    const delivery = settings && pingDelivery(settings, 'success', { text: '', ports: this.#ports })
    if (delivery === undefined) return
    const notification: Notification = { ...NO_DETAILS, account, event: 'recovered' }
    const at = this.#ports.now()
    this.#queue.put({ id: INTERVAL_PING, target: 'ping', notification, at, attempts: 0 }, delivery)
  }

  /** Once, when the maximum of the day is reached. */
  #reportLimit(): void {
    const isFull = this.#memory.count >= maxPerDay(this.#memory)
    if (isFull && !this.#isFull)
      this.#log('warn', 'the maximum number of notifications of a day is reached', {
        line:
          `${this.#memory.count} notifications were sent today; ` +
          'until tomorrow (UTC), only problems and their ends are reported',
      })
    this.#isFull = isFull
  }

  readonly #save = async (): Promise<void> => this.#file.save(this.#memory)
}
