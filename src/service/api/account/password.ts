import { Secret } from '../../../shared/base/secret.ts'
import {
  badBody,
  DONE,
  isObject,
  isText,
  PASSWORD_NEEDED,
  type RequestContext,
  type RequestFault,
  unknownFieldFaults,
  type UnpreparedRequest,
} from '../request/context.ts'
import { REQUEST_FAULTS } from '../request/faults.ts'
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../request/limits.ts'
import type { Prepared } from '../route.ts'

const FIELDS = ['old_password', 'new_password'] as const

const OLD_WRONG: RequestFault = {
  ...REQUEST_FAULTS.oldPasswordWrong,
  location: 'body',
  pointer: '/old_password',
}

/** Checks the old password and hashes the new one. Neither is in a fault. */
export async function preparePassword({
  caller,
  body,
  networks,
  changePassword: change,
}: UnpreparedRequest): Promise<Prepared> {
  if (caller.apiKeyId !== undefined) return { malformed: [PASSWORD_NEEDED] }
  if (!isObject(body))
    return { malformed: [badBody('the body is {"old_password": "…", "new_password": "…"}')] }
  const { old_password: old, new_password: next } = body
  const malformed = [...unknownFieldFaults(body, FIELDS), ...oldFaults(old), ...newFaults(next)]
  if (malformed.length > 0) return { malformed }
  const present = { username: caller.account.name, password: new Secret(String(old)) }
  const changed = await change(present, new Secret(String(next)), networks)
  if (changed === undefined) return { malformed: [OLD_WRONG] }
  return 'retryAfter' in changed
    ? { malformed: [{ ...REQUEST_FAULTS.tooManyFailedLogins, retryAfter: changed.retryAfter }] }
    : { passwordChange: changed }
}

const oldFaults = (old: unknown): readonly RequestFault[] =>
  typeof old === 'string' && old !== '' ? [] : [badBody('old_password is a string', '/old_password')]

/** RFC 7617 §2: a password with control characters cannot be sent. */
export function isNewPassword(text: string): boolean {
  const { length } = Array.from(text)
  const isOfLength = length >= MIN_PASSWORD_LENGTH && length <= MAX_PASSWORD_LENGTH
  return isOfLength && isText(text) && !/[\0-\x1f\x7f]/.test(text)
}

const newFaults = (next: unknown): readonly RequestFault[] =>
  typeof next === 'string' && isNewPassword(next)
    ? []
    : [
        badBody(
          `new_password has ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters, without control characters`,
          '/new_password',
        ),
      ]

/** Stores the new password, if the old one is still that which was checked. */
export async function changePassword({ caller, store, passwordChange, now }: RequestContext) {
  if (passwordChange === undefined) return { malformed: [PASSWORD_NEEDED] }
  const isChanged = await store.changePassword(caller.account.id, passwordChange, now)
  return isChanged ? DONE : { malformed: [OLD_WRONG] }
}
