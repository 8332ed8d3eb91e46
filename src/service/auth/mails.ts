import type { Secret } from '../../shared/base/secret.ts'
import type { OutgoingMail } from '../../shared/base/mail.ts'

interface Invitation {
  readonly link: Secret
  /** The zone of the invitation, if it has one. */
  readonly zone: string | undefined
  /** Where to ask questions. */
  readonly contact: string | undefined
}

/** The message with the link of an invitation. */
export const invitationMail = (to: string, { link, zone, contact }: Invitation): OutgoingMail => ({
  to,
  subject: 'Your invitation to Holdfast',
  text: `You are invited to have hostnames at ${new URL(link.reveal()).host}${
    zone === undefined ? '' : `, in ${zone}`
  }. Open this link and choose a name and a password:

${link.reveal()}

The link works once. If you do not expect this message, you can ignore it.${
    contact === undefined ? '' : ` Questions: ${contact}`
  }
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
