import type { Instant } from '../../shared/base/time.ts'
import { refuse } from '../model/errors.ts'
import type { Audit } from '../model/audit.ts'
import { type Caller, doorOf } from '../rules/permission.ts'
import type { Store, StoreWrites } from '../store/store.ts'
import { type ApiDescription, descriptionAt } from './docs/description.ts'
import { isNotModified } from './answer/entity-tag.ts'
import { hasJsonBody, inputOf, prepare, takesBody } from './request/input.ts'
import { readDryRun } from './query/query.ts'
import { isPassing, StoreBusy } from '../store/errors.ts'
import { plainError, render, type Rendered } from './answer/render.ts'
import {
  type ApiNetworks,
  type ApiService,
  type ChangePassword,
  type HandlerResult,
  type InTurn,
  refused,
  type RequestContext,
  type Success,
  type Turn,
} from './request/context.ts'
import { type FaultIdentity, faulty, REQUEST_FAULTS, type RequestFaultName } from './request/faults.ts'
import { importEntry, replacementResult, type ReplaceZone, runLongRoute } from './long-routes.ts'
import { isAccountChange, type Method, type Route } from './route.ts'
import { previewOf, undone } from './writing/preview.ts'
import { requestSubject, trailHead, withTrail } from './writing/recorded.ts'
import { asciiName } from '../model/dns-name.ts'
import { ROUTES } from './routes.ts'
import { preconditionFault } from './answer/precondition.ts'

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

/** The operation of a request, with the values in its path as they are sent. */
interface Match {
  readonly name: string
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
}

const NO_MATCH: Match = { name: '', route: ROUTES.about, params: {} }
const NO_RESULT = { status: 200 } as const

const PATTERNS = Object.entries(ROUTES).map(([name, route]: [string, Route]) => ({
  name,
  route,
  pattern: new RegExp(`^/v1${route.path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}/?$`),
}))

/** The route, or the methods of this path. */
function findRoute(method: string, path: string): Match | readonly Method[] {
  const matching = PATTERNS.flatMap(({ name, route, pattern }) => {
    const match = pattern.exec(path)
    return match === null ? [] : [{ name, route, params: { ...match.groups } }]
  })
  const exact = matching.find(({ route }) => route.method === method)
  return exact ?? matching.map(({ route }) => route.method)
}

const NAME_PARAMS: ReadonlySet<string> = new Set(['zone_name', 'name'])

/** Decodes percent-encoding, and writes names in ASCII; undefined if it is invalid. */
function decodedParams(
  params: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> | undefined {
  try {
    return Object.fromEntries(
      Object.entries(params).map(([key, value]) => {
        const text = decodeURIComponent(value)
        if (text.includes('\0')) throw new URIError('no name contains U+0000')
        return [key, NAME_PARAMS.has(key) ? asciiName(text) : text]
      }),
    )
  } catch {
    return undefined
  }
}

/** A request to the management API. */
interface ApiRequest {
  readonly method: string
  /** Without query. */
  readonly path: string
  readonly query: string
  readonly authorization: string | undefined
  readonly contentType?: string | undefined
  readonly contentEncoding?: string | undefined
  readonly ifMatch?: string | undefined
  readonly ifNoneMatch?: string | undefined
  readonly body: string
  /** It was dropped. */
  readonly isTooLarge?: boolean | undefined
  /** For a body with a limit of its own; undefined if it is too large, or the client is gone. */
  readonly readLong?: (() => Promise<readonly Uint8Array[] | undefined>) | undefined
  readonly networks: ApiNetworks
  readonly isGone?: (() => boolean) | undefined
}

/** Identifies the caller; `retryAfter` in seconds if the password was not checked. */
type Identify = (
  authorization: string | undefined,
  networks: ApiNetworks,
) => Promise<Caller | undefined | { readonly retryAfter: number }>

export interface ApiDependencies {
  readonly store: Store
  readonly identify: Identify
  readonly changePassword: ChangePassword
  readonly service: ApiService
  readonly description: ApiDescription
  readonly now: () => Instant
  /** Seconds until the account may make another rate-limited request; undefined if it may now. */
  readonly rateLimit: (accountId: number) => Promise<number | undefined>
  readonly inTurn: InTurn
  readonly replaceZone: ReplaceZone
  readonly reportError: (error: unknown) => void
  readonly audit: Audit
}

export const isApiPath = (path: string): boolean => path === '/v1' || path.startsWith('/v1/')

/** A request on its way: each phase adds what the later ones need. */
class ApiCall {
  readonly dependencies: ApiDependencies
  readonly request: ApiRequest
  match: Match = NO_MATCH
  /** Undefined on a route without credentials. */
  caller: Caller | undefined
  prepared: ReadRequest['prepared'] = {}
  result: Awaited<ReturnType<typeof runRoute>> = NO_RESULT

  constructor(dependencies: ApiDependencies, request: ApiRequest) {
    this.dependencies = dependencies
    this.request = request
  }

  /** A program with a key of the account must not use up the turns of a person who acts against it. */
  get isPerson(): boolean {
    return this.caller?.sessionId !== undefined && this.caller.apiKeyId === undefined
  }

  get turn(): Turn {
    const { route } = this.match
    const { networks, isGone } = this.request
    return {
      kind: route.method === 'GET' || route.isLong ? 'read' : 'write',
      key: this.caller === undefined ? `network ${networks.share}` : `account ${this.caller.account.name}`,
      isGone,
    }
  }
}

/** The answer, which ends the request; undefined where it goes on. */
type Phase = (call: ApiCall) => Rendered | undefined | Promise<Rendered | undefined>

/** Every check of a request, in their order: what is refused first hides what would be refused later. */
// biome-ignore format: a table
const PHASES: readonly (readonly [name: string, phase: Phase])[] = [
  ['the description of the API itself',                                   describeApi],
  ['the path (404) and the method (405)',                                 findOperation],
  ['credentials, and the lockout after failed ones (401, 429)',           identifyCaller],
  ['the door: second factor, suspension, website only (403)',             checkDoor],
  ['the rate limit of the account, for what makes secrets (429)',         checkRate],
  ['the parameters in the path (400)',                                    decodePath],
  ['the size of the body (413), its media type and encoding (415)',        checkBody],
  ['slow work of the operation, outside of the transaction',              prepareCall],
  ['the turn of the account (503); query, JSON, If-Match, handler',         runInTurn],
  ['what is stored in steps, or sent, after the transaction',             finish],
]

/** From request to response. */
export async function handleApi(dependencies: ApiDependencies, request: ApiRequest): Promise<Rendered> {
  const call = new ApiCall(dependencies, request)
  try {
    return (await firstAnswer(call)) ?? notModified(request, render(call.result))
  } catch (error) {
    dependencies.reportError(error)
    if (!isPassing(error)) return plainError(REQUEST_FAULTS.internalError)
    const fault = error instanceof StoreBusy ? REQUEST_FAULTS.storeBusy : REQUEST_FAULTS.storeAway
    return plainError(fault, { headers: { 'retry-after': RETRY_AFTER } })
  }
}

async function firstAnswer(call: ApiCall): Promise<Rendered | undefined> {
  for (const [, phase] of PHASES) {
    const outcome = phase(call)
    const answer = outcome instanceof Promise ? await outcome : outcome
    if (answer !== undefined) return answer
  }
  return undefined
}

/** Only reads have a tag: that of a write would belong to the state before it. */
const notModified = ({ ifNoneMatch }: ApiRequest, rendered: Rendered): Rendered =>
  rendered.status === 200 && isNotModified(ifNoneMatch, rendered.headers['etag'])
    ? { ...rendered, status: 304, body: undefined }
    : rendered

/** In seconds: a standby takes over in less, where one does. */
const RETRY_AFTER = '5'

function describeApi({ dependencies, request }: ApiCall): Rendered | undefined {
  return descriptionAt(dependencies.description, request)
}

function findOperation(call: ApiCall): Rendered | undefined {
  const { method, path } = call.request
  const match = findRoute(method === 'HEAD' ? 'GET' : method, path)
  if ('route' in match) call.match = match
  else
    return match.length === 0
      ? plainError(REQUEST_FAULTS.pathUnknown)
      : plainError(REQUEST_FAULTS.methodNotAllowed, { headers: { allow: allowed(match).join(', ') } })
  return undefined
}

/** What answers GET answers HEAD. */
export const allowed = (methods: readonly Method[]): readonly string[] =>
  methods.flatMap((one) => (one === 'GET' ? ['GET', 'HEAD'] : [one]))

function mediaTypeFault(request: ApiRequest, route: Route): FaultIdentity | undefined {
  if (route.takesFile) return isFile(request) ? undefined : REQUEST_FAULTS.zoneFileExpected
  return hasJsonBody(request, route) && !isJson(request) ? REQUEST_FAULTS.mediaTypeUnsupported : undefined
}

const isFile = ({ contentType = 'text/dns' }: ApiRequest): boolean =>
  /^text\/(dns|plain)\s*(;|$)/i.test(contentType)
const isJson = ({ contentType }: ApiRequest): boolean =>
  contentType === undefined || /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(contentType)

async function identifyCaller(call: ApiCall): Promise<Rendered | undefined> {
  const { dependencies, request, match } = call
  if (match.route.isOpen) return undefined
  const caller = await dependencies.identify(request.authorization, request.networks)
  if (caller === undefined) return render(refused(refuse('unauthorized')))
  if ('retryAfter' in caller) return render(faulty('tooManyFailedLogins', { retryAfter: caller.retryAfter }))
  call.caller = caller
  return undefined
}

function checkDoor({ caller, dependencies, match }: ApiCall): Rendered | undefined {
  const answer = caller === undefined ? 'open' : doorOf(caller)
  const { contact } = dependencies.service
  if (answer === 'passwordAlone') return render(faulty('secondFactorMissing'))
  if (answer === 'suspended')
    return render(faulty('accountSuspended', contact === undefined ? {} : { detail: contact }))
  return answer === 'websiteOnly' && isAccountChange(match.route)
    ? render(faulty('accountWebsiteOnly'))
    : undefined
}

function checkRate(call: ApiCall): ReturnType<Phase> {
  const { caller, match, isPerson } = call
  return match.route.isRateLimited && caller !== undefined && !isPerson ? rateFault(call, caller) : undefined
}

async function rateFault({ dependencies }: ApiCall, { account }: Caller): Promise<Rendered | undefined> {
  const wait = await dependencies.rateLimit(account.id)
  return wait === undefined ? undefined : render(faulty('tooManyRequests', { retryAfter: wait }))
}

function decodePath(call: ApiCall): Rendered | undefined {
  const params = decodedParams(call.match.params)
  if (params === undefined)
    return plainError(REQUEST_FAULTS.pathInvalid, {
      detail: 'it has invalid percent-encoding, or %00, which no name has',
    })
  call.match = { ...call.match, params }
  return undefined
}

function checkBody({ request, match }: ApiCall): Rendered | undefined {
  if (request.isTooLarge === true) return plainError(REQUEST_FAULTS.bodyTooLarge)
  const unsupported = mediaTypeFault(request, match.route)
  if (unsupported !== undefined) return plainError(unsupported)
  const contentEncoding = request.contentEncoding?.trim() || 'identity'
  return contentEncoding.toLowerCase() === 'identity' || !takesBody(match.route)
    ? undefined
    : plainError(
        match.route.takesFile ? REQUEST_FAULTS.zoneFileExpected : REQUEST_FAULTS.mediaTypeUnsupported,
        {
          detail: `send it without Content-Encoding: it is ${contentEncoding.slice(0, 40)}`,
        },
      )
}

/** Most operations have none, and cost no promise. */
function prepareCall(call: ApiCall): ReturnType<Phase> {
  return call.match.route.prepare === undefined || call.caller === undefined ? undefined : prepareBy(call)
}

async function prepareBy(call: ApiCall): Promise<Rendered | undefined> {
  const { request, match, caller, dependencies } = call
  const prepared = await prepare(request, match, { caller, ...dependencies })
  if ('malformed' in prepared) return render(prepared)
  call.prepared = prepared
  return undefined
}

async function runInTurn(call: ApiCall): Promise<Rendered | undefined> {
  const { request, match, caller, dependencies, prepared, turn } = call
  // Files have lines of their own: few are held at a time, and a slow client holds up no other request of its account.
  const line = match.route.takesFile ? { ...turn, key: `import of ${turn.key}` } : turn
  const taken = await dependencies.inTurn(line, async () => {
    const parts = match.route.takesFile ? await request.readLong?.() : []
    return parts && runRoute(dependencies, request, { ...match, caller, prepared, parts })
  })
  if ('retryAfter' in taken) return render(faulty('overShare', { retryAfter: taken.retryAfter }))
  if (taken.value === undefined) return plainError(REQUEST_FAULTS.bodyTooLarge)
  call.result = taken.value
  return undefined
}

function finish(call: ApiCall): ReturnType<Phase> {
  const { result } = call
  return 'status' in result && (result.later ?? result.replacement) !== undefined
    ? finishBy(call, result)
    : undefined
}

async function finishBy(call: ApiCall, result: Success<RequestFaultName>): Promise<undefined> {
  const { request, match, caller, dependencies, turn } = call
  call.result = await finishedResult(dependencies, request, { ...match, caller, turn, result })
}

interface AdmittedRequest extends Match {
  readonly caller: Caller | undefined
}

interface ReadRequest extends AdmittedRequest {
  readonly prepared: Pick<RequestContext, 'passwordChange' | 'passkey'>
  /** Of a body that is a file. */
  readonly parts: readonly Uint8Array[]
}

/** Stores what a long route has planned, each step in its turn: other writes of the account go on between them. */
async function finishedResult(
  dependencies: ApiDependencies,
  { networks: { peer } }: ApiRequest,
  {
    name,
    caller = ANONYMOUS,
    turn,
    result,
  }: AdmittedRequest & { readonly turn: Turn; readonly result: Success<RequestFaultName> },
): Promise<HandlerResult<'nameChangeProhibited', RequestFaultName>> {
  const { replacement, later } = result
  if (later !== undefined) return later()
  if (replacement === undefined) return result
  const outcome = await dependencies.replaceZone(replacement, {
    // It goes on without its client.
    inTurn: async (step) => dependencies.inTurn({ ...turn, kind: 'write', isGone: undefined }, step),
    entry: importEntry(trailHead(caller, { at: dependencies.now(), peer, operation: name }), replacement),
  })
  if (outcome === 'replaced')
    dependencies.audit({
      kind: 'changed',
      operation: name,
      account: caller.account.name,
      apiKey: caller.apiKeyId,
      subject: replacement.zone.name,
      peer,
    })
  return replacementResult(result, outcome)
}

async function runRoute(
  dependencies: ApiDependencies,
  request: ApiRequest,
  { name, route, params, caller, parts, prepared }: ReadRequest,
): Promise<HandlerResult<'unauthorized'> | Awaited<ReturnType<Route['handle']>>> {
  const input = inputOf(request, { route })
  if ('malformed' in input) return input
  const context = {
    caller: caller ?? ANONYMOUS,
    operation: name,
    parameters: route.query ?? {},
    params,
    ...input,
    ...prepared,
    now: dependencies.now(),
    service: dependencies.service,
  }
  if (route.isLong)
    return runLongRoute(dependencies.store, context, { route, parts, ifMatch: request.ifMatch })
  // A write checks and changes in one transaction. A read needs none and does not wait for writes.
  if (route.method === 'GET')
    return dependencies.store.read(async (reading) =>
      route.handle({ ...context, store: reading as Parameters<Route['handle']>[0]['store'] }),
    )
  const isDryRun = readDryRun(context)
  if ('malformed' in isDryRun) return isDryRun
  const { now: at } = context
  const work = async (w: StoreWrites) =>
    withTrail(w, {
      entry: {
        ...trailHead(context.caller, { at, peer: request.networks.peer, operation: name }),
        // Operations of operators have no secrets, and no RRSets that would tell what they did.
        ...(route.tag === 'Operator' && request.body !== '' && { after: request.body.slice(0, MAX_TRAILED) }),
      },
      work: async (store) =>
        (await preconditionFault({ ...context, store }, request)) ?? route.handle({ ...context, store }),
      subjectOf: ({ data }) => requestSubject(context, data),
    })
  if (isDryRun.value) return previewOf(await undone(dependencies.store, work))
  const { result, changes } = await dependencies.store.write(work)
  if ('status' in result && changes.length > 0)
    dependencies.audit({
      kind: 'changed',
      operation: name,
      account: context.caller.account.name,
      apiKey: context.caller.apiKeyId,
      subject: requestSubject(context, result.data),
      peer: request.networks.peer,
    })
  return result
}

/** In characters, of a request in the trail. */
const MAX_TRAILED = 1000
