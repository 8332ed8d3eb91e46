import type { ServiceSettings } from '../config/service-settings.ts'
import { systemClock } from '../platform/clock.ts'
import type { Log } from '../ports/log.ts'
import { type ApiDesk, handleApi } from '../server/api/handle.ts'
import { identifier } from '../server/auth/caller.ts'
import { type Pepper, keyedHash, newPassword, newUsername } from '../server/auth/hashes.ts'
import type { Authenticate } from '../server/auth/login.ts'
import type { Store } from '../server/store/store.ts'
import type { Inbound, Outbound } from '../server/update/inbound.ts'
import { networkOf } from '../server/update/peer.ts'
import { logFault } from './output.ts'

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
): (inbound: Inbound) => Promise<Outbound> {
  const now = () => systemClock.now()
  const gate = { store, pepper, authenticate, now, mostFailures: settings.badauthLimit }
  const secret = () => {
    const password = newPassword()
    return { password, hash: keyedHash(pepper, password) }
  }
  const desk: ApiDesk = {
    store,
    now,
    identify: identifier(gate),
    ration: rationer(settings.keyRequestLimit, now),
    service: {
      name: 'Holdfast DNS management API',
      version: API_VERSION,
      nameservers: settings.nameservers,
      newPassword: secret,
      newKey: () => ({ username: newUsername(), ...secret() }),
    },
    complain: (error) => logFault(log, 'a request failed on our side', error),
  }
  return async (inbound) => answered(desk, settings, inbound)
}

async function answered(
  desk: ApiDesk,
  { corsOrigins }: ServiceSettings,
  inbound: Inbound,
): Promise<Outbound> {
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

/** Fetch, §3.2: only origins that the operator named; others get no header, and their pages no answer. */
const corsFor = (allowed: readonly string[], origin: string | undefined): Readonly<Record<string, string>> =>
  origin !== undefined && allowed.includes(origin.toLowerCase())
    ? { 'access-control-allow-origin': origin, vary: 'origin' }
    : {}

const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST, PUT, DELETE',
  'access-control-allow-headers': 'authorization, content-type',
  'access-control-max-age': '600',
} as const

const MINUTE = 60_000

/** So many in a minute for each account; the seconds to wait where that is used up. */
function rationer(most: number, now: () => number): (accountId: number) => number | undefined {
  const counts = new Map<number, { count: number; since: number }>()
  return (accountId) => {
    const known = counts.get(accountId)
    const current = known === undefined || now() - known.since >= MINUTE ? { count: 0, since: now() } : known
    if (current.count >= most) return Math.ceil((current.since + MINUTE - now()) / 1000)
    counts.set(accountId, { ...current, count: current.count + 1 })
    return undefined
  }
}
