import type { Secret } from '../../net/secret.ts'
import type { OutgoingMail } from '../../net/mail.ts'

/** The message with the link of an invitation. */
export const invitationMail = (to: string, link: Secret): OutgoingMail => ({
  to,
  subject: 'Your invitation to Holdfast',
  text: `You are invited to keep hostnames on your address. Open this link and choose a name and a password:

${link.reveal()}

The link works once. If you do not expect this message, you can ignore it.
`,
})

/** The message with the link for another password. */
export const resetMail = (to: string, account: string, link: Secret): OutgoingMail => ({
  to,
  subject: 'A new password for Holdfast',
  text: `Open this link and choose another password for the account ${account}:

${link.reveal()}

The link works once, within an hour. If you did not ask for it, you can ignore this message: nothing has changed.
`,
})
