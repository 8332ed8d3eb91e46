import { accountKey } from '../../config/client-checks.ts'
import { Secret } from '../../net/secret.ts'
import type { Log } from '../../ports/log.ts'
import { MAX_BYTES, textOf } from '../text-file.ts'
import type { DeliverySettings } from './delivery.ts'
import type { ResolvedSettings } from './settings.ts'

/** Why the key of a webhook cannot be read. A value without slash and dot may be the key itself, which is not shown. */
export async function webhookKey(
  path: string | undefined,
): Promise<{ readonly key?: Secret; readonly problem?: string }> {
  const read = await textOf(path, { setting: 'webhook_secret_file', maxBytes: MAX_BYTES.password })
  if (!read.ok)
    return {
      problem:
        path !== undefined && !/[/.]/.test(path)
          ? 'webhook_secret_file must name a file with the key, and there is no such file'
          : read.error,
    }
  const text = (read.value ?? '').replace(/\r?\n$/, '')
  if (path !== undefined && text === '') return { problem: `webhook_secret_file ${path} is empty` }
  return text === '' ? {} : { key: new Secret(text) }
}

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
