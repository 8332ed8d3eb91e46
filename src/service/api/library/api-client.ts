import { type ApiRefusal, HoldfastApiError } from './api-error.ts'

/**
 * By the name of an operation: `METHOD PATH`. `METHOD:TYPE PATH` has a body of this media type, `PATH?NAME&NAME` has query
 * parameters whose values are JSON, and `PATH TYPE` an answer that is not JSON.
 */
export type CallTable = Readonly<Record<string, string>>

/** The part of fetch that a client uses. */
type Fetch = (
  url: string,
  init: RequestInit & { readonly headers: Record<string, string> },
) => Promise<Answered>
interface Answered {
  readonly status: number
  readonly headers: { get(name: string): string | null }
  text(): Promise<string>
}

interface ApiClientOptions {
  /** The URL of the service, before `/v1`: of https, or of this machine. */
  readonly server: string
  /** The server may have http on another machine: everybody on the way reads the credentials. */
  readonly allowCleartext?: boolean
  /** An API key. */
  readonly token?: string
  /** An account, with its password. */
  readonly username?: string
  readonly password?: string
  /** Default: that of the platform. */
  readonly fetch?: Fetch
  /** Ends every call. */
  readonly signal?: AbortSignal
}

interface CallOptions {
  readonly signal?: AbortSignal
  readonly headers?: Readonly<Record<string, string>>
}

/** What the service answered; `data` is undefined for a change that has none, and for 304. */
interface CallResult {
  readonly status: number
  readonly headers: Answered['headers']
  readonly data?: unknown
  readonly page?: ListPage
  readonly warnings: readonly unknown[]
}
interface ListPage {
  readonly limit: number
  /** The cursor of the next page; null if there is none. */
  readonly next: string | null
}

/** One value, a list, or values by key. */
type ParameterValue = string | number | boolean | object | null | undefined
type Values = Readonly<Record<string, ParameterValue>>
/** Parameters of the path and the query, the body where the operation has one, and options. */
export type ApiCall = (...given: readonly unknown[]) => Promise<CallResult>

/** Makes clients: objects with one call for each operation of the table. */
export const apiClientMaker =
  (table: CallTable) =>
  (options: ApiClientOptions): Readonly<Record<string, ApiCall>> =>
    Object.fromEntries(
      Object.entries(table).map(([operation, row]) => [operation, callOf(options, rowOf(operation, row))]),
    )

const callOf = (client: ApiClientOptions, row: Row): ApiCall => {
  const { operation, method, sends, reads, json } = row
  return async (...given) => {
    const server = serverOf(client)
    const [parameters = {}, ...more] = given as readonly [Values?, ...unknown[]]
    const body = sends === undefined ? undefined : more.shift()
    const { signal = client.signal, headers } = (more[0] ?? {}) as CallOptions
    const query = new Map(Object.entries(parameters))
    const path = row.path.replace(/\{(\w+)\}/g, (_, name: string) => {
      query.delete(name)
      return segment(operation, name, parameters[name])
    })
    const text = String(new URLSearchParams([...query].flatMap((one) => pairs(one, json))))
    const response = await (client.fetch ?? fetch)(`${server}${path}${text && `?${text}`}`, {
      method,
      headers: {
        ...headers,
        accept: reads ?? 'application/json',
        ...(body !== undefined && { 'content-type': sends ?? '' }),
        ...authorization(client),
      },
      // The service redirects no request, and the credentials are for it alone.
      redirect: 'manual',
      ...(body !== undefined && { body: isJson(sends ?? '') ? JSON.stringify(body) : (body as string) }),
      ...(signal !== undefined && { signal }),
    })
    return callResultOf(row, response)
  }
}

/** The URL without the slashes at its end. No message has it whole: it may have a password. */
function serverOf({ server, allowCleartext }: ApiClientOptions): string {
  const url = URL.canParse(server) ? new URL(server) : undefined
  if (url === undefined) throw new TypeError('server is no URL, such as https://dns.example')
  if (!['http:', 'https:'].includes(url.protocol))
    throw new TypeError(`server has ${url.protocol}, not https: or http:`)
  if (url.username !== '' || url.password !== '')
    throw new TypeError('server has a user or a password: give them as username and password')
  const isHere = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname)
  if (url.protocol === 'http:' && !isHere && allowCleartext !== true)
    throw new TypeError(
      `server ${url.host} would get the credentials in clear text: use https, or set allowCleartext`,
    )
  return server.replace(/\/+$/, '')
}

/** A URL leaves out empty segments and those of dots: another resource would be changed. */
function segment(operation: string, name: string, value: unknown): string {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`${operation}: ${name} cannot be ${JSON.stringify(value)}`)
  return encodeURIComponent(text)
}

/** `{ sort: { name: 'asc' } }` as `sort[name]=asc`; a list repeats its name. */
function pairs(
  [name, value]: readonly [string, ParameterValue],
  json: readonly string[],
): [string, string][] {
  if (value === undefined) return []
  if (json.includes(name)) return [[name, JSON.stringify(value)]]
  if (Array.isArray(value)) return value.map((one) => [name, String(one)])
  if (typeof value !== 'object' || value === null) return [[name, String(value)]]
  return Object.entries(value).flatMap(([key, inner]) => pairs([`${name}[${key}]`, inner], []))
}

/** RFC 6750 §2.1; RFC 7617 §2.1, in UTF-8. */
function authorization({ token, username, password }: ApiClientOptions): Record<string, string> {
  // The error of fetch would show it.
  if (token !== undefined && /[^\x21-\x7e]/.test(token))
    throw new TypeError('token is no API key: it has blanks or control characters')
  if (token !== undefined) return { authorization: `Bearer ${token}` }
  if (username === undefined) return {}
  const octets = new TextEncoder().encode(`${username}:${password ?? ''}`)
  return { authorization: `Basic ${btoa(String.fromCharCode(...octets))}` }
}

const isJson = (type: string): boolean => /^application\/([\w.-]+\+)?json\b/i.test(type)

/** What is sent and expected, from a row of the table. */
interface Row {
  readonly operation: string
  readonly method: string
  readonly path: string
  /** The media type of the body; undefined without a body. */
  readonly sends: string | undefined
  /** The media type of the answer; undefined: JSON. */
  readonly reads: string | undefined
  /** The query parameters whose values are JSON. */
  readonly json: readonly string[]
}

function rowOf(operation: string, text: string): Row {
  const [, method = '', sends, path = '', json = '', reads] =
    /^(\w+)(?::(\S+))? ([^? ]+)(?:\?(\S+))?(?: (\S+))?$/.exec(text) ?? []
  return { operation, method, path, sends, reads, json: json.split('&') }
}

async function callResultOf({ operation, reads }: Row, response: Answered): Promise<CallResult> {
  const { status, headers } = response
  if (status === 304) return { status, headers, warnings: [] }
  const type = headers.get('content-type') ?? ''
  const text = await response.text()
  const isSuccess = status > 199 && status < 300
  if (isSuccess && reads !== undefined && type.startsWith(reads))
    return { status, headers, data: text, warnings: [] }
  const { errors, ...body } = isJson(type) ? parsed(text) : {}
  if (isSuccess && reads === undefined && body.warnings !== undefined)
    return { ...body, warnings: body.warnings, status, headers }
  const seconds = headers.get('retry-after') ?? ''
  throw new HoldfastApiError({
    operation,
    status,
    errors: Array.isArray(errors) ? errors : [],
    retryAfter: /^\d+$/.test(seconds) ? Number(seconds) : undefined,
  })
}

/** The members of a body of the API; none where it is not JSON. */
function parsed(text: string): Partial<CallResult> & { readonly errors?: readonly ApiRefusal[] } {
  try {
    return (JSON.parse(text) ?? {}) as ReturnType<typeof parsed>
  } catch {
    return {}
  }
}

/**
 * Reads all pages of a list: `each(api.listNames, parameters)` gives one object after the other. By cursors: what comes and
 * goes meanwhile moves no other row.
 */
export async function* each(list: ApiCall, parameters: Values = {}, options: CallOptions = {}) {
  const { offset: _, ...same } = parameters
  const cursors = new Set<string>()
  for (let asked = parameters; ; ) {
    const { data, page } = await list(asked, options)
    yield* data as readonly unknown[]
    if (page === undefined || page.limit === 0 || page.next === null) return
    if (cursors.has(page.next))
      throw new TypeError(`the server repeats next: ${page.next}; the list has no end`)
    cursors.add(page.next)
    asked = { ...same, after: page.next }
  }
}
