import { Secret } from '../../../shared/base/secret.ts'
import type { Named } from '../openapi/schemas.ts'
import { readBody } from '../request/body.ts'
import { DONE, type RequestContext, type UnpreparedRequest } from '../request/context.ts'
import { faulty, PASSWORD_NEEDED } from '../request/faults.ts'

const OLD_WRONG = faulty('oldPasswordWrong', { location: 'body', pointer: '/old_password' })

/** Checks the old password and hashes the new one. Neither is in a fault. */
export async function preparePassword({
  caller,
  networks,
  changePassword: change,
  ...request
}: UnpreparedRequest<Named<'PasswordChange'>>) {
  if (caller.apiKeyId !== undefined) return PASSWORD_NEEDED
  const body = readBody(request)
  if ('malformed' in body) return body
  const present = { username: caller.account.name, password: new Secret(body.old_password) }
  const changed = await change(present, new Secret(body.new_password), networks)
  if (changed === undefined) return OLD_WRONG
  return 'retryAfter' in changed
    ? faulty('tooManyFailedLogins', { retryAfter: changed.retryAfter })
    : { passwordChange: changed }
}

/** Stores the new password, if the old one is still that which was checked. */
export async function changePassword({ caller, store, passwordChange, now }: RequestContext) {
  if (passwordChange === undefined) return PASSWORD_NEEDED
  const isChanged = await store.changePassword(caller.account.id, passwordChange, now)
  return isChanged ? DONE : OLD_WRONG
}
