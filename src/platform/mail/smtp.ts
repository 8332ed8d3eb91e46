import MailComposer from 'nodemailer/lib/mail-composer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { Mail, MailOutcome, SendMail } from '../../ports/mail.ts'

/** See `SendMail`. */
export const sendMail: SendMail = async (mail, signal) => {
  const { host, port, isImplicitTls, mustEncrypt, timeout } = mail
  const connection = new SMTPConnection({
    host,
    port,
    secure: isImplicitTls,
    requireTLS: mustEncrypt,
    connectionTimeout: timeout,
    greetingTimeout: timeout,
    socketTimeout: timeout,
  })
  const abort = (): void => connection.close()
  signal.addEventListener('abort', abort, { once: true })
  try {
    await send(connection, mail)
    connection.quit()
    return { kind: 'sent' }
  } catch (error) {
    connection.close()
    return failure(error as SmtpError, mail)
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

async function send(connection: SMTPConnection, mail: Mail): Promise<void> {
  const { login, from, to } = mail
  const message = await messageOf(mail)
  await new Promise<void>((done, failed) => {
    const then =
      (next: () => void) =>
      (error?: Error | null): void =>
        error ? failed(error) : next()
    connection.on('error', failed)
    connection.once('end', () => failed(new Error('the server has closed the connection')))
    const deliver = (): void =>
      connection.send({ from, to: [...to] }, message, (error, info) => {
        const [refused] = info?.rejectedErrors ?? []
        // The others have got it.
        then(done)(error ?? refused)
      })
    connection.connect(
      then(() => {
        if (login === undefined) return deliver()
        const { username, password } = login
        connection.login({ credentials: { user: username, pass: password.reveal() } }, then(deliver))
      }),
    )
  })
}

/** RFC 5322. Automatic replies to it are not wanted (RFC 3834). */
const messageOf = async ({ from, to, subject, text, id, at }: Mail): Promise<Buffer> =>
  new MailComposer({
    from,
    to: [...to],
    subject,
    text,
    date: new Date(at),
    messageId: `<${id}@${from.slice(from.lastIndexOf('@') + 1)}>`,
    headers: { 'auto-submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build()

/** What the library adds to its errors. */
interface SmtpError extends Error {
  readonly code?: string
  readonly responseCode?: number
  readonly response?: string
}

function failure(
  { code, responseCode, response, message }: SmtpError,
  { login }: Pick<Mail, 'login'>,
): MailOutcome {
  const said = (response ?? message).replaceAll(/[\0-\x1f\x7f]+/g, ' ').slice(0, 300)
  const secret = login?.password
  return {
    kind: 'failed',
    // A server may repeat what it was told.
    because: secret === undefined ? said : said.replaceAll(secret.reveal(), String(secret)),
    isTemporary: code !== 'EAUTH' && (responseCode === undefined || responseCode < 500),
  }
}
