import type { RequestContext } from '../request/context.ts'
import { finish, operatorList, ownAccountFault } from './operated.ts'

export const listBlocks = operatorList<'Block'>({ step: 'block list', key: 'blocks' })
export const listLockouts = operatorList<'Lockout'>({ step: 'lockout list', key: 'lockouts' })

const subjectIn = ({ params }: RequestContext): string => params['subject'] ?? ''

export const setBlock = async (context: RequestContext) =>
  finish<'subjectNotFound' | 'operationRefused'>(
    context,
    () => ownAccountFault(context, subjectIn(context)) ?? [['block', subjectIn(context)]],
  )

/** Of a network, or of the second factor of an account; a block of the account stays. */
export const deleteLockout = async (context: RequestContext) =>
  finish<'subjectNotFound'>(context, () => [['lockout end', subjectIn(context)]])

/** Of whatever has this name; or the lockout of a network after failed logins. */
export const deleteBlock = async (context: RequestContext) =>
  finish<'subjectNotFound' | 'operationRefused'>(context, () => [
    ['unblock', subjectIn(context).replace(/\/64$/, '')],
  ])
