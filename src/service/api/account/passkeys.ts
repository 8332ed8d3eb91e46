import type { Named } from '../openapi/schemas.ts'
import { readBody } from '../request/body.ts'
import type { RequestContext, UnpreparedRequest } from '../request/context.ts'
import { faulty } from '../request/faults.ts'
import { firstCodes, passwordRefusal, showFactor } from './second-factors.ts'

const MAX_PASSKEYS = 10

/** What a browser needs for a new passkey. Nothing is stored. */
export async function createPasskeyOptions(context: RequestContext) {
  const { caller, store, service, now } = context
  const refusal = passwordRefusal(context)
  if (refusal !== undefined) return refusal
  const present = await store.factorsOf(caller.account.id)
  if (present.filter(({ kind }) => kind === 'passkey').length >= MAX_PASSKEYS) return PASSKEYS_OVER_LIMIT
  const options = service.secondFactors.passkeyOptions(caller.account, present, now)
  return options === undefined ? NO_WEBSITE : { status: 200 as const, data: { options } }
}

/** The credential is verified before the transaction. */
export async function preparePasskey({
  caller,
  newPasskey,
  ...request
}: UnpreparedRequest<Named<'NewPasskey'>>) {
  const body = readBody(request)
  if (caller.apiKeyId !== undefined || 'malformed' in body) return {}
  const passkey = await newPasskey(caller.account.id, body.credential)
  return passkey === undefined ? {} : { passkey }
}

/** Stores what a browser made of these options. It works at once: the browser has just used it. */
export async function createPasskey(context: RequestContext<Named<'NewPasskey'>>) {
  const { caller, store, passkey: made, now } = context
  const refusal = passwordRefusal(context)
  if (refusal !== undefined) return refusal
  const body = readBody(context)
  if ('malformed' in body) return body
  const { description = '' } = body
  const accountId = caller.account.id
  if (made === undefined) return WRONG
  const present = await store.factorsOf(accountId)
  if (present.filter(({ kind }) => kind === 'passkey').length >= MAX_PASSKEYS) return PASSKEYS_OVER_LIMIT
  // WebAuthn §7.1: a challenge is for one passkey, and a passkey for one account.
  const isKnown = await store.hasPasskey(made.start)
  if (isKnown || !(await context.service.secondFactors.isNewChallenge(store, made.challenge, now)))
    return WRONG
  await store.needFactor(accountId, caller.sessionId)
  const factor = {
    accountId,
    kind: 'passkey',
    description,
    ...made,
    isConfirmed: true,
    createdAt: now,
  } as const
  const id = await store.addFactor(factor)
  await store.addEvent(accountId, { kind: 'factorAdded', subject: factor.description }, now)
  const data = { ...showFactor({ ...factor, id }), recovery_codes: await firstCodes(context, present) }
  return { status: 201 as const, data }
}

const NO_WEBSITE = faulty('noWebsite', { detail: 'the setting console is not set' })
const WRONG = faulty('passkeyWrong', { location: 'body', pointer: '/credential' })
const PASSKEYS_OVER_LIMIT = faulty('factorsOverLimit', {
  detail: `an account has at most ${MAX_PASSKEYS} passkeys; delete one`,
})
