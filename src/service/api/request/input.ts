import type { Instant } from '../../../shared/base/time.ts'
import type { Caller } from '../../rules/access.ts'
import { parseQuery, unknownParameters } from '../query/query.ts'
import type { Prepared, Route } from '../route.ts'
import { badBody } from './bodies.ts'
import type { ApiNetworks, ApiService, ChangePassword, RequestFault, UnpreparedRequest } from './context.ts'
import { parseJson } from './json.ts'

/** The texts of a request that a handler reads. */
interface RequestText {
  readonly query: string
  readonly body: string
}

interface RouteMatch {
  readonly name: string
  readonly route: Route
}

export const hasJsonBody = ({ body }: Pick<RequestText, 'body'>, { method }: Route): boolean =>
  method !== 'GET' && method !== 'DELETE' && body !== ''

interface RequestInput {
  readonly query: Readonly<Record<string, unknown>>
  /** Parsed JSON; undefined without a body. */
  readonly body: unknown
}

/** Reads the query and the body. */
export function inputOf(
  request: RequestText,
  { name, route }: RouteMatch,
): RequestInput | { readonly malformed: readonly RequestFault[] } {
  const query = parseQuery(request.query)
  const unknown = unknownParameters(name, query, route.method !== 'GET')
  if (unknown.length > 0) return { malformed: unknown }
  const parsed = hasJsonBody(request, route) ? parseJson(request.body) : { value: undefined }
  return 'fault' in parsed ? { malformed: [badBody(parsed.fault)] } : { query, body: parsed.value }
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
  const work = match.route.prepare
  if (work === undefined || caller === undefined) return {}
  const input = inputOf(request, match)
  if ('malformed' in input) return input
  const newPasskey: UnpreparedRequest['newPasskey'] = async (id, credential) =>
    service.secondFactors.newPasskey(id, credential, now())
  return work({ caller, body: input.body, networks: request.networks, changePassword, newPasskey })
}
