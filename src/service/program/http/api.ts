import { after, type Instant, milliseconds } from '../../../shared/base/time.ts'
import type { ServiceSettings } from '../../settings/service-settings.ts'
import { steadyClock, systemClock } from '../../../shared/platform/clock/clock.ts'
import { limitsOf } from '../../auth/limits.ts'
import { type ApiDependencies, handleApi } from '../../api/handle.ts'
import type { ApiNetworks, InTurn } from '../../api/request/context.ts'
import { describedOnce } from '../../api/docs/description.ts'
import type { Audit } from '../../model/audit.ts'
import { type CallerDependencies, callerIdentifier } from '../../auth/caller.ts'
import { passwordChanger } from '../../auth/password-change.ts'
import type { PasswordChecker } from '../../auth/login.ts'
import { networkOf, shareOf } from '../../../shared/base/network.ts'
import { rateLimiter } from '../../http/rate-limit.ts'
import type { IncomingRequest, OutgoingResponse } from '../../http/request.ts'
import type { Store } from '../../store/store.ts'
import { apiServiceOf, type ApiServiceParts } from './api-service.ts'
import { zoneReplacer } from '../../admin/store/zone-replacer.ts'

interface ApiParts extends ApiServiceParts {
  readonly store: Store
  readonly passwords: PasswordChecker
  readonly reportFailure: (what: string, error: unknown) => void
  readonly audit: Audit
  readonly inTurn: InTurn
  /** Default: by the clock of the system. */
  readonly now?: () => Instant
}

const readPause = async (): Promise<void> => steadyClock.sleep(after(steadyClock.now(), milliseconds(100)))

/** The management API as one function from request to response. */
export function apiOf(
  settings: ServiceSettings,
  parts: ApiParts,
): (request: IncomingRequest) => Promise<OutgoingResponse> {
  return apiHandler(settings, apiDependencies(settings, parts))
}

export const apiHandler =
  (settings: ServiceSettings, dependencies: ApiDependencies) =>
  async (request: IncomingRequest): Promise<OutgoingResponse> =>
    respond(dependencies, settings, request)

/** What the operations of the API need: for requests by http, and for pages of the console. */
export function apiDependencies(
  settings: ServiceSettings,
  {
    store,
    pepper,
    passwords,
    reportFailure,
    audit,
    requestFlush,
    whenServed,
    inTurn,
    secondaries,
    lateZones,
    delegation,
    sendMail,
    now = () => systemClock.now(),
  }: ApiParts,
): ApiDependencies & { readonly gate: CallerDependencies } {
  const gate = { store, pepper, passwords, audit, now, readPause, limits: limitsOf(settings) }
  const service = apiServiceOf(settings, {
    pepper,
    requestFlush,
    secondaries,
    lateZones,
    delegation,
    proved: async (zone) => {
      await store.write(async (w) => w.setProved(zone))
      requestFlush()
    },
    whenServed,
    sendMail,
  })
  return {
    gate,
    store,
    now,
    service,
    description: describedOnce(service),
    identify: callerIdentifier(gate),
    changePassword: passwordChanger(gate),
    rateLimit: rateLimiter(settings.keyRequestLimit, now, async (...request) =>
      store.countRequest(...request),
    ),
    audit,
    inTurn,
    replaceZone: zoneReplacer(store, requestFlush),
    reportError: (error) => reportFailure('an API request', error),
  }
}

export const networksOf = ({ peer, isProxy }: Pick<IncomingRequest, 'peer' | 'isProxy'>): ApiNetworks => ({
  peer,
  network: isProxy ? undefined : networkOf(peer),
  share: shareOf(peer),
})

async function respond(
  dependencies: ApiDependencies,
  { corsOrigins }: ServiceSettings,
  request: IncomingRequest,
): Promise<OutgoingResponse> {
  const { method, body, readLong } = request
  const hasBody = ['POST', 'PUT', 'PATCH'].includes(method)
  const cors = corsHeaders(corsOrigins, request.origin)
  if (method === 'OPTIONS' && cors['access-control-allow-origin'] !== undefined)
    return { status: 204, headers: { ...cors, ...PREFLIGHT_HEADERS }, body: '' }
  // The listener drops a body above its limit.
  const isTooLarge = request.hasLongBody ?? (hasBody && body === undefined && readLong === undefined)
  const response = await handleApi(dependencies, {
    ...request,
    body: body ?? '',
    isTooLarge,
    networks: networksOf(request),
  })
  return {
    status: response.status,
    headers: {
      ...(response.body !== undefined && { 'content-type': 'application/json' }),
      'cache-control': 'no-store',
      ...cors,
      ...response.headers,
    },
    body: response.body === undefined ? '' : `${jsonOf(response.body)}\n`,
  }
}

/** A body that is text is complete already. */
const jsonOf = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body))

/**
 * Fetch §3.2: headers for the origins that the operator allows. Without
 * them a browser withholds the response from the page.
 */
export const corsHeaders = (
  allowed: readonly string[],
  origin: string | undefined,
): Readonly<Record<string, string>> =>
  origin !== undefined && allowed.includes(origin.toLowerCase())
    ? {
        'access-control-allow-origin': origin,
        'access-control-expose-headers': 'etag, created-labels, retry-after',
        vary: 'origin',
      }
    : {}

export const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers': 'authorization, content-type, if-match, if-none-match',
  'access-control-max-age': '600',
} as const
