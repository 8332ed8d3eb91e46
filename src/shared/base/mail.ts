import { isOwnNetwork } from './network.ts'

/** A message to the person of an account. */
export interface OutgoingMail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** In characters (RFC 5321 §4.5.3.1.3). */
const MAX_ADDRESS = 254

/** An e-mail address: a simple subset of RFC 5321 mailboxes. */
export const isMailAddress = (text: string): boolean =>
  text.length <= MAX_ADDRESS && MAILBOX.test(text) && !/[,"]/.test(text)
/** RFC 5321 §4.5.3.1.1, and a host name (RFC 1123 §2.1). */
const MAILBOX =
  /^[!-;=?A-~]{1,64}@[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i

interface MailServer {
  readonly host: string
  readonly port: number
  readonly isOwnNetwork: boolean
}

/** RFC 8314 §3.3: TLS from the first octet. */
export const SUBMISSIONS_PORT = 465

/** What `mail_server` says: "smtp.example", "smtp.example:587", "[2001:db8::1]:25". */
export function mailServerIn(value: string): MailServer | undefined {
  const url = `smtp://${value}`
  if (!/^[^/?#@%\s]+$/.test(value) || !URL.canParse(url)) return undefined
  const { hostname, port } = new URL(url)
  if (port === '0') return undefined
  const host = hostname.replace(/^\[|\]$/g, '')
  return {
    host,
    port: port === '' ? SUBMISSIONS_PORT : Number(port),
    isOwnNetwork: isOwnNetwork(hostname),
  }
}
