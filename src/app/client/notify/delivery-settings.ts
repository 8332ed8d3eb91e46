import { accountKey } from '../../../config/client-checks.ts'
import type { Log } from '../../../ports/log.ts'
import type { DeliverySettings } from './delivery.ts'
import type { ResolvedSettings } from '../settings/settings.ts'
import { webhookKey } from '../settings/webhook-key.ts'

/** The settings for deliveries, with the keys of the webhooks; a key that cannot be read is logged. */
export async function deliverySettings(
  { accounts }: Pick<ResolvedSettings, 'accounts'>,
  log: Log,
): Promise<ReadonlyMap<string, DeliverySettings>> {
  const all = await Promise.all(
    accounts.map(async (account) => {
      const { key, problem } = await webhookKey(account.webhookSecretFile)
      if (problem !== undefined)
        log('warn', 'the key of a webhook cannot be read', {
          fields: { because: problem },
          line: `${problem}; the webhook is not signed`,
        })
      return [accountKey(account), { account, webhookSecret: key }] as const
    }),
  )
  return new Map(all)
}
