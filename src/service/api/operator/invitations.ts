import type { Named } from '../openapi/schemas.ts'
import { readBody } from '../request/body.ts'
import type { RequestContext } from '../request/context.ts'
import { finish, operated, operatorList, withMail } from './operated.ts'

export const listInvitations = operatorList<'Invitation'>({ step: 'invitation list', key: 'invitations' })

/** The link is shown once, and sent to the address, if there is one. */
export const createInvitation = async (context: RequestContext<Named<'NewInvitation'>>) =>
  withMail(
    context,
    await operated<'subjectNotFound' | 'operationRefused'>(context, () => {
      const body = readBody(context)
      if ('malformed' in body) return body
      const { plan, ...options } = body
      return [
        ['invitation add', plan, ...Object.entries(options).map(([field, value]) => `${field}=${value}`)],
      ]
    }),
  )

export const deleteInvitation = async (context: RequestContext) =>
  finish<'subjectNotFound'>(context, () => [['invitation remove', context.params['id'] ?? '']])
