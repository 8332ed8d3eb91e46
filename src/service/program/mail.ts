import { seconds } from '../../shared/base/time.ts'
import type { ServiceSettings } from '../settings/service-settings.ts'
import { Secret } from '../../shared/base/secret.ts'
import { systemClock, systemEntropy } from '../../shared/platform/clock/clock.ts'
import { readAll } from '../../shared/platform/files/promises.ts'
import { sendMail } from '../../shared/platform/mail/smtp.ts'
import { secretText } from '../../shared/program/config-file.ts'
import { mailServerIn, type OutgoingMail, SUBMISSIONS_PORT } from '../../shared/base/mail.ts'

const STEP_TIMEOUT = seconds(10)
const WHOLE_TIMEOUT = seconds(30)

export type MailSettings = Pick<
  ServiceSettings,
  'mailServer' | 'mailFrom' | 'mailUsername' | 'mailPasswordFile'
>

export const canMail = ({ mailServer, mailFrom }: MailSettings): boolean =>
  mailServer !== undefined && mailFrom !== undefined

/** Sends by the mail server of the settings; resolves with why not, undefined if the server took it. */
export const mailer =
  (settings: MailSettings, ending: AbortSignal) =>
  async (mail: OutgoingMail): Promise<string | undefined> =>
    (await sent(settings, ending, mail))?.because

/** Undefined if the server took it; `isTemporary`: another attempt can help. */
export async function sent(
  settings: MailSettings,
  ending: AbortSignal,
  { to, subject, text }: OutgoingMail,
): Promise<{ readonly because: string; readonly isTemporary: boolean } | undefined> {
  const { mailServer = '', mailFrom: from } = settings
  const server = mailServerIn(mailServer)
  if (server === undefined || from === undefined)
    return { because: 'set mail_server and mail_from', isTemporary: true }
  const login = await loginOf(settings)
  if (typeof login === 'string') return { because: login, isTemporary: true }
  const { host, port, isOwnNetwork } = server
  const outcome = await sendMail(
    {
      host,
      port,
      isImplicitTls: port === SUBMISSIONS_PORT,
      mustEncrypt: !isOwnNetwork,
      login,
      from,
      to,
      subject,
      text,
      id: Buffer.from(systemEntropy(16)).toString('hex'),
      at: systemClock.now(),
      timeout: STEP_TIMEOUT,
      wholeTimeout: WHOLE_TIMEOUT,
    },
    ending,
  )
  return outcome.kind === 'sent' ? undefined : outcome
}

/** The file is read for each message, so another password needs no reload; or why it cannot be read. */
async function loginOf({ mailUsername: username, mailPasswordFile: file }: MailSettings) {
  if (username === undefined || file === undefined) return undefined
  try {
    return { username, password: new Secret(secretText(await readAll(file, 'utf8'))) }
  } catch (error) {
    return `mail_password_file cannot be read: ${(error as Error).message}`
  }
}
