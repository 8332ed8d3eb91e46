import {
  badBody,
  descriptionFaults,
  isObject,
  type RequestContext,
  type RequestFault,
  unknownFieldFaults,
  type UnpreparedRequest,
} from '../request/context.ts'
import { REQUEST_FAULTS } from '../request/faults.ts'
import { firstCodes, passwordRefusal, showFactor } from './second-factors.ts'

const MAX_PASSKEYS = 10

/** What a browser needs for a new passkey. Nothing is stored. */
export async function createPasskeyOptions(context: RequestContext) {
  const { caller, store, service, now } = context
  const refusal = passwordRefusal(context)
  if (refusal !== undefined) return refusal
  const present = await store.factorsOf(caller.account.id)
  if (present.filter(({ kind }) => kind === 'passkey').length >= MAX_PASSKEYS)
    return { malformed: [PASSKEYS_OVER_LIMIT] }
  const options = service.secondFactors.passkeyOptions(caller.account, present, now)
  return options === undefined ? { malformed: [NO_WEBSITE] } : { status: 200 as const, data: { options } }
}

/** The credential is verified before the transaction. */
export async function preparePasskey({ caller, body, newPasskey }: UnpreparedRequest) {
  if (caller.apiKeyId !== undefined || !isObject(body) || !isObject(body['credential'])) return {}
  const passkey = await newPasskey(caller.account.id, body['credential'])
  return passkey === undefined ? {} : { passkey }
}

/** Stores what a browser made of these options. It works at once: the browser has just used it. */
export async function createPasskey(context: RequestContext) {
  const { caller, store, passkey: made, now, body } = context
  const refusal = passwordRefusal(context)
  if (refusal !== undefined) return refusal
  if (!isObject(body) || !isObject(body['credential']))
    return { malformed: [badBody('the body is {"credential": {…}, "description": "…"}', '/credential')] }
  const { description = '' } = body
  const malformed = [
    ...unknownFieldFaults(body, ['credential', 'description']),
    ...descriptionFaults(description),
  ]
  if (malformed.length > 0) return { malformed }
  const accountId = caller.account.id
  if (made === undefined) return { malformed: [WRONG] }
  const present = await store.factorsOf(accountId)
  if (present.filter(({ kind }) => kind === 'passkey').length >= MAX_PASSKEYS)
    return { malformed: [PASSKEYS_OVER_LIMIT] }
  // WebAuthn §7.1: a challenge is for one passkey, and a passkey for one account.
  const isKnown = await store.hasPasskey(made.start)
  if (isKnown || !(await context.service.secondFactors.isNewChallenge(store, made.challenge, now)))
    return { malformed: [WRONG] }
  await store.needFactor(accountId, caller.sessionId)
  const factor = {
    accountId,
    kind: 'passkey',
    description: String(description),
    ...made,
    isConfirmed: true,
    createdAt: now,
  } as const
  const id = await store.addFactor(factor)
  await store.addEvent(accountId, { kind: 'factorAdded', subject: factor.description }, now)
  const data = { ...showFactor({ ...factor, id }), recovery_codes: await firstCodes(context, present) }
  return { status: 201 as const, data }
}

const NO_WEBSITE: RequestFault = { ...REQUEST_FAULTS.noWebsite, detail: 'the setting console is not set' }
const WRONG: RequestFault = { ...REQUEST_FAULTS.passkeyWrong, location: 'body', pointer: '/credential' }
const PASSKEYS_OVER_LIMIT: RequestFault = {
  ...REQUEST_FAULTS.factorsOverLimit,
  detail: `an account has at most ${MAX_PASSKEYS} passkeys; delete one`,
}
