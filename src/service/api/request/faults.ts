/** What identifies an error. */
export interface FaultIdentity {
  readonly status: 400 | 402 | 403 | 404 | 405 | 409 | 412 | 413 | 415 | 429 | 500 | 503
  readonly code: string
  readonly title: string
}

/** The errors that are not in the specification's table. The document names them, the handlers add the detail. */
// biome-ignore format: a table
export const REQUEST_FAULTS = {
  pathInvalid:          { status: 400, code: '2451', title: 'invalid path' },
  queryInvalid:         { status: 400, code: '2451', title: 'invalid request query' },
  bodyInvalid:          { status: 400, code: '3809', title: 'invalid request body' },
  ifMatchInvalid:       { status: 400, code: '400',  title: 'invalid If-Match' },
  hostnameNotFound:     { status: 400, code: '3316', title: 'hostname not found' },
  keysOverLimit:        { status: 402, code: '402',  title: 'DDNS keys over limit' },
  apiKeysOverLimit:     { status: 402, code: '402',  title: 'API keys over limit' },
  tsigKeysOverLimit:    { status: 402, code: '402',  title: 'TSIG keys over limit' },
  accountSuspended:     { status: 403, code: '403',  title: 'this account is suspended; contact support' },
  accountWebsiteOnly:   { status: 403, code: '4786', title: 'this account can only be changed on the website' },
  oldPasswordWrong:     { status: 403, code: '403',  title: 'the old password is wrong' },
  scopeInsufficient:    { status: 403, code: '403',  title: 'this API key is not allowed to do that' },
  operatorNeeded:       { status: 403, code: '403',  title: 'only operators may do this, in the console' },
  operatorFactorMissing: { status: 403, code: '403', title: 'an operator needs a second factor; set one up in the account' },
  keyLocked:            { status: 403, code: '4127', title: 'the operator has locked this DDNS key: it gets no new targets' },
  pathUnknown:          { status: 404, code: '404',  title: 'unknown path' },
  apiKeyNotFound:       { status: 404, code: '404',  title: 'API key not found' },
  secondFactorMissing:  { status: 403, code: '403',  title: 'the account has a second factor, so its password works only on the website; use an API key' },
  codeWrong:            { status: 403, code: '403',  title: 'the code is wrong, or was used already' },
  passkeyWrong:         { status: 403, code: '403',  title: 'this passkey cannot be added to this account' },
  noWebsite:            { status: 409, code: '409',  title: 'the service has no website' },
  factorNotFound:       { status: 404, code: '404',  title: 'second factor not found' },
  factorsOverLimit:     { status: 402, code: '402',  title: 'second factors over limit' },
  sessionNotFound:      { status: 404, code: '404',  title: 'session not found' },
  subjectNotFound:      { status: 404, code: '404',  title: 'not found' },
  operationRefused:     { status: 409, code: '409',  title: 'the operation is refused' },
  tsigKeyNotFound:      { status: 404, code: '404',  title: 'TSIG key not found' },
  keyNotFound:          { status: 404, code: '4810', title: 'DDNS key not found' },
  methodNotAllowed:     { status: 405, code: '405',  title: 'method not allowed at this path' },
  zoneNotCreatable:     { status: 409, code: '3425', title: 'zone cannot be created' },
  deletionNotConfirmed: { status: 409, code: '409',  title: 'the zone holds names of other accounts' },
  preconditionFailed:   { status: 412, code: '412',  title: 'precondition failed' },
  bodyTooLarge:         { status: 413, code: '413',  title: 'the body is too large' },
  mediaTypeUnsupported: { status: 415, code: '415',  title: 'the body must be application/json' },
  zoneFileExpected:     { status: 415, code: '415',  title: 'the body must be text/dns or text/plain' },
  tooManyFailedLogins:  { status: 429, code: '429',  title: 'too many failed logins' },
  tooManyRequests:      { status: 429, code: '429',  title: 'too many requests' },
  overShare:            { status: 429, code: '429',  title: 'too many queued requests for this account; retry later' },
  internalError:        { status: 500, code: '500',  title: 'internal error; nothing was changed' },
  storeAway:            { status: 503, code: '503',  title: 'the database is unavailable; try again' },
  storeBusy:            { status: 503, code: '503',  title: 'the data was changed by another request; retry' },
} as const satisfies Readonly<Record<string, FaultIdentity>>

export type RequestFaultName = keyof typeof REQUEST_FAULTS

declare const faultName: unique symbol

/** Faults that every operation may have; its row lists the others. */
type CommonFault =
  | 'bodyInvalid'
  | 'queryInvalid'
  | 'ifMatchInvalid'
  | 'preconditionFailed'
  | 'tooManyFailedLogins'

/** A fault whose code is not in the specification's table of errors, with its place. */
export interface RequestFault<F extends RequestFaultName = CommonFault> extends FaultIdentity, FaultPlace {
  readonly [faultName]?: F
}
interface FaultPlace {
  readonly detail?: string
  readonly location?: 'path' | 'query' | 'body' | 'header'
  readonly pointer?: string
  /** In seconds. */
  readonly retryAfter?: number
}

export interface Malformed<F extends RequestFaultName = CommonFault> {
  readonly malformed: readonly RequestFault<F>[]
}

/** The faults of an answer that its operation must list; see `route`. */
export type ListedFault<A> = Exclude<
  A extends Malformed<infer F>
    ? F
    : A extends { readonly later?: () => Promise<infer L> }
      ? LaterFault<L>
      : never,
  CommonFault
>
type LaterFault<L> = L extends Malformed<infer F> ? F : never

export const fault = <const F extends RequestFaultName>(
  name: F,
  place: FaultPlace = {},
): RequestFault<F> => ({
  ...REQUEST_FAULTS[name],
  ...place,
})
/** An answer with one fault. */
export const faulty = <const F extends RequestFaultName>(name: F, place?: FaultPlace): Malformed<F> => ({
  malformed: [fault(name, place)],
})

export const badBody = (detail: string, pointer = ''): RequestFault<'bodyInvalid'> =>
  fault('bodyInvalid', { detail, location: 'body', pointer })

/** The operation needs all permissions of the account; the API key is restricted (decision 0032). */
export const SCOPE_REFUSED = faulty('scopeInsufficient', {
  detail: 'the API key has scopes; the operation needs one without, or the password of the account',
})

/** A program with an API key must not change how its people sign in. */
export const PASSWORD_NEEDED = faulty('scopeInsufficient', {
  detail: 'the operation needs the account with its password; no API key does it',
})
