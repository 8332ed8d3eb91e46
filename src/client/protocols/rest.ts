import { SecretText } from '../../net/secret-text.ts'
import type { UpdateRequest } from '../../protocol/request.ts'
import { uselessAnswer } from './answers.ts'
import { documentIn } from './json.ts'
import type { ServiceAccount, ServiceAnswer, Step, StepOutcome } from './protocol.ts'
import { type Refusals, refusalOf } from './refusals.ts'

/** What the services with JSON documents differ in. */
export interface RestService {
  /** By the name of each header. */
  readonly headers: Readonly<Record<string, string | SecretText>>
  readonly isSuccess: (document: unknown, answer: ServiceAnswer) => boolean
  /** The codes of a refusal in a document. */
  readonly codesIn: (document: unknown) => readonly string[]
  readonly refusals: Refusals
}

export interface RestCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With the query. */
  readonly path: string
  readonly body?: object
  /** Success has no document. */
  readonly isSilent?: true
  /** What a refusal with these codes leads to, in the place of its word. */
  readonly instead?: (codes: readonly string[]) => Step | undefined
  /** What an answer without success leads to, where it is that there is no record. */
  readonly missing?: (answer: ServiceAnswer, document: unknown) => Step | StepOutcome | undefined
  readonly read: (document: unknown, answer: ServiceAnswer) => Step | StepOutcome
}

/** In octets: a list of records. */
const MAX_ANSWER = 262_144

/** One request of a service with JSON documents. */
export const restStep = (
  account: ServiceAccount,
  { headers, isSuccess, codesIn, refusals }: RestService,
  request: UpdateRequest,
): ((call: RestCall) => Step) => {
  const read = (answer: ServiceAnswer, call: RestCall): Step | StepOutcome => {
    const cut = answer.isCut ? uselessAnswer(answer) : undefined
    if (cut !== undefined) return cut
    const document = documentIn(answer.body)
    const isDone = call.isSilent === true && answer.body.trim() === '' && [200, 204].includes(answer.status)
    if (isDone || isSuccess(document, answer)) return call.read(document, answer)
    const codes = codesIn(document)
    return (
      call.instead?.(codes) ??
      call.missing?.(answer, document) ??
      refusalOf(request, answer, { codes, refusals })
    )
  }
  return (call) => ({
    request: {
      method: call.method,
      url: new SecretText(`${account.server}${call.path}`),
      headers: {
        ...headers,
        'user-agent': account.userAgent,
        accept: 'application/json',
        ...(call.body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
      maxBodyBytes: MAX_ANSWER,
    },
    read: (answer) => read(answer, call),
  })
}
