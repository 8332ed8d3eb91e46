import type { Entropy } from '../../shared/ports/clock.ts'
import type { SystemPorts } from '../../shared/ports/system.ts'
import { accountKey } from '../settings/client-checks.ts'
import type { NotificationEvent } from '../settings/notify-settings.ts'
import type { ClientAccount } from '../settings/settings.ts'
import { DELIVERY_TARGETS, type DeliveryTarget, type PendingDelivery } from './memory.ts'
import { EVENT_ROWS, type Notification } from './notification.ts'
import { hookReceiver } from './receivers/hook.ts'
import { mailReceiver } from './receivers/mail.ts'
import { pingReceiver } from './receivers/ping.ts'
import type { Delivery, DeliveryPorts, Receiver } from './receivers/receiver.ts'
import { webhookReceiver } from './receivers/webhook.ts'

const RECEIVERS: Readonly<Record<DeliveryTarget, Receiver>> = {
  hook: hookReceiver,
  webhook: webhookReceiver,
  mail: mailReceiver,
  ping: pingReceiver,
}

export const deliveryPorts = ({
  http,
  hook,
  mail,
  clocks,
}: Pick<SystemPorts, 'http' | 'hook' | 'mail' | 'clocks'>): DeliveryPorts => ({
  http,
  hook,
  mail,
  now: () => clocks().wall,
})

/** Unique, so that the receiver of a webhook can tell an attempt from another notification. */
export const newDeliveryId = (entropy: Entropy): string => Buffer.from(entropy(16)).toString('hex')

/** The accounts by their keys. */
export const accountsByKey = (accounts: readonly ClientAccount[]): ReadonlyMap<string, ClientAccount> =>
  new Map(accounts.map((account) => [accountKey(account), account]))

/** The ways by which an account is told of an event. */
export const deliveryTargets = (
  { event }: Pick<Notification, 'event'>,
  account: ClientAccount,
): readonly DeliveryTarget[] =>
  DELIVERY_TARGETS.filter((target) => eventFor(target, event, account) !== undefined)

/** The event as this target asks for it: itself, or what it is otherwise. Undefined where it asks for neither. */
function eventFor(
  target: DeliveryTarget,
  event: NotificationEvent,
  account: ClientAccount,
): NotificationEvent | undefined {
  const { hears } = RECEIVERS[target]
  if (hears(event, account)) return event
  const { otherwise } = EVENT_ROWS[event]
  return otherwise !== undefined && hears(otherwise, account) ? otherwise : undefined
}

/** One delivery; undefined where the settings no longer have its target. */
export function deliveryOf(
  pending: Omit<PendingDelivery, 'attempts'>,
  account: ClientAccount,
  ports: DeliveryPorts,
): Delivery | undefined {
  const { target, notification } = pending
  const event = eventFor(target, notification.event, account)
  return event === undefined
    ? undefined
    : RECEIVERS[target].deliver({ ...pending, notification: { ...notification, event } }, account, ports)
}

/** The receivers of an account, as the queues of their deliveries are called. */
export const queuesOf = (account: ClientAccount): readonly string[] =>
  Object.values(RECEIVERS).flatMap(({ queues }) => queues(account))

/** The receivers of an account for a target. */
export const receiversOf = (
  target: DeliveryTarget,
  account: ClientAccount,
): readonly (string | undefined)[] => RECEIVERS[target].several?.(account) ?? [undefined]
