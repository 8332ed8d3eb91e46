import { err, ok, type Result } from '../../../base/result.ts'
import { instant, seconds } from '../../../base/time.ts'
import { mailOf } from '../../../client/notify/mail.ts'
import type { PendingDelivery } from '../../../client/notify/memory.ts'
import { mailServerIn, SUBMISSIONS_PORT } from '../../../config/notify-settings.ts'
import type { MailOutcome, SendMail } from '../../../ports/mail.ts'
import type { ClientAccount } from '../settings/settings.ts'

const STEP_TIMEOUT = seconds(10)

export const mailTarget = (server: string): string => `mail by ${server}`

/** One message to all addresses of an account; undefined where its settings name none. */
export function mailDelivery(
  { notification, id, at }: Pick<PendingDelivery, 'notification' | 'id' | 'at'>,
  { mailTo, mailServer, mailFrom, mailUsername: username, mailPassword: password }: ClientAccount,
  mail: SendMail,
) {
  const server = mailServer === undefined ? undefined : mailServerIn(mailServer)
  const [first] = mailTo ?? []
  if (server === undefined || mailServer === undefined || mailTo === undefined || first === undefined)
    return undefined
  const { host, port, isOwnNetwork } = server
  return {
    target: mailTarget(mailServer),
    queue: JSON.stringify(['mail', mailServer, mailTo]),
    attempt: async (
      signal: AbortSignal,
    ): Promise<Result<undefined, Extract<MailOutcome, { kind: 'failed' }>>> => {
      const outcome = await mail(
        {
          host,
          port,
          isImplicitTls: port === SUBMISSIONS_PORT,
          mustEncrypt: !isOwnNetwork,
          login: username === undefined || password === undefined ? undefined : { username, password },
          from: mailFrom ?? first,
          to: mailTo,
          ...mailOf(notification),
          id,
          at: instant(at),
          timeout: STEP_TIMEOUT,
        },
        signal,
      )
      return outcome.kind === 'sent' ? ok(undefined) : err(outcome)
    },
  }
}
