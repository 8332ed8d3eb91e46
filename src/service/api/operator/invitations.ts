import { isMailAddress } from '../../../shared/base/mail.ts'
import {
  badBody,
  isObject,
  type Malformed,
  type RequestContext,
  unknownFieldFaults,
} from '../request/context.ts'
import { finish, operated, operatorList, type OperatorStep, withMail } from './operated.ts'

export const listInvitations = operatorList<'Invitation'>({ step: 'invitation list', key: 'invitations' })

/** The fields of an invitation other than its plan. */
const TEXTS = ['zone', 'expires', 'email'] as const

/** The link is shown once, and sent to the address, if there is one. */
export async function createInvitation(context: RequestContext) {
  const made = await operated(context, () => invitationSteps(context.body))
  return 'malformed' in made ? made : withMail(context, made)
}

function invitationSteps(body: unknown): readonly OperatorStep[] | Malformed {
  if (!isObject(body) || typeof body['plan'] !== 'string')
    return { malformed: [badBody('the body is {"plan": "…", "zone": "…", …}', '/plan')] }
  const { plan } = body
  const texts = TEXTS.flatMap((field) => {
    const value = body[field]
    return typeof value === 'string' ? [[field, value] as const] : []
  })
  const malformed = [
    ...unknownFieldFaults(body, ['plan', ...TEXTS]),
    ...TEXTS.flatMap((field) =>
      body[field] === undefined || typeof body[field] === 'string'
        ? []
        : [badBody(`${field} is a string`, `/${field}`)],
    ),
    ...texts.flatMap(([field, value]) =>
      field === 'email' && !isMailAddress(value) ? [badBody('email is an e-mail address', '/email')] : [],
    ),
  ]
  if (malformed.length > 0) return { malformed }
  const options = texts.map(([field, value]) => `${field}=${value}`)
  return [['invitation add', plan, ...options]]
}

export const deleteInvitation = async (context: RequestContext) =>
  finish(context, () => [['invitation remove', context.params['id'] ?? '']])
