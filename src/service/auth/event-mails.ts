import type { OutgoingMail } from '../../shared/base/mail.ts'
import type { Secret } from '../../shared/base/secret.ts'
import type { AccountEventKind } from '../model/account-events.ts'
import type { EventMail } from '../store/account/events.ts'

interface EventText {
  readonly subject: string
  /** `about` is the subject of the event: a key, a network, a number or an address. */
  readonly text: (about: string) => string
}

const quoted = (about: string): string => (about === '' ? '' : ` ${about}`)

/** All kinds except `emailGiven`, whose message has a link. */
// biome-ignore format: a table
const TEXTS: Readonly<Record<Exclude<AccountEventKind, 'emailGiven'>, EventText>> = {
  passwordChanged: { subject: 'Your password was changed', text: () => 'The password was changed, and all sessions are signed out.' },
  emailChanged:    { subject: 'Your e-mail address was changed', text: (to) => to === '' ? 'The e-mail address was removed.' : `The new e-mail address is ${to}; it has to be confirmed.` },
  factorAdded:     { subject: 'A second factor was added', text: (factor) => `A second factor was added${quoted(factor)}.` },
  factorRemoved:   { subject: 'A second factor was removed', text: (factor) => `A second factor was removed${quoted(factor)}.` },
  apiKeyAdded:     { subject: 'A new API key', text: (key) => `The API key ${key} was created.` },
  tsigKeyAdded:    { subject: 'A new TSIG key', text: (key) => `The TSIG key ${key} was created.` },
  suspended:       { subject: 'Your account is suspended', text: () => 'The operator has suspended the account. Its names keep their records; changes are refused.' },
  keyBlocked:      { subject: 'A DDNS key is blocked', text: (key) => `The DDNS key ${key} is blocked: its updates are refused. The page of the key says why, and until when.` },
  wrongPasswords:  { subject: 'Wrong passwords for your account', text: (count) => `There were ${count} attempts with a wrong password. Use a long password and add a second factor.` },
  signedIn:        { subject: 'A sign-in from a new network', text: (network) => `There was a sign-in from ${network}, a network without earlier sign-ins.` },
}

/** User input as one line, so that it cannot add header fields, lines or links. */
const plain = (text: string): string => text.replace(/\p{C}|\p{Z}|\//gu, ' ').slice(0, MAX_PLAIN)
const MAX_PLAIN = 200

interface MailPlace {
  /** The origin of the console, if there is one. */
  readonly console: string | undefined
  /** Where to ask questions. */
  readonly contact: string | undefined
}

/** The message about an event. */
export function eventMail(mail: EventMail, { console: origin, contact }: MailPlace): OutgoingMail {
  const { kind, account, subject, to } = mail
  if (kind === 'emailGiven') throw new Error('a message that asks for a confirmation has a link')
  const place = origin === undefined ? '' : ` See ${origin}/console/account.`
  const ask = contact === undefined ? '' : ` Questions: ${contact}`
  const isYours =
    kind === 'suspended' || kind === 'keyBlocked' ? '' : 'If that was not you, change the password at once.'
  return {
    to,
    subject: TEXTS[kind].subject,
    text: `Your account ${account} at ${hostOf(origin)}:

${TEXTS[kind].text(kind === 'signedIn' ? subject : plain(subject))}

${isYours}${place}${ask}
`,
  }
}

/** The message with the confirmation link. */
export const confirmMail = ({ to, account }: EventMail, link: Secret, origin: string): OutgoingMail => ({
  to,
  subject: 'Confirm your e-mail address',
  text: `The account ${account} at ${hostOf(origin)} uses this e-mail address. If it is yours, open this link:

${link.reveal()}

The link works once, within a day. Before that, no other message is sent to this address. If you do not know the account,
you can ignore this message.
`,
})

const hostOf = (origin: string | undefined): string =>
  origin === undefined ? 'this service' : new URL(origin).host
