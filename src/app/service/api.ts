import type { ServiceSettings } from '../../config/service-settings.ts'
import { systemClock } from '../../platform/clock.ts'
import type { Log } from '../../ports/log.ts'
import { limitsOf } from '../../server/abuse/limits.ts'
import { type ApiDependencies, handleApi } from '../../server/api/handle.ts'
import { identifier } from '../../server/auth/caller.ts'
import { keyedHash, newPassword, newUsername, type Pepper } from '../../server/auth/hashes.ts'
import type { Authenticate } from '../../server/auth/login.ts'
import { networkOf } from '../../server/http/client-address.ts'
import { corsFor, PREFLIGHT } from '../../server/http/cors.ts'
import { rateLimiter } from '../../server/http/rate-limit.ts'
import type { IncomingRequest, OutgoingResponse } from '../../server/http/request.ts'
import type { Store } from '../../server/store/store.ts'
import { logFault } from '../log.ts'

/** The version of the API, which is not that of the program (spec, "Versioning"). */
const API_VERSION = '1.0.0'

interface Parts {
  readonly store: Store
  readonly pepper: Pepper
  readonly authenticate: Authenticate
  readonly log: Log
}

/** The management API of this service: requests in, answers out. */
export function apiOf(
  settings: ServiceSettings,
  { store, pepper, authenticate, log }: Parts,
): (inbound: IncomingRequest) => Promise<OutgoingResponse> {
  const now = () => systemClock.now()
  const gate = { store, pepper, authenticate, now, limits: limitsOf(settings) }
  const secret = () => {
    const password = newPassword()
    return { password, hash: keyedHash(pepper, password) }
  }
  const desk: ApiDependencies = {
    store,
    now,
    identify: identifier(gate),
    rateLimit: rateLimiter(settings.keyRequestLimit, now),
    service: {
      name: 'Holdfast DNS management API',
      version: API_VERSION,
      nameservers: settings.nameservers,
      newPassword: secret,
      newKey: () => ({ username: newUsername(), ...secret() }),
    },
    reportError: (error) => logFault(log, 'a request failed on our side', error),
  }
  return async (inbound) => answered(desk, settings, inbound)
}

async function answered(
  desk: ApiDependencies,
  { corsOrigins }: ServiceSettings,
  inbound: IncomingRequest,
): Promise<OutgoingResponse> {
  const { method, path, query, authorization, contentType, body } = inbound
  const isSent = method === 'POST' || method === 'PUT'
  const cors = corsFor(corsOrigins, inbound.origin)
  if (method === 'OPTIONS' && cors['access-control-allow-origin'] !== undefined)
    return { status: 204, headers: { ...cors, ...PREFLIGHT }, body: '' }
  const {
    status,
    body: answer,
    headers,
  } = isSent && body === undefined
    ? TOO_LARGE
    : await handleApi(desk, {
        method,
        path,
        query,
        authorization,
        contentType,
        body: body ?? '',
        peer: networkOf(inbound.peer),
      })
  return {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...cors, ...headers },
    body: `${JSON.stringify(answer)}\n`,
  }
}

const TOO_LARGE = {
  status: 413,
  headers: {},
  body: { errors: [{ id: 'err_00000413', code: '413', title: 'the body is too large' }], warnings: [] },
}
