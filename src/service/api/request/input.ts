import type { Instant } from '../../../shared/base/time.ts'
import type { Caller } from '../../rules/permission.ts'
import { parseQuery, unknownParameters } from '../query/query.ts'
import { badBody, type Malformed } from './faults.ts'
import type { Prepared, Route } from '../route.ts'
import {
  type ApiNetworks,
  type ApiService,
  type ChangePassword,
  type JsonBody,
  type UnpreparedRequest,
} from './context.ts'

/** Of nested objects and arrays. */
const MAX_DEPTH = 32

type ParsedJson = { readonly value: unknown } | { readonly fault: string }

/**
 * Strict JSON: duplicate members are refused, because RFC 8259 does not define
 * which one counts and a proxy may have checked the other.
 */
function parseJson(text: string): ParsedJson {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { fault: 'the body is not JSON' }
  }
  const fault = faultIn(text)
  return fault === undefined ? { value } : { fault }
}

/** Scans the strings, brackets and colons of valid JSON. */
function faultIn(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = []
  let last = ''
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]:]/gsu)) {
    if (token === '{' || token === '[') open.push(token === '{' ? new Set() : undefined)
    else if (token === '}' || token === ']') open.pop()
    else if (token !== ':') last = token
    const fault = token === ':' ? memberFault(JSON.parse(last) as string, open.at(-1)) : undefined
    if (fault !== undefined) return fault
    if (open.length > MAX_DEPTH) return `the body is nested deeper than ${MAX_DEPTH}`
  }
  return undefined
}

function memberFault(key: string, keys: Set<string> | undefined): string | undefined {
  if (key === '__proto__') return 'a member is called __proto__'
  if (keys?.has(key) === true) return `duplicate member ${key.slice(0, 60)}`
  keys?.add(key)
  return undefined
}

/** The texts of a request that a handler reads. */
interface RequestText {
  readonly query: string
  readonly body: string
}

interface RouteMatch {
  readonly name: string
  readonly route: Route
}

export const takesBody = ({ method }: Route): boolean => method !== 'GET' && method !== 'DELETE'
export const hasJsonBody = ({ body }: Pick<RequestText, 'body'>, route: Route): boolean =>
  takesBody(route) && body !== ''

interface RequestInput extends JsonBody {
  readonly query: Readonly<Record<string, unknown>>
}

/** Reads the query and the body. */
export function inputOf(
  request: RequestText,
  { route }: Pick<RouteMatch, 'route'>,
): RequestInput | Malformed {
  const query = parseQuery(request.query)
  const unknown = unknownParameters(route, query)
  if (unknown.length > 0) return { malformed: unknown }
  const { request: form, isRequestOptional } = route
  const parsed = hasJsonBody(request, route)
    ? parseJson(request.body)
    : { value: isRequestOptional === true ? {} : undefined }
  return 'fault' in parsed ? { malformed: [badBody(parsed.fault)] } : { query, body: parsed.value, form }
}

/** Slow work of a route, which must hold neither a transaction nor the turn of the account. */
export async function prepare(
  request: RequestText & { readonly networks: ApiNetworks },
  match: RouteMatch,
  {
    caller,
    changePassword,
    service,
    now,
  }: {
    readonly caller: Caller | undefined
    readonly changePassword: ChangePassword
    readonly service: Pick<ApiService, 'secondFactors'>
    readonly now: () => Instant
  },
): Promise<Prepared> {
  const { route } = match
  if (route.prepare === undefined || caller === undefined) return {}
  const input = inputOf(request, match)
  if ('malformed' in input) return input
  const newPasskey: UnpreparedRequest['newPasskey'] = async (id, credential) =>
    service.secondFactors.newPasskey(id, credential, now())
  const { body, form } = input
  return route.prepare({ caller, body, form, networks: request.networks, changePassword, newPasskey })
}
