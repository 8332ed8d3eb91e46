import { randomBytes } from 'node:crypto'
import { ERRORS, type ErrorName, type Refusal } from '../errors/errors.ts'
import type { HandlerResult, RequestFault, Success } from './request-context.ts'

/** An answer on the wire. */
export interface Rendered {
  readonly status: number
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
}

/** Eight of [A-Za-z0-9]: to find one answer in a log, not to be hard to guess. */
const newId = (): string => `err_${randomBytes(9).toString('base64').replaceAll(/[+/=]/g, '0').slice(0, 8)}`

const refusal = ({ refused, detail, location, pointer }: Refusal) => ({
  id: newId(),
  code: String(ERRORS[refused].code),
  title: ERRORS[refused].meaning,
  ...(detail !== undefined && { detail }),
  ...(location !== undefined && { location }),
  ...(pointer !== undefined && { pointer }),
})

const malformation = ({ code, title, detail, location, pointer }: RequestFault) => ({
  id: newId(),
  code,
  title,
  ...(detail !== undefined && { detail }),
  ...(location !== undefined && { location }),
  ...(pointer !== undefined && pointer !== '' && { pointer }),
})

const CHALLENGE = { 'www-authenticate': 'Basic realm="api", charset="UTF-8", Bearer' } as const

/** The status of the first error is the status of all; only errors of one phase are here. */
export function render(answer: HandlerResult<ErrorName>): Rendered {
  if ('refusals' in answer) {
    const [first] = answer.refusals
    if (first === undefined) throw new Error('a refusal without a reason')
    const { status } = ERRORS[first.refused]
    return {
      status,
      body: { errors: answer.refusals.map(refusal), warnings: [] },
      headers: status === 401 ? CHALLENGE : {},
    }
  }
  if ('malformed' in answer) {
    const [first] = answer.malformed
    if (first === undefined) throw new Error('a malformed request without a reason')
    const { status, retryAfter } = first
    return {
      status,
      body: { errors: answer.malformed.map(malformation), warnings: [] },
      headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
    }
  }
  return { status: answer.status, body: success(answer), headers: {} }
}

/** Without data it is a CommandSuccess. */
const success = ({ data, page, warnings = [] }: Success): object => ({
  ...(data !== undefined && { data }),
  ...(page !== undefined && { page }),
  warnings,
})

/** What comes before any handler: no such path, the wrong method, too large, the wrong kind. */
export const plainError = (
  status: 400 | 404 | 405 | 413 | 415 | 500,
  title: string,
  more: {
    readonly headers?: Readonly<Record<string, string>>
    readonly code?: string
    readonly detail?: string
  } = {},
): Rendered => ({
  status,
  body: {
    errors: [
      {
        id: newId(),
        code: more.code ?? String(status),
        title,
        ...(more.detail !== undefined && { detail: more.detail }),
      },
    ],
    warnings: [],
  },
  headers: more.headers ?? {},
})
