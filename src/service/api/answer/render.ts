import { randomBytes } from 'node:crypto'
import { ERRORS, type ErrorName, type Refusal } from '../../model/errors.ts'
import { MAX_SHOWN_FAULTS } from '../request/limits.ts'
import { showChange } from './show.ts'
import type { HandlerResult, Success } from '../request/context.ts'
import type { FaultIdentity, RequestFault, RequestFaultName } from '../request/faults.ts'

/** A response before it is serialized. */
export interface Rendered {
  readonly status: number
  /** Undefined without a body. */
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
}

/** Eight of [A-Za-z0-9]. Identifies an error in reports; need not be hard to guess. */
const newId = (): string => `err_${randomBytes(9).toString('base64').replaceAll(/[+/=]/g, '0').slice(0, 8)}`

const errorOf = ({ refused, detail, location, pointer }: Refusal) => ({
  id: newId(),
  code: String(ERRORS[refused].code),
  title: ERRORS[refused].meaning,
  ...(detail !== undefined && { detail }),
  ...(location !== undefined && { location }),
  ...(pointer !== undefined && { pointer }),
})

const requestFault = ({ code, title, detail, location, pointer }: RequestFault<RequestFaultName>) => ({
  id: newId(),
  code,
  title,
  ...(detail !== undefined && { detail }),
  ...(location !== undefined && { location }),
  ...(pointer !== undefined && pointer !== '' && { pointer }),
})

const CHALLENGE = { 'www-authenticate': 'Basic realm="api", charset="UTF-8", Bearer' } as const

/** The status is that of the first error. All errors are of one phase; a long body may have any number. */
export function render(result: HandlerResult<ErrorName, RequestFaultName>): Rendered {
  if ('refusals' in result) {
    const [first] = result.refusals
    if (first === undefined) throw new Error('a refusal without a reason')
    const { status } = ERRORS[first.refused]
    return {
      status,
      body: { errors: result.refusals.slice(0, MAX_SHOWN_FAULTS).map(errorOf), warnings: [] },
      headers: status === 401 ? CHALLENGE : {},
    }
  }
  if ('malformed' in result) {
    const [first] = result.malformed
    if (first === undefined) throw new Error('a malformed request without a reason')
    const { status, retryAfter } = first
    return {
      status,
      body: { errors: result.malformed.slice(0, MAX_SHOWN_FAULTS).map(requestFault), warnings: [] },
      headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
    }
  }
  return { status: result.status, body: result.text ?? success(result), headers: result.headers ?? {} }
}

/** Without data, a CommandSuccess. */
const success = ({ data, page, changes, warnings = [] }: Omit<Success, 'later'>): object => ({
  ...(data !== undefined && { data }),
  ...(page !== undefined && { page }),
  ...(changes !== undefined && { changes: changes.map(showChange) }),
  warnings,
})

/** Errors before any handler: unknown path, wrong method, body too large, wrong media type. */
export const plainError = (
  { status, code, title }: FaultIdentity,
  more: { readonly headers?: Readonly<Record<string, string>>; readonly detail?: string } = {},
): Rendered => ({
  status,
  body: {
    errors: [
      {
        id: newId(),
        code,
        title,
        ...(more.detail !== undefined && { detail: more.detail }),
      },
    ],
    warnings: [],
  },
  headers: more.headers ?? {},
})
