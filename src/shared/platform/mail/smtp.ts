import MailComposer from 'nodemailer/lib/mail-composer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { Mail, MailOutcome, SendMail } from '../../ports/mail.ts'

/** See `SendMail`. */
export const sendMail: SendMail = async (mail, signal) => {
  const { host, port, isImplicitTls, mustEncrypt, timeout, wholeTimeout } = mail
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
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    connection.close()
  }, wholeTimeout)
  try {
    await send(connection, mail)
    connection.quit()
    return { kind: 'sent' }
  } catch (error) {
    connection.close()
    return isLate
      ? { kind: 'failed', because: `it took more than ${wholeTimeout / 1000} s`, isTemporary: true }
      : failure(error as SmtpError, mail)
  } finally {
    clearTimeout(timer)
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
    const deliver = (): void => connection.send({ from, to: [to] }, message, then(done))
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
    to,
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
  const said = (response ?? message).replaceAll(/[\0-\x1f\x7f]+/g, ' ')
  return {
    kind: 'failed',
    because: withoutLogin(said, login).slice(0, 300),
    isTemporary: responseCode === undefined ? code !== 'EAUTH' : responseCode < 500,
  }
}

/** A server may repeat what it was told: the password, or what AUTH PLAIN (RFC 4616) and AUTH LOGIN make of it. */
function withoutLogin(said: string, login: Mail['login']): string {
  if (login === undefined) return said
  const { username, password } = login
  const plain = password.reveal()
  const base64 = (text: string): string => Buffer.from(text).toString('base64')
  return [plain, base64(`\0${username}\0${plain}`), base64(plain)]
    .flatMap((one) => [one, one.replace(/=+$/, '')])
    .reduce((text, one) => text.replaceAll(one, String(password)), said)
}
