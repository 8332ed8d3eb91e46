import { isMailAddress } from '../../../shared/base/mail.ts'
import {
  badBody,
  isObject,
  type Malformed,
  type RequestContext,
  type RequestFault,
  unknownFieldFaults,
} from '../request/context.ts'
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
  const found = await operated(context, () => [['account show', accountIn(context)]])
  if ('malformed' in found) return found
  const { account, zones, keys } = found.data as unknown as ShownDetails
  const data = {
    ...account,
    zone_names: zones.slice(0, MAX_DETAILS).map(({ name }) => name),
    key_usernames: keys.slice(0, MAX_DETAILS).map(({ username }) => username),
  }
  return { status: 200 as const, data }
}

// biome-ignore format: a table
const ACCOUNT_FIELDS: Readonly<Record<string, readonly [what: string, is: (value: unknown) => boolean]>> = {
  plan:         ['plan is the name of a plan',                  (value) => typeof value === 'string'],
  website_only: ['website_only is true or false',               (value) => typeof value === 'boolean'],
  operator:     ['operator is true or false',                   (value) => typeof value === 'boolean'],
  suspended:    ['suspended is true or false',                  (value) => typeof value === 'boolean'],
  email:        ['email is an e-mail address; null removes it', (value) => value === null || (typeof value === 'string' && isMailAddress(value))],
}

/** Also ends a block after abuse, with `suspended: false`. */
export const changeOperatorAccount = async (context: RequestContext) =>
  finish(context, () => {
    const { body } = context
    const malformed =
      isObject(body) && body['suspended'] === true ? ownAccountFault(context, accountIn(context)) : []
    return malformed.length > 0 ? { malformed } : accountSteps(accountIn(context), body)
  })

function accountSteps(account: string, body: unknown): readonly OperatorStep[] | Malformed {
  if (!isObject(body)) return { malformed: [badBody('the body is {"plan": "…", "suspended": true, …}')] }
  const malformed: readonly RequestFault[] = [
    ...unknownFieldFaults(body, Object.keys(ACCOUNT_FIELDS)),
    ...Object.entries(ACCOUNT_FIELDS).flatMap(([field, [what, is]]) =>
      body[field] === undefined || is(body[field]) ? [] : [badBody(what, `/${field}`)],
    ),
  ]
  if (malformed.length > 0) return { malformed }
  const { suspended, ...rest } = body
  const settings = Object.entries(rest).map(
    ([field, value]) => `${field.replace('_', '-')}=${settingText(value)}`,
  )
  return [
    ['account set', account, ...settings],
    ...(suspended === undefined
      ? []
      : [[suspended === true ? 'account suspend' : 'account resume', account] as const]),
  ]
}

/** As `holdfast admin` reads it. */
const settingText = (value: unknown): string => {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return value === null ? 'none' : typeof value === 'string' ? value : JSON.stringify(value)
}

/** A link for another password: it is shown once, and sent to the address of the account with `{"send": true}`. */
export async function createResetLink(context: RequestContext) {
  const { body = {} } = context
  const made = await operated(context, () => {
    if (!isObject(body) || (body['send'] !== undefined && typeof body['send'] !== 'boolean'))
      return { malformed: [badBody('the body is {"send": true}', '/send')] }
    const unknown = unknownFieldFaults(body, ['send'])
    if (unknown.length > 0) return { malformed: unknown }
    const send = body['send'] === true ? ['send'] : []
    return [['account reset-link', accountIn(context), ...send]]
  })
  return 'malformed' in made ? made : withMail(context, made)
}

/** For a person who has lost them all. */
export const forgetSecondFactors = async (context: RequestContext) =>
  finish(context, () => [['account forget-second-factor', accountIn(context)]])
