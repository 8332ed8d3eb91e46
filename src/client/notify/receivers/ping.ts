import { Secret, secretUrl } from '../../../shared/base/secret.ts'
import type { ClientAccount } from '../../settings/settings.ts'
import { EVENT_ROWS, notificationText, type PingKind } from '../notification.ts'
import { queueOf, requestOf, resultOf, webhookHost } from './attempt.ts'
import type { Delivery, DeliveryPorts, Receiver } from './receiver.ts'

/** A check that notices where nothing comes. */
export const pingReceiver: Receiver = {
  hears(event, { healthUrl }) {
    const { ping } = EVENT_ROWS[event]
    return ping !== undefined && healthUrl !== undefined && pingUrl(healthUrl, ping, '') !== undefined
  },
  queues: ({ healthUrl }) => (healthUrl === undefined ? [] : [queueOf(healthUrl)]),
  deliver({ notification }, account, ports) {
    const { ping } = EVENT_ROWS[notification.event]
    return ping === undefined
      ? undefined
      : pingDelivery(account, ping, { text: notificationText(notification).text, ports })
  },
}

const pingTarget = (url: Secret): string => `health_url at ${webhookHost(url)}`

/** A ping of an account that has a check. */
export function pingDelivery(
  { healthUrl }: ClientAccount,
  kind: PingKind,
  { text, ports }: { readonly text: string; readonly ports: DeliveryPorts },
): Delivery | undefined {
  const url = healthUrl && pingUrl(healthUrl, kind, text)
  if (healthUrl === undefined || url === undefined) return undefined
  return {
    target: pingTarget(healthUrl),
    queue: queueOf(healthUrl),
    attempt: async (signal) =>
      resultOf(await ports.http({ url: secretUrl(url), ...requestOf({}) }, signal), ports.now()),
  }
}

/**
 * The address of a ping: /start and /fail behind the address for healthchecks.io and those like it, `status` for the push
 * monitors of Uptime Kuma, which have no start.
 */
export function pingUrl(url: Secret, kind: PingKind, text: string): Secret | undefined {
  const parsed = new URL(url.reveal())
  if (/\/api\/push\/[^/]+$/.test(parsed.pathname)) {
    if (kind === 'start') return undefined
    parsed.searchParams.set('status', kind === 'fail' ? 'down' : 'up')
    parsed.searchParams.set('msg', kind === 'fail' ? text.slice(0, 200) : 'OK')
    return new Secret(parsed.href)
  }
  if (kind !== 'success') parsed.pathname = `${parsed.pathname.replace(/\/$/, '')}/${kind}`
  return new Secret(parsed.href)
}
