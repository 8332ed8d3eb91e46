import { err, ok, type Result } from '../../../shared/base/result.ts'
import { instant, seconds } from '../../../shared/base/time.ts'
import type { PendingDelivery } from '../memory.ts'
import { mailServerIn, SUBMISSIONS_PORT } from '../../../shared/base/mail.ts'
import type { MailOutcome, SendMail } from '../../../shared/ports/mail.ts'
import type { ClientAccount } from '../../settings/settings.ts'
import { listed } from '../../../shared/base/address.ts'
import { type Notification, notificationText } from '../notification.ts'
import type { Receiver } from './receiver.ts'

/** A message for people: the subject, and all facts below each other. */
function mailOf(one: Notification): { readonly subject: string; readonly text: string } {
  const { title, text } = notificationText(one)
  const rows: readonly (readonly [string, string])[] = [
    ['Account', one.name ?? one.account],
    ['Hostnames', one.hostnames.join(', ')],
    ['Address', listed(one.addresses).join(', ')],
    ['Before', listed(one.before).join(', ')],
    ['What to do', one.remedy ?? ''],
  ]
  const facts = rows.filter(([, value]) => value !== '').map(([name, value]) => `${name}: ${value}`)
  return { subject: `Holdfast: ${title}`, text: `${[text, '', ...facts].join('\n')}\n` }
}

const STEP_TIMEOUT = seconds(10)
/** A server may send a line at a time, each within the time of a step. */
const WHOLE_TIMEOUT = seconds(40)

const mailTarget = (to: string, server: string): string => `mail to ${to} by ${server}`

const mailQueue = (to: string, server: string): string => JSON.stringify(['mail', server, to])

/** A message to each address of an account. */
export const mailReceiver: Receiver = {
  hears: (event, account) => account.mailTo !== undefined && account.mailEvents.includes(event),
  queues: ({ mailTo = [], mailServer = '' }) => mailTo.map((to) => mailQueue(to, mailServer)),
  several: ({ mailTo = [] }) => mailTo,
  deliver: (pending, account, { mail }) => mailDelivery(pending, account, mail),
}

/** One message to one address of an account; undefined where its settings do not name it any more. */
function mailDelivery(
  { notification, id, at, to: wanted }: Pick<PendingDelivery, 'notification' | 'id' | 'at' | 'to'>,
  { mailTo, mailServer, mailFrom, mailUsername: username, mailPassword: password }: ClientAccount,
  mail: SendMail,
) {
  const server = mailServer === undefined ? undefined : mailServerIn(mailServer)
  const [first] = mailTo ?? []
  const to = mailTo?.find((one) => wanted === undefined || one === wanted)
  if (server === undefined || mailServer === undefined || to === undefined || first === undefined)
    return undefined
  const { host, port, isOwnNetwork } = server
  return {
    target: mailTarget(to, mailServer),
    queue: mailQueue(to, mailServer),
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
          to,
          ...mailOf(notification),
          id,
          at: instant(at),
          timeout: STEP_TIMEOUT,
          wholeTimeout: WHOLE_TIMEOUT,
        },
        signal,
      )
      return outcome.kind === 'sent' ? ok(undefined) : err(outcome)
    },
  }
}
