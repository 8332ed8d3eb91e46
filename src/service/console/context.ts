import type { Instant } from '../../shared/base/time.ts'
import type { Html } from '../../shared/html/html.ts'
import type { Session } from '../auth/sessions.ts'
import type { Words } from './words/words.ts'
import { plainError, type Rendered } from '../api/answer/render.ts'
import { REQUEST_FAULTS } from '../api/request/faults.ts'
import type { DataOf } from '../api/route.ts'
import { ROUTES } from '../api/routes.ts'
import type { Named } from '../api/openapi/schemas.ts'

/** An operation of `/v1` by its operationId. */
export type Operation = keyof typeof ROUTES

/** What a page asks of an operation. A body that is a text is a master file. */
export interface OperationCall {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
  /** The entity tag that what is changed must have still. */
  readonly ifMatch?: string
}

/** A request to `/v1` in this process. */
export interface ConsoleApiRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly contentType: string | undefined
  readonly ifMatch: string | undefined
  readonly body: string
}

/** The data that an operation answers. */
type AnswerOf<O extends Operation> = DataOf<(typeof ROUTES)[O]['response']>
/** One row of the data of a list. */
export type ListedRow<O extends Operation> = AnswerOf<O> extends readonly (infer R)[] ? R : never

export interface ApiAnswer<T> {
  readonly status: number
  readonly data: T
  readonly page: { readonly total: number; readonly next: string | null }
  readonly errors: readonly Named<'Error'>[]
  readonly warnings: readonly Named<'Warning'>[]
  readonly changes: readonly Named<'PreviewedChange'>[]
  readonly etag: string | undefined
  /** Of an answer that is no JSON. */
  readonly text: string
  /** In seconds. */
  readonly retryAfter: string | undefined
}

export type Ask = <O extends Operation>(operation: O, call?: OperationCall) => Promise<ApiAnswer<AnswerOf<O>>>

export const isRefused = ({ status }: ApiAnswer<unknown>): boolean => status >= 400

/** The operations of `/v1` as functions, over requests in this process. */
export const askOver =
  (send: (request: ConsoleApiRequest) => Promise<Rendered>): Ask =>
  async <O extends Operation>(operation: O, call: OperationCall = {}) => {
    // An empty part of a path would be another operation; U+0000 and half of a surrogate pair are in no name.
    const isNowhere = Object.values(call.params ?? {}).some(
      (one) => one === '' || /[\0\p{Surrogate}]/u.test(one),
    )
    return apiAnswer<AnswerOf<O>>(isNowhere ? NOWHERE : await send(requestOf(operation, call)))
  }

const NOWHERE = plainError(REQUEST_FAULTS.subjectNotFound)

function requestOf(
  operation: Operation,
  { params = {}, query = {}, body, ifMatch }: OperationCall,
): ConsoleApiRequest {
  const { method, path } = ROUTES[operation]
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  )
  return {
    method,
    path: `/v1${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))}`,
    query: new URLSearchParams(given).toString(),
    ifMatch,
    contentType: body === undefined ? undefined : typeof body === 'string' ? 'text/dns' : 'application/json',
    body: body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body),
  }
}

/** What is missing in an answer is empty. */
function apiAnswer<T>({ status, body, headers }: Rendered): ApiAnswer<T> {
  const empty = { data: undefined, page: { total: 0, next: null }, errors: [], warnings: [], changes: [] }
  const shown = typeof body === 'string' || body === undefined ? {} : (body as Partial<ApiAnswer<T>>)
  const text = typeof body === 'string' ? body : ''
  // Handlers give what would be JSON: plain values alone.
  return {
    ...empty,
    ...shown,
    status,
    text,
    etag: headers['etag'],
    retryAfter: headers['retry-after'],
  } as ApiAnswer<T>
}

/** What a page of the console gets. */
export interface ConsoleContext {
  readonly words: Words
  /** In the path, decoded. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** Of a POST; empty for a GET. */
  readonly form: URLSearchParams
  /** Its own path, with the query. */
  readonly here: string
  readonly now: Instant
  readonly session: Session
  /** An operation of `/v1`, with the permissions of the session. */
  readonly ask: Ask
  /** See `CostCache`. */
  readonly cached: <T>(find: () => Promise<T>) => Promise<T | undefined>
  /** The address of the service, for programs: scheme, host and port. */
  readonly origin: string
}

/** What a person sees next. */
export type ConsoleResult = ShownPage | Redirection | ConsoleFile

interface Redirection {
  readonly see: string
  /** The next page says that something was stored. */
  readonly isSaved?: true
}

export interface ShownPage {
  readonly title: string
  readonly main: Html
  /** Default: 200. */
  readonly status?: number
  /** In seconds: of a 429. */
  readonly retryAfter?: number
  /** A field of it has the focus, and not its content as a whole. */
  readonly hasFocus?: true
  /** Something on it is expected to change soon. */
  readonly isPending?: boolean
}

interface ConsoleFile {
  readonly file: string
  readonly type: string
  readonly text: string
}

export type ConsolePage = (context: ConsoleContext) => Promise<ConsoleResult>
