import { instant } from '../../../shared/base/time.ts'
import { secretUrl } from '../../../shared/base/secret.ts'
import { type Webhook, webhookIn } from '../../settings/notify-settings.ts'
import type { ClientAccount } from '../../settings/settings.ts'
import { queueOf, requestOf, resultOf, webhookHost } from './attempt.ts'
import type { Receiver } from './receiver.ts'
import { type BodyTemplate, payloadOf } from './webhook-formats.ts'

/** With its place in the list where there are several: two of them may have the same host. */
export function webhookTargets(account: ClientAccount): readonly string[] {
  const all = webhooksOf(account)
  return all.map(({ url, format }, at) =>
    all.length === 1
      ? `webhook at ${webhookHost(url)}`
      : `webhook ${at + 1} at ${webhookHost(url)} (${format})`,
  )
}

/** The webhooks of an account, each with its format. */
export const webhooksOf = ({ webhook = [], webhookFormat }: ClientAccount): readonly Webhook[] =>
  webhook.map((entry) => webhookIn(entry, webhookFormat))

/** A request to each webhook of an account. */
export const webhookReceiver: Receiver = {
  hears: (event, account) => account.webhook !== undefined && account.webhookEvents.includes(event),
  queues: (account) => webhooksOf(account).map(({ url }) => queueOf(url)),
  several: (account) => webhooksOf(account).map(({ url }) => queueOf(url)),
  deliver({ notification, id, at, to }, account, { http, now }) {
    const all = webhooksOf(account)
    const found = all.findIndex(({ url }) => to === undefined || queueOf(url) === to)
    // The address of the only one was corrected since.
    const nth = found < 0 && all.length === 1 ? 0 : found
    const webhook = all[nth]
    if (webhook === undefined) return undefined
    const { format, url } = webhook
    return {
      target: webhookTargets(account)[nth] ?? '',
      queue: queueOf(url),
      attempt: async (signal) => {
        const payload = payloadOf(format, notification, {
          at: instant(at),
          signedAt: now(),
          id,
          url,
          secret: account.webhookSecret,
          template: templateOf(account),
        })
        const { method = 'POST', body, headers } = payload
        return resultOf(
          await http({ method, url: secretUrl(payload.url ?? url), ...requestOf(headers), body }, signal),
          now(),
        )
      },
    }
  },
}

const templateOf = ({
  webhookBody: body,
  webhookType: type,
  webhookMethod: method,
  webhookToken: token,
}: ClientAccount): BodyTemplate | undefined =>
  body === undefined ? undefined : { body, type, method, token }
