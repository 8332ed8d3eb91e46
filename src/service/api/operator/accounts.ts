import { readBody } from '../request/body.ts'
import type { RequestContext } from '../request/context.ts'
import type { Named } from '../openapi/schemas.ts'
import { finish, operated, operatorList, type OperatorStep, ownAccountFault, withMail } from './operated.ts'

export const listOperatorAccounts = operatorList<'OperatorAccount'>({ step: 'account list', key: 'accounts' })

/** Of the zones and keys that are shown with an account. */
const MAX_DETAILS = 100

/** Of `account show`. */
interface ShownDetails {
  readonly account: Named<'OperatorAccount'>
  readonly zones: readonly { readonly name: string }[]
  readonly keys: readonly { readonly username: string }[]
}

const accountIn = ({ params }: RequestContext): string => params['account_name'] ?? ''

export async function getOperatorAccount(context: RequestContext) {
  const found = await operated<'subjectNotFound'>(context, () => [['account show', accountIn(context)]])
  if ('malformed' in found) return found
  const { account, zones, keys } = found.data as unknown as ShownDetails
  const data = {
    ...account,
    zone_names: zones.slice(0, MAX_DETAILS).map(({ name }) => name),
    key_usernames: keys.slice(0, MAX_DETAILS).map(({ username }) => username),
  }
  return { status: 200 as const, data }
}

/** Also ends a block after abuse, with `suspended: false`. */
export const changeOperatorAccount = async (context: RequestContext<Named<'OperatorAccountPatch'>>) =>
  finish<'subjectNotFound' | 'operationRefused'>(context, () => {
    const body = readBody(context)
    if ('malformed' in body) return body
    return (
      (body.suspended === true ? ownAccountFault(context, accountIn(context)) : undefined) ??
      accountSteps(accountIn(context), body)
    )
  })

function accountSteps(
  account: string,
  { suspended, ...rest }: Named<'OperatorAccountPatch'>,
): readonly OperatorStep[] {
  const settings = Object.entries(rest).map(
    ([field, value]) => `${field.replace('_', '-')}=${settingText(value)}`,
  )
  return [
    ['account set', account, ...settings],
    ...(suspended === undefined
      ? []
      : [[suspended ? 'account suspend' : 'account resume', account] as const]),
  ]
}

/** As `holdfast admin` reads it. */
const settingText = (value: string | boolean | null): string =>
  typeof value === 'boolean' ? (value ? 'yes' : 'no') : (value ?? 'none')

/** A link for another password: it is shown once, and sent to the address of the account with `{"send": true}`. */
export const createResetLink = async (context: RequestContext<Named<'ResetLinkRequest'>>) =>
  withMail(
    context,
    await operated<'subjectNotFound' | 'operationRefused'>(context, () => {
      const body = readBody(context)
      return 'malformed' in body
        ? body
        : [['account reset-link', accountIn(context), ...(body.send === true ? ['send'] : [])]]
    }),
  )

/** For a person who has lost them all. */
export const forgetSecondFactors = async (context: RequestContext) =>
  finish<'subjectNotFound'>(context, () => [['account forget-second-factor', accountIn(context)]])
