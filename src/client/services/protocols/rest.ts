import { type Secret, SecretText } from '../../../shared/base/secret.ts'
import type { UpdateRequest } from '../../../shared/protocol/request.ts'
import { notUnderstood, uselessAnswer } from './answers.ts'
import { type BodyValue, formBody, jsonBody } from './bodies.ts'
import { documentIn } from './json.ts'
import { isStep, type ServiceAccount, type ServiceAnswer, type Step, type StepOutcome } from './protocol.ts'
import { refusalOf, type Refusals } from './refusals.ts'
import type { Reply } from '../../../shared/protocol/reply-codec.ts'

/** What the services with JSON documents differ in. */
export interface RestService {
  /** By the name of each header. */
  readonly headers: Readonly<Record<string, string | SecretText>>
  /** Of each body, such as a key. */
  readonly members?: Readonly<Record<string, string | Secret>>
  /** Bodies are forms, not JSON documents. */
  readonly isForm?: true
  readonly isSuccess: (document: unknown, answer: ServiceAnswer) => boolean
  /** The codes of a refusal in a document. */
  readonly codesIn: (document: unknown) => readonly string[]
  readonly refusals: Refusals
}

export interface RestCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With the query. */
  readonly path: string
  readonly body?: BodyValue
  /** Success has no document. */
  readonly isSilent?: true
  /** What a refusal with these codes leads to, in the place of its word. */
  readonly instead?: (codes: readonly string[]) => Step | undefined
  /** What an answer that is longer than what is read leads to. */
  readonly tooLong?: () => StepOutcome
  /** What an answer without success leads to, where it is that there is no record. */
  readonly missing?: (answer: ServiceAnswer, document: unknown) => Step | StepOutcome | undefined
  readonly read: (document: unknown, answer: ServiceAnswer) => Step | StepOutcome
}

const FORM = 'application/x-www-form-urlencoded'
/** In octets: a list of records. */
const MAX_ANSWER = 262_144

/** One request of a service with JSON documents. */
export const restStep = (
  account: ServiceAccount,
  { headers, members, isForm, isSuccess, codesIn, refusals }: RestService,
  request: UpdateRequest,
): ((call: RestCall) => Step) => {
  const read = (answer: ServiceAnswer, call: RestCall): Step | StepOutcome => {
    const cut = answer.isCut ? uselessAnswer(answer) : undefined
    if (cut !== undefined) return cut
    if (call.tooLong !== undefined && answer.status < 300 && Buffer.byteLength(answer.body) > MAX_ANSWER)
      return call.tooLong()
    const document = documentIn(answer.body)
    const isDone = call.isSilent === true && answer.body.trim() === '' && [200, 204].includes(answer.status)
    if (isDone || isSuccess(document, answer)) return call.read(document, answer)
    const codes = codesIn(document)
    return (
      call.instead?.(codes) ??
      (document === undefined ? undefined : call.missing?.(answer, document)) ??
      refusalOf(request, answer, { codes, refusals })
    )
  }
  const bodyOf = (body: BodyValue): SecretText => {
    const whole = members === undefined ? body : { ...members, ...(body as object) }
    return isForm === true ? formBody(whole as Parameters<typeof formBody>[0]) : jsonBody(whole)
  }
  return (call) => ({
    request: {
      method: call.method,
      url: new SecretText(`${account.server}${call.path}`),
      headers: {
        'user-agent': account.userAgent,
        accept: 'application/json',
        ...headers,
        ...(call.body !== undefined && { 'content-type': isForm === true ? FORM : 'application/json' }),
      },
      ...(call.body !== undefined && { body: bodyOf(call.body) }),
      maxBodyBytes: MAX_ANSWER,
    },
    read: (answer) => read(answer, call),
  })
}

/**
 * Steps of an update whose zone was found by an earlier one: where the service has no such zone any more, the next update
 * looks it up again, and that one says whether there is none.
 */
export function whileZoneIsKnown(zones: Map<string, unknown>, hostname: string): (step: Step) => Step {
  const isKnown = zones.has(hostname)
  return (step) => ({
    ...step,
    read: (answer) => {
      const next = step.read(answer)
      if (isStep(next) || next.kind !== 'answered' || !next.replies.some(saysNoZone)) return next
      zones.delete(hostname)
      return isKnown ? notUnderstood(answer, { what: 'the zone is not where it was' }) : next
    },
  })
}

const saysNoZone = (reply: Reply): boolean => 'said' in reply && reply.said === 'no-zone'
