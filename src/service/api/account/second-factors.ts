import { hasFullAccess } from '../../rules/permission.ts'
import type { FactorKind, StoredFactor } from '../../store/account/second-factors.ts'
import { timeOf } from '../answer/show.ts'
import type { Named } from '../openapi/schemas.ts'
import { readBody } from '../request/body.ts'
import type { RequestContext } from '../request/context.ts'
import { faulty, PASSWORD_NEEDED, SCOPE_REFUSED } from '../request/faults.ts'
import { idInPath } from '../request/locate.ts'

const MAX_TOTP = 10

/** A program with an API key must not change how its people sign in. */
export const passwordRefusal = ({ caller }: RequestContext) =>
  caller.apiKeyId === undefined ? undefined : PASSWORD_NEEDED

/** What a person needs besides the password at the website. */
export async function listSecondFactors({ caller, store }: RequestContext) {
  if (!hasFullAccess(caller)) return SCOPE_REFUSED
  const all = await store.factorsOf(caller.account.id)
  const data = {
    factors: all.flatMap((one) => (isAsked(one) ? [showFactor(one)] : [])),
    recovery_codes: all.filter(({ kind }) => kind === 'recovery').length,
  }
  return { status: 200 as const, data }
}

/** A factor that the website asks for, and no recovery code. */
type AskedFactor = StoredFactor & { readonly kind: Exclude<FactorKind, 'recovery'> }
export const isAsked = (factor: StoredFactor): factor is AskedFactor => factor.kind !== 'recovery'

export const showFactor = ({ id, kind, description, isConfirmed, createdAt, usedAt }: AskedFactor) => ({
  id,
  kind,
  description,
  confirmed: isConfirmed,
  created_at: timeOf(createdAt),
  last_used_at: timeOf(usedAt),
})

/** Makes a secret for an authenticator app. It is shown only in this response, and asked for once it is confirmed. */
export async function createTotp(context: RequestContext<Named<'NewTotp'>>) {
  const { caller, store, now, service } = context
  const refusal = passwordRefusal(context)
  if (refusal !== undefined) return refusal
  const body = readBody(context)
  if ('malformed' in body) return body
  const { description = '' } = body
  const accountId = caller.account.id
  const present = await store.factorsOf(accountId)
  if (present.filter(({ kind }) => kind === 'totp').length >= MAX_TOTP) return OVER_LIMIT
  const { secret, uri, sealed } = service.secondFactors.newTotp(caller.account)
  const factor = {
    accountId,
    kind: 'totp',
    description,
    content: sealed,
    counter: 0,
    isConfirmed: false,
    createdAt: now,
  } as const
  const id = await store.addFactor(factor)
  return { status: 201 as const, data: { ...showFactor({ ...factor, id }), secret, uri } }
}

/** A first code shows that the app has the secret. From then on, the password alone does not sign in. */
export async function confirmSecondFactor(context: RequestContext<Named<'FactorCode'>>) {
  const { caller, store, now, service } = context
  const refusal = passwordRefusal(context)
  if (refusal !== undefined) return refusal
  const body = readBody(context)
  if ('malformed' in body) return body
  const all = await store.factorsOf(caller.account.id)
  const factor = all.find(({ id, kind }) => id === idInPath(context) && kind === 'totp')
  if (factor === undefined) return MISSING
  const counter = service.secondFactors.totpStep(factor, { code: body.code.replaceAll(' ', ''), now })
  if (counter === undefined) return WRONG_CODE
  if (!factor.isConfirmed) await store.needFactor(caller.account.id, caller.sessionId)
  if (!(await store.useFactor(factor.id, { counter, now }))) return WRONG_CODE
  if (!factor.isConfirmed)
    await store.addEvent(caller.account.id, { kind: 'factorAdded', subject: factor.description }, now)
  return { status: 200 as const, data: { recovery_codes: await firstCodes(context, all) } }
}

/** Replaces the codes on paper. */
export async function createRecoveryCodes(context: RequestContext) {
  const { caller, store, now } = context
  const refusal = passwordRefusal(context)
  if (refusal !== undefined) return refusal
  const all = await store.factorsOf(caller.account.id)
  if (!all.some(({ kind, isConfirmed }) => kind !== 'recovery' && isConfirmed)) return MISSING
  const codes = await madeCodes(context)
  await store.addEvent(caller.account.id, { kind: 'factorAdded', subject: 'codes on paper' }, now)
  return { status: 201 as const, data: { recovery_codes: codes } }
}

/** Codes on paper, with the first factor. */
export const firstCodes = async (
  context: RequestContext,
  present: readonly StoredFactor[],
): Promise<readonly string[]> => (present.some(({ kind }) => kind === 'recovery') ? [] : madeCodes(context))

async function madeCodes({ caller, store, now, service }: RequestContext): Promise<readonly string[]> {
  const accountId = caller.account.id
  await store.removeFactors(accountId, now, 'recovery')
  const codes = service.secondFactors.newRecoveryCodes()
  const row = {
    accountId,
    kind: 'recovery',
    description: '',
    counter: 0,
    isConfirmed: true,
    createdAt: now,
  } as const
  for (const { hash } of codes) await store.addFactor({ ...row, content: hash })
  return codes.map(({ code }) => code)
}

/** The codes on paper go with the last factor. */
export async function deleteSecondFactor(context: RequestContext) {
  const { caller, store, now } = context
  const refusal = passwordRefusal(context)
  if (refusal !== undefined) return refusal
  const accountId = caller.account.id
  const found = (await store.factorsOf(accountId)).find(({ id }) => id === idInPath(context))
  if (found === undefined || found.kind === 'recovery') return MISSING
  await store.removeFactor(found.id, accountId, now)
  // A person with the lost phone may have signed in with it.
  if (found.kind === 'passkey') await store.removeOtherSessions(accountId, caller.sessionId)
  const rest = await store.factorsOf(accountId)
  if (!rest.some(({ kind, isConfirmed }) => kind !== 'recovery' && isConfirmed))
    await store.removeFactors(accountId, now, 'recovery')
  return { status: 200 as const, data: {} }
}

const MISSING = faulty('factorNotFound', { location: 'path' })
const WRONG_CODE = faulty('codeWrong', { location: 'body', pointer: '/code' })
const OVER_LIMIT = faulty('factorsOverLimit', {
  detail: `an account has at most ${MAX_TOTP} of them; delete one`,
})
