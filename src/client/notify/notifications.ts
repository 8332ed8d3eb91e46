import type { AgentEvent } from '../agent/events.ts'
import type { FailingTarget } from './memory.ts'
import type { AccountReport } from '../report/report.ts'
import { HOOKS } from '../settings/notify-settings.ts'
import type { Log } from '../../shared/ports/log.ts'
import type { SystemPorts } from '../../shared/ports/system.ts'
import type { OnDelivery } from './delivery-queue.ts'
import type { Notifier } from './notifier.ts'
import type { ClientAccount, ResolvedSettings } from '../settings/settings.ts'

/** Whether an account wants to tell anything. */
const wantsNotifications = (account: ClientAccount): boolean =>
  [...HOOKS, 'webhook' as const, 'mailTo' as const, 'healthUrl' as const].some(
    (key) => account[key] !== undefined,
  )

/** In milliseconds. */
const TICK_INTERVAL = 20_000

/** The notifications of a client; their modules are loaded only if the settings ask for any. */
export class Notifications {
  readonly #log: Log
  readonly #system: SystemPorts
  readonly #onDelivery: OnDelivery
  #notifier: Notifier | undefined
  #ticked = -TICK_INTERVAL

  constructor(log: Log, system: SystemPorts, onDelivery: OnDelivery = () => undefined) {
    this.#log = log
    this.#system = system
    this.#onDelivery = onDelivery
  }

  /** At the start and after each reload. */
  async adopt(settings: ResolvedSettings): Promise<void> {
    if (this.#notifier !== undefined) return this.#notifier.adopt(settings)
    if (!settings.accounts.some(wantsNotifications)) return
    const { Notifier: Loaded } = await import('./notifier.ts')
    const [log, onDelivery, system] = [this.#log, this.#onDelivery, this.#system]
    this.#notifier = await Loaded.make(settings, { log, onDelivery, system })
  }

  /** Makes the reports only if anyone is told. */
  take(reports: () => readonly AccountReport[]): void {
    this.#notifier?.take(reports())
  }

  /** Called while the loop waits, which may be often. */
  tick(): void {
    const now = this.#system.steady.now()
    if (now - this.#ticked < TICK_INTERVAL) return
    this.#ticked = now
    this.#notifier?.tick()
  }

  record(event: AgentEvent): void {
    this.#notifier?.record(event)
  }

  get failing(): readonly FailingTarget[] {
    return this.#notifier?.failing ?? []
  }

  recovered(receivers: readonly string[]): void {
    this.#notifier?.recovered(receivers)
  }

  announce(event: 'started' | 'ended'): void {
    this.#notifier?.announce(event)
  }

  async finish(timeout: number, signal?: AbortSignal): Promise<void> {
    await this.#notifier?.finish(timeout, signal)
  }
}
