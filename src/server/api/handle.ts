import type { Instant } from '../../base/time.ts'
import { refuse } from '../errors/errors.ts'
import type { Audit } from '../model/audit.ts'
import { asciiName } from '../model/idn.ts'
import type { Caller } from '../rules/access.ts'
import type { Store } from '../store/store.ts'
import { isNotModified, preconditionFault } from './answer/entity-tag.ts'
import { hasBody, inputOf, prepare } from './request/input.ts'
import { isPassing, StoreBusy } from '../store/errors.ts'
import { plainError, type Rendered, render } from './answer/render.ts'
import {
  type ApiNetworks,
  type ApiService,
  type ChangePassword,
  type HandlerResult,
  refused,
  type RequestContext,
  type Success,
} from './request/context.ts'
import { trailHead, withTrail } from './writing/with-trail.ts'
import { REQUEST_FAULTS } from './request/faults.ts'
import { isAccountChange, type Method, type Route } from './route.ts'
import { ROUTES } from './routes.ts'

/** A request to the management API. */
interface ApiRequest {
  readonly method: string
  /** Without query. */
  readonly path: string
  readonly query: string
  readonly authorization: string | undefined
  readonly contentType: string | undefined
  readonly ifMatch: string | undefined
  readonly ifNoneMatch: string | undefined
  readonly body: string
  readonly networks: ApiNetworks
  readonly isGone?: (() => boolean) | undefined
}

/** Identifies the caller; `retryAfter` in seconds if the password was not checked. */
type Identify = (
  authorization: string | undefined,
  networks: ApiNetworks,
) => Promise<Caller | undefined | { readonly retryAfter: number }>

/** Whose request this is: of an account, or of a network without one. */
interface Turn {
  readonly kind: 'read' | 'write'
  readonly key: string
  readonly isGone: (() => boolean) | undefined
}

/**
 * Begins the work of a request when its key has its turn; seconds to wait if it was not begun, because too much of that
 * key waits.
 */
export type InTurn = <T>(
  turn: Turn,
  work: () => Promise<T>,
) => Promise<{ readonly value: T } | { readonly retryAfter: number }>

export interface ApiDependencies {
  readonly store: Store
  readonly identify: Identify
  readonly changePassword: ChangePassword
  readonly service: ApiService
  /** The description of this API, as JSON. */
  readonly document: () => string
  readonly now: () => Instant
  /** Seconds until the account may make another rate-limited request; undefined if it may now. */
  readonly rateLimit: (accountId: number) => Promise<number | undefined>
  readonly inTurn: InTurn
  readonly reportError: (error: unknown) => void
  readonly audit: Audit
}

export const isApiPath = (path: string): boolean => path === '/v1' || path.startsWith('/v1/')

interface Match {
  readonly name: string
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
}

const PATTERNS = Object.entries(ROUTES).map(([name, route]: [string, Route]) => ({
  name,
  route,
  pattern: new RegExp(`^/v1${route.path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}/?$`),
}))

/** The route, or the methods of this path. */
function find(method: string, path: string): Match | readonly Method[] {
  const matching = PATTERNS.flatMap(({ name, route, pattern }) => {
    const match = pattern.exec(path)
    return match === null ? [] : [{ name, route, params: { ...match.groups } }]
  })
  const exact = matching.find(({ route }) => route.method === method)
  return exact ?? matching.map(({ route }) => route.method)
}

const NAME_PARAMS: ReadonlySet<string> = new Set(['zone_name', 'name'])

/** Decodes percent-encoding, and writes names in ASCII; undefined if it is invalid. */
function decoded(params: Readonly<Record<string, string>>): Readonly<Record<string, string>> | undefined {
  try {
    return Object.fromEntries(
      Object.entries(params).map(([key, value]) => {
        const text = decodeURIComponent(value)
        return [key, NAME_PARAMS.has(key) ? asciiName(text) : text]
      }),
    )
  } catch {
    return undefined
  }
}

/**
 * From request to response. Precedence: route, path and media type, credentials, rate
 * limit, syntax of the body, then the checks of the handler.
 */
export async function handleApi(dependencies: ApiDependencies, request: ApiRequest): Promise<Rendered> {
  try {
    if (request.path === '/v1/openapi.json' && (request.method === 'GET' || request.method === 'HEAD'))
      return request.query === ''
        ? { status: 200, body: dependencies.document(), headers: {} }
        : plainError(REQUEST_FAULTS.queryInvalid, { detail: 'the document has no parameters' })
    const match = find(request.method === 'HEAD' ? 'GET' : request.method, request.path)
    if (!('route' in match)) return routeError(match)
    const params = decoded(match.params)
    if (params === undefined)
      return plainError(REQUEST_FAULTS.pathInvalid, { detail: 'invalid percent-encoding' })
    if (hasBody(request, match.route) && !isJson(request))
      return plainError(REQUEST_FAULTS.mediaTypeUnsupported)
    const admitted = await admit(dependencies, request, match.route)
    if ('malformed' in admitted || 'refusals' in admitted) return render(admitted)
    const { caller } = admitted
    const prepared = await prepare(request, match, { caller, ...dependencies })
    if ('malformed' in prepared) return render(prepared)
    const turn: Turn = {
      kind: match.route.method === 'GET' ? 'read' : 'write',
      key: caller === undefined ? `network ${request.networks.share}` : `account ${caller.account.name}`,
      isGone: request.isGone,
    }
    const taken = await dependencies.inTurn(turn, async () =>
      render(await runRoute(dependencies, request, { ...match, params, caller, prepared })),
    )
    if ('retryAfter' in taken)
      return render({ malformed: [{ ...REQUEST_FAULTS.overShare, retryAfter: taken.retryAfter }] })
    const { value: rendered } = taken
    // Only reads have a tag: that of a write would belong to the state before it.
    const isSame = rendered.status === 200 && isNotModified(request.ifNoneMatch, rendered.headers['etag'])
    return isSame ? { ...rendered, status: 304, body: undefined } : rendered
  } catch (error) {
    dependencies.reportError(error)
    if (!isPassing(error)) return plainError(REQUEST_FAULTS.internalError)
    const fault = error instanceof StoreBusy ? REQUEST_FAULTS.storeBusy : REQUEST_FAULTS.storeAway
    return plainError(fault, { headers: { 'retry-after': RETRY_AFTER } })
  }
}

/** In seconds: a standby takes over in less, where one does. */
const RETRY_AFTER = '5'

const routeError = (methods: readonly Method[]): Rendered =>
  methods.length === 0
    ? plainError(REQUEST_FAULTS.pathUnknown)
    : plainError(REQUEST_FAULTS.methodNotAllowed, { headers: { allow: methods.join(', ') } })

const isJson = ({ contentType }: ApiRequest): boolean =>
  contentType === undefined || /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(contentType)

/** The caller, undefined on routes without a login; or why the request is refused. */
async function admit(
  dependencies: ApiDependencies,
  request: ApiRequest,
  route: Route,
): Promise<{ readonly caller: Caller | undefined } | Exclude<HandlerResult<'unauthorized'>, Success>> {
  const caller = route.isOpen
    ? undefined
    : await dependencies.identify(request.authorization, request.networks)
  if (caller !== undefined && 'retryAfter' in caller)
    return {
      malformed: [{ ...REQUEST_FAULTS.tooManyFailedLogins, retryAfter: caller.retryAfter }],
    }
  if (caller === undefined && !route.isOpen) return refused(refuse('unauthorized'))
  if (caller?.account.isSuspended === true) return { malformed: [REQUEST_FAULTS.accountSuspended] }
  if (caller?.account.isWebsiteOnly === true && isAccountChange(route))
    return { malformed: [REQUEST_FAULTS.accountWebsiteOnly] }
  const wait =
    route.isRateLimited && caller !== undefined ? await dependencies.rateLimit(caller.account.id) : undefined
  if (wait !== undefined) return { malformed: [{ ...REQUEST_FAULTS.tooManyRequests, retryAfter: wait }] }
  return { caller }
}

interface Ready extends Match {
  readonly caller: Caller | undefined
  readonly prepared: Pick<RequestContext, 'passwordChange'>
}

async function runRoute(
  dependencies: ApiDependencies,
  request: ApiRequest,
  { name, route, params, caller, prepared }: Ready,
): Promise<HandlerResult<'unauthorized'> | Awaited<ReturnType<Route['handle']>>> {
  const input = inputOf(request, { name, route })
  if ('malformed' in input) return input
  const context = {
    caller: caller ?? ANONYMOUS,
    params,
    ...input,
    ...prepared,
    now: dependencies.now(),
    service: dependencies.service,
  }
  // A write checks and changes in one transaction. A read needs none and does not wait for writes.
  if (route.method === 'GET')
    return dependencies.store.read(async (reading) =>
      route.handle({ ...context, store: reading as Parameters<Route['handle']>[0]['store'] }),
    )
  const { result, changes } = await dependencies.store.write(async (w) => {
    const { now: at } = context
    return withTrail(w, {
      entry: trailHead(context.caller, { at, peer: request.networks.peer, operation: name }),
      work: async (store) =>
        (await preconditionFault({ ...context, store }, request.ifMatch)) ??
        route.handle({ ...context, store }),
      subjectOf: ({ data }) => subjectOf(context, data),
    })
  })
  if ('status' in result && changes.length > 0)
    dependencies.audit({
      kind: 'changed',
      operation: name,
      account: context.caller.account.name,
      apiKey: context.caller.apiKeyId,
      subject: subjectOf(context, result.data),
      peer: request.networks.peer,
    })
  return result
}

/** What a request changed: the values of its path, else what it made, else the account. */
function subjectOf(
  { caller, params, body }: Pick<RequestContext, 'caller' | 'params' | 'body'>,
  data: unknown,
): string {
  const made = { ...(body as object | undefined), ...(data as object | undefined) } as Readonly<
    Record<string, unknown>
  >
  const named = [made['zone_name'], made['name'], made['username']].filter((one) => typeof one === 'string')
  const all = [...Object.values(params), ...named]
  if (all.length > 0) return all.join(' ')
  // An API key has no name.
  return typeof made['id'] === 'number' ? String(made['id']) : caller.account.name
}

/** For the one route without credentials. */
const ANONYMOUS: Caller = {
  account: {
    id: 0,
    name: '',
    isWebsiteOnly: false,
    isSuspended: false,
    plan: {
      name: '',
      maxNames: 0,
      maxRdata: 0,
      maxKeys: 0,
      maxNameMetadata: 0,
      maxRRSetMetadata: 0,
      minTtl: 0,
      hasOffline: false,
      hasWildcards: false,
    },
  },
  isReadOnly: true,
}
