import { err, ok, type Result } from '../../shared/base/result.ts'
import { days, formatInstant, minutes, parseDuration } from '../../shared/base/time.ts'
import { invitationMail, resetMail } from '../auth/mails.ts'
import { CODE_LIFETIMES, linkOf, makeCode } from '../auth/one-time-codes.ts'
import { isMailAddress } from '../../shared/base/mail.ts'
import {
  accountIdOf,
  type AdminContext,
  type Args,
  finished,
  type OperationResult,
  type Operations,
  zoneOf,
} from './operation.ts'
import { formatTable } from './table.ts'

const NO_MAIL = 'no message can be sent: set mail_server and mail_from'
const NO_CONSOLE = 'a link needs the address of the console: set console, such as https://dns.example.com'

/** Of an invitation that does not say so. */
const INVITED = { plan: '', zone: null, email: null } as const

export const INVITATION_LISTS: Operations = {
  'invitation list': {
    parameters: '',
    summary: 'list the invitations that are not used yet',
    run: async ({ w, now }) => {
      const all = await w.codesFor('invitation', now)
      const rows = all.map(({ id, grant, createdAt, expiresAt }) => ({
        id,
        ...INVITED,
        ...(JSON.parse(grant) as Readonly<Record<string, string>>),
        created_at: formatInstant(createdAt),
        expires_at: formatInstant(expiresAt),
      }))
      return ok({ lines: formatTable(rows), data: { invitations: rows } })
    },
  },
}

/** The operations of links that are used once. */
export const INVITATION_OPERATIONS: Operations = {
  'invitation add': {
    parameters: 'PLAN [zone=NAME] [expires=7d] [email=ADDRESS]',
    summary:
      'print a one-time link for creating an account with this plan, as a member of this zone; and send it',
    run: addInvitation,
  },
  'invitation remove': {
    parameters: 'ID',
    summary: 'revoke an invitation',
    run: async ({ w }, [id = '']) =>
      /^\d{1,15}$/.test(id) && (await w.removeCode(Number(id), 'invitation'))
        ? finished(`invitation ${id} removed`, { invitation: Number(id) })
        : err(`there is no invitation ${id}`),
  },
  'account reset-link': {
    parameters: 'NAME [send]',
    summary:
      'print a one-time link, valid for an hour, for setting a new password of an account; and send it',
    run: async ({ w, now, console, canMail = false }, [name = '', send]) => {
      const account = await accountIdOf(w, name)
      if (!account.ok) return account
      if (send !== undefined && send !== 'send') return err(`${send} is not send`)
      if (console === undefined) return err(NO_CONSOLE)
      if (send !== undefined && !canMail) return err(NO_MAIL)
      const { email, isEmailConfirmed } = (await w.account(account.value)) ?? {}
      if (send !== undefined && email === undefined) return err(`account ${name} has no e-mail address`)
      if (send !== undefined && isEmailConfirmed !== true)
        return err(
          `the e-mail address of account ${name} is not confirmed; make a link without send, and pass it on`,
        )
      const code = await makeCode(w, { purpose: 'reset', accountId: account.value, now })
      const link = linkOf(console, 'reset', code)
      const mail = send === undefined || email === undefined ? {} : { mail: resetMail(email, name, link) }
      return ok({ lines: [link.reveal()], data: { account: name, link: link.reveal() }, ...mail })
    },
  },
}

async function addInvitation(
  { w, now, console, contact, canMail = false }: AdminContext,
  [plan = '', ...rest]: Args,
): Promise<Result<OperationResult, string>> {
  const given = Object.fromEntries(rest.map((arg) => arg.split(/=(.*)/s)))
  if (Object.keys(given).length < rest.length) return err('give each of zone, expires and email once')
  const unknown = Object.keys(given).find((key) => !['zone', 'expires', 'email'].includes(key))
  if (unknown !== undefined)
    return err(`${unknown} is not known; write zone=NAME, expires=7d or email=ADDRESS`)
  if (console === undefined) return err(NO_CONSOLE)
  const email = given['email']
  if (email !== undefined && !isMailAddress(email)) return err(`${email} is not an e-mail address`)
  if (email !== undefined && !canMail) return err(NO_MAIL)
  if ((await w.planNamed(plan)) === undefined)
    return err(`there is no plan ${plan}; create one with holdfast admin plan add`)
  const zone = given['zone'] === undefined ? undefined : await zoneOf(w, given['zone'])
  if (zone?.ok === false) return zone
  if (zone?.value.isShared === false)
    return err(
      `${zone.value.name} is not shared; share it with its members: ` +
        `holdfast admin zone set ${zone.value.name} shared=yes members-only=yes`,
    )
  const lifetime = given['expires'] === undefined ? undefined : parseDuration(given['expires'])
  if (lifetime?.ok === false) return err(`expires ${lifetime.error}`)
  if (lifetime !== undefined && (lifetime.value < minutes(1) || lifetime.value > days(365)))
    return err('expires is 1m to 365d')
  const grant = {
    plan,
    ...(zone !== undefined && { zone: zone.value.name }),
    ...(email !== undefined && { email }),
  }
  const code = await makeCode(w, {
    purpose: 'invitation',
    grant,
    now,
    lifetime: lifetime?.value ?? CODE_LIFETIMES.invitation,
  })
  const link = linkOf(console, 'invitation', code)
  const mail =
    email === undefined ? {} : { mail: invitationMail(email, { link, zone: zone?.value.name, contact }) }
  return ok({ lines: [link.reveal()], data: { ...grant, link: link.reveal() }, ...mail })
}
