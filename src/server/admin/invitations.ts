import { err, ok, type Result } from '../../base/result.ts'
import { formatInstant, parseDuration } from '../../base/time.ts'
import { CODE_LIFETIMES, linkOf, makeCode } from '../auth/one-time-codes.ts'
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

const NO_CONSOLE = 'a link needs the address of the console: set console, such as https://dns.example.com'

export const INVITATION_LISTS: Operations = {
  'invitation list': {
    parameters: '',
    summary: 'list the invitations that are not used yet',
    run: async ({ w, now }) => {
      const all = await w.codesFor('invitation', now)
      const rows = all.map(({ id, grant, createdAt, expiresAt }) => ({
        id,
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
    parameters: 'PLAN [zone=NAME] [expires=7d]',
    summary: 'print a link with which a person makes an account of this plan, a member of this zone, once',
    run: addInvitation,
  },
  'invitation remove': {
    parameters: 'ID',
    summary: 'make an invitation useless',
    run: async ({ w }, [id = '']) =>
      /^\d{1,15}$/.test(id) && (await w.removeCode(Number(id), 'invitation'))
        ? finished(`invitation ${id} removed`, { invitation: Number(id) })
        : err(`there is no invitation ${id}`),
  },
  'account reset-link': {
    parameters: 'NAME',
    summary:
      'print a link with which the person of an account chooses another password, once, within an hour',
    run: async ({ w, now, console }, [name = '']) => {
      const account = await accountIdOf(w, name)
      if (!account.ok) return account
      if (console === undefined) return err(NO_CONSOLE)
      const code = await makeCode(w, { purpose: 'reset', accountId: account.value, now })
      const link = linkOf(console, 'reset', code).reveal()
      return finished(link, { account: name, link })
    },
  },
}

async function addInvitation(
  { w, now, console }: AdminContext,
  [plan = '', ...rest]: Args,
): Promise<Result<OperationResult, string>> {
  const given = Object.fromEntries(rest.map((arg) => arg.split(/=(.*)/s)))
  const unknown = Object.keys(given).find((key) => key !== 'zone' && key !== 'expires')
  if (unknown !== undefined) return err(`${unknown} is not known; write zone=NAME or expires=7d`)
  if (console === undefined) return err(NO_CONSOLE)
  if ((await w.planNamed(plan)) === undefined)
    return err(`there is no plan ${plan}; create one with holdfast admin plan add`)
  const zone = given['zone'] === undefined ? undefined : await zoneOf(w, given['zone'])
  if (zone?.ok === false) return zone
  const lifetime = given['expires'] === undefined ? undefined : parseDuration(given['expires'])
  if (lifetime?.ok === false) return err(`expires ${lifetime.error}`)
  const grant = { plan, ...(zone !== undefined && { zone: zone.value.name }) }
  const code = await makeCode(w, {
    purpose: 'invitation',
    grant,
    now,
    lifetime: lifetime?.value ?? CODE_LIFETIMES.invitation,
  })
  const link = linkOf(console, 'invitation', code).reveal()
  return finished(link, { ...grant, link })
}
