import type { Instant } from '../../../shared/base/time.ts'
import type { RunHook } from '../../../shared/ports/hook.ts'
import type { ServiceHttp } from '../../../shared/ports/http.ts'
import type { SendMail } from '../../../shared/ports/mail.ts'
import type { NotificationEvent } from '../../settings/notify-settings.ts'
import type { ClientAccount } from '../../settings/settings.ts'
import type { PendingDelivery } from '../memory.ts'
import type { DeliveryResult } from './attempt.ts'

/** One way to tell something: a program, or a request. */
export interface Delivery {
  /** For the log: names the setting, and of an address only the host, because the rest may be a secret. */
  readonly target: string
  /** Identifies the receiver, without its secrets: deliveries with the same value wait for each other. */
  readonly queue: string
  readonly attempt: (signal: AbortSignal) => Promise<DeliveryResult>
}

export interface DeliveryPorts {
  readonly http: ServiceHttp
  readonly hook: RunHook
  readonly mail: SendMail
  /** By the wall clock. */
  readonly now: () => Instant
}

/** A kind of receiver. */
export interface Receiver {
  /** Whether an account tells it of the event. */
  readonly hears: (event: NotificationEvent, account: ClientAccount) => boolean
  /** Those of an account, as the queues of their deliveries are called. */
  readonly queues: (account: ClientAccount) => readonly string[]
  /** What `to` of a delivery names, where an account has several: none waits for another. */
  readonly several?: (account: ClientAccount) => readonly string[]
  /** Undefined where the settings no longer have it. */
  readonly deliver: (
    pending: Omit<PendingDelivery, 'attempts'>,
    account: ClientAccount,
    ports: DeliveryPorts,
  ) => Delivery | undefined
}
