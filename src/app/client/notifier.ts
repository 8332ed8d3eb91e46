import { join } from 'node:path'
import { instant, type Instant } from '../../base/time.ts'
import type { AgentEvent } from '../../client/agent/events.ts'
import {
  admit,
  compareReports,
  type Compared,
  duePings,
  notificationOf,
  withPing,
} from '../../client/notify/compare.ts'
import {
  formatNotifyMemory,
  NEW_MEMORY,
  type NotifyMemory,
  parseNotifyMemory,
} from '../../client/notify/memory.ts'
import { EVENT_ROWS, type Notification } from '../../client/notify/notification.ts'
import type { AccountReport } from '../../client/report/report.ts'
import { accountKey } from '../../config/client-checks.ts'
import type { NotificationEvent } from '../../config/notify-settings.ts'
import { byFamily } from '../../net/address.ts'
import { Secret } from '../../net/secret.ts'
import { systemFiles } from '../../platform/files.ts'
import { runHook } from '../../platform/hook.ts'
import { serviceHttp } from '../../platform/service-http.ts'
import type { Files } from '../../ports/files.ts'
import type { Log } from '../../ports/log.ts'
import { MAX_BYTES, textOf } from '../text-file.ts'
import { type DeliveryPorts, type DeliverySettings, deliveriesFor, pingDelivery } from './delivery.ts'
import { DeliveryQueue, type OnDelivery } from './delivery-queue.ts'
import type { ResolvedSettings } from './settings.ts'

const MEMORY_FILE = 'notified.json'

export const SYSTEM_DELIVERY: DeliveryPorts = { http: serviceHttp, hook: runHook, now: () => Date.now() }

interface NotifierOptions {
  readonly log: Log
  readonly onDelivery?: OnDelivery
  readonly ports?: DeliveryPorts
  readonly files?: Files
}

/** The settings for deliveries, with the keys of the webhooks; a key that cannot be read is logged. */
export async function deliverySettings(
  { accounts }: Pick<ResolvedSettings, 'accounts'>,
  log: Log,
): Promise<ReadonlyMap<string, DeliverySettings>> {
  const all = await Promise.all(
    accounts.map(async (account) => {
      const read = await textOf(account.webhookSecretFile, {
        setting: 'webhook_secret_file',
        maxBytes: MAX_BYTES.password,
      })
      if (!read.ok)
        log('warn', 'the key of a webhook cannot be read', {
          fields: { because: read.error },
          line: `${read.error}; the webhook is not signed`,
        })
      const text = read.ok ? (read.value ?? '').replace(/\r?\n$/, '') : ''
      return [
        accountKey(account),
        { account, webhookSecret: text === '' ? undefined : new Secret(text) },
      ] as const
    }),
  )
  return new Map(all)
}

/** Tells what happens, as the settings want it. Nothing here delays an update or changes its result. */
export class Notifier {
  readonly #log: Log
  readonly #ports: DeliveryPorts
  readonly #files: Files
  readonly #queue: DeliveryQueue
  readonly #path: string
  #settings: ReadonlyMap<string, DeliverySettings> = new Map()
  #memory: NotifyMemory = NEW_MEMORY
  #saved = ''
  #saving: Promise<void> = Promise.resolve()
  #isUnsaved = false
  #reports: readonly AccountReport[] = []

  private constructor(
    { stateDir }: ResolvedSettings,
    { log, onDelivery = () => undefined, ports = SYSTEM_DELIVERY, files = systemFiles }: NotifierOptions,
  ) {
    this.#log = log
    this.#ports = ports
    this.#files = files
    this.#queue = new DeliveryQueue(log, onDelivery)
    this.#path = join(stateDir, MEMORY_FILE)
  }

  static async make(settings: ResolvedSettings, options: NotifierOptions): Promise<Notifier> {
    const notifier = new Notifier(settings, options)
    const text = await notifier.#files.read(notifier.#path).catch(() => undefined)
    if (text !== undefined) notifier.#memory = parseNotifyMemory(text)
    notifier.#saved = text ?? ''
    await notifier.adopt(settings)
    return notifier
  }

  async adopt(settings: Pick<ResolvedSettings, 'accounts'>): Promise<void> {
    this.#settings = await deliverySettings(settings, this.#log)
  }

  /** After each change of the state, and at least once a minute. */
  take(reports: readonly AccountReport[]): void {
    this.#reports = reports
    const now = this.#now()
    this.#apply(compareReports(this.#memory, reports, now))
    const every = new Map(
      [...this.#settings].flatMap(([key, { account }]) =>
        account.healthUrl === undefined ? [] : [[key, account.healthEvery] as const],
      ),
    )
    const pings = duePings(this.#memory, reports, { every, now })
    this.#memory = pings.memory
    for (const key of pings.accounts) {
      const settings = this.#settings.get(key)
      if (settings === undefined) continue
      for (const delivery of pingDelivery(settings.account, 'success', { text: '', ports: this.#ports }))
        this.#queue.put(delivery, key)
    }
    this.#save()
  }

  /** The end of time between two changes: what was held back is told, and problems that last. */
  tick(): void {
    if (this.#reports.length > 0) this.take(this.#reports)
  }

  record(event: AgentEvent): void {
    if (event.kind === 'confirmedDifferent') {
      const addresses = 'addresses' in event.reply ? byFamily(event.reply.addresses) : {}
      this.#tell('different', event.account, {
        hostnames: [event.hostname],
        addresses,
        before: event.sent.addresses,
        because: 'the service confirmed another address than the one that was sent',
      })
    }
    // All accounts have one state file, so one of them tells it.
    if (event.kind === 'stateNotSaved')
      this.#tell('unsaved', this.#first(), { because: event.because, hostnames: [] })
  }

  /** The start and the end of the daemon. */
  announce(event: 'started' | 'ended'): void {
    for (const account of this.#settings.keys()) this.#tell(event, account, { because: null })
  }

  /** Waits for what is being delivered. */
  async finish(timeout: number): Promise<void> {
    await this.#queue.finish(timeout)
    await this.#saving
  }

  #now = (): Instant => instant(this.#ports.now())
  #first = (): string => [...this.#settings.keys()][0] ?? ''

  #tell(event: NotificationEvent, account: string, more: Partial<Notification>): void {
    const report = this.#reports.find((one) => one.account === account)
    const base: Notification =
      report === undefined
        ? { ...EMPTY, account, name: this.#settings.get(account)?.account.name ?? null, event }
        : notificationOf(event, report)
    this.#apply(admit(this.#memory, { ...base, remedy: null, ...more }, this.#now()))
    this.#save()
  }

  #apply({ memory, notifications }: Compared): void {
    this.#memory = memory
    for (const one of notifications) {
      const settings = this.#settings.get(one.account)
      if (settings === undefined) continue
      this.#log('debug', 'a notification is delivered', {
        fields: { account: one.account, event: one.event },
      })
      for (const delivery of deliveriesFor(one, settings, this.#ports))
        this.#queue.put(delivery, `${one.account} ${one.event}`)
      if (EVENT_ROWS[one.event].ping === 'success')
        this.#memory = withPing(this.#memory, one.account, this.#now())
    }
  }

  /** In the order of the changes. Without its file, a restart may tell something twice. */
  #save(): void {
    const text = formatNotifyMemory(this.#memory)
    if (text === this.#saved) return
    this.#saved = text
    this.#saving = this.#saving
      .then(async () => this.#files.replace(this.#path, text))
      .then(() => void (this.#isUnsaved = false))
      .catch((error: Error) => {
        if (!this.#isUnsaved)
          this.#log('warn', 'what was told cannot be saved', {
            fields: { because: error.message },
            line: `${this.#path}: ${error.message}; a restart may tell something twice`,
          })
        this.#isUnsaved = true
      })
  }
}

const EMPTY: Omit<Notification, 'event' | 'account'> = {
  name: null,
  hostnames: [],
  addresses: {},
  before: {},
  because: null,
  remedy: null,
  since: null,
  times: 1,
}
