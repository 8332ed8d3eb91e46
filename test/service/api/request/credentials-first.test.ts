import { once } from 'node:events'
import { type IncomingMessage, request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Route } from '../../../../src/service/api/route.ts'
import { ROUTES } from '../../../../src/service/api/routes.ts'
import { MAX_BODY_BYTES } from '../../../../src/service/http/listen.ts'
import { apiWorld, type World } from '../world.ts'

// No request here changes anything: each is refused.
let world: World
beforeAll(async () => void (world = await apiWorld()))
afterAll(async () => world.close())

/** A body above the limit of every operation but an import, and above that of an import: 4 MiB (docs/api.md). */
const LARGE = `"${'x'.repeat(MAX_BODY_BYTES)}"`
const LARGE_FILE = `; ${'x'.repeat(4 * 1024 * 1024)}`

interface Fault {
  readonly what: string
  /** The status for a caller with the right credentials. */
  readonly status: number
  readonly path?: (path: string) => string
  readonly type?: string
  readonly body?: string | ((route: Route) => string)
  /** Of which operations it is a fault. */
  readonly concerns: (route: Route) => boolean
}

const writes = ({ method }: Route): boolean => ['POST', 'PUT', 'PATCH'].includes(method)

const FAULTS: readonly Fault[] = [
  { what: 'another media type', status: 415, type: 'image/png', body: '{}', concerns: writes },
  {
    what: 'a body that is too large',
    status: 413,
    body: ({ takesFile }) => (takesFile === true ? LARGE_FILE : LARGE),
    concerns: () => true,
  },
  {
    what: 'JSON that does not end',
    status: 400,
    body: '{"a":',
    concerns: (route) => writes(route) && route.takesFile !== true,
  },
  {
    what: 'a path that cannot be decoded',
    status: 400,
    path: (path) => path.replace(/\{\w+\}/, '%zz'),
    concerns: ({ path }) => path.includes('{'),
  },
]

/** Something for each parameter: nothing is looked up before the fault. */
const filled = (path: string): string => path.replaceAll(/\{\w+\}/g, '1')

async function statusOf(route: Route, fault: Fault, authorization: string | undefined): Promise<number> {
  const { path = (same: string) => same, type, body } = fault
  const usual = route.takesFile === true ? 'text/dns' : 'application/json'
  const content = typeof body === 'function' ? body(route) : body
  // fetch sends no GET with a body.
  const sent = httpRequest(`${world.url}/v1${filled(path(route.path))}`, {
    method: route.method,
    headers: {
      ...(authorization !== undefined && { authorization }),
      ...(content !== undefined && {
        'content-type': type ?? usual,
        'content-length': Buffer.byteLength(content),
      }),
    },
  })
  // The service closes the connection of a body that is too large before its end.
  sent.on('error', () => undefined)
  sent.end(content)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.resume()
  const { statusCode = 0, headers } = response
  // RFC 9110 §15.5.2: a 401 says how to come in.
  return statusCode === 401 && headers['www-authenticate'] === undefined ? Number.NaN : statusCode
}

/** What is no login. A wrong password goes the same way, but costs a slow hash each time: once below. */
const NO_LOGINS = [
  ['without credentials', undefined],
  ['with an API key that is none', 'Bearer nobody'],
  ['with a scheme that is none', 'Digest username="a"'],
] as const

const CLOSED = Object.entries<Route>(ROUTES).filter(([, { isOpen }]) => isOpen !== true)
const CASES = CLOSED.flatMap(([name, route]) =>
  FAULTS.filter(({ concerns }) => concerns(route)).map((fault) => [name, fault.what, route, fault] as const),
)

describe('an operation that needs credentials is 401', () => {
  it('for every operation but that of the name and the version', () =>
    expect(Object.keys(ROUTES).filter((name) => !CLOSED.some(([one]) => one === name))).toEqual(['about']))

  it('and each fault concerns some operation', () =>
    expect(
      FAULTS.filter(({ what }) => !CASES.some(([, one]) => one === what)).map(({ what }) => what),
    ).toEqual([]))

  it.each(CASES)('%s, with %s: whatever is no login', async (_name, _what, route, fault) => {
    const seen: Record<string, number> = {}
    for (const [what, authorization] of NO_LOGINS) seen[what] = await statusOf(route, fault, authorization)
    expect(seen).toEqual(Object.fromEntries(NO_LOGINS.map(([what]) => [what, 401])))
  })

  it.each(FAULTS.map((fault) => [fault.what, fault] as const))(
    'with %s: and a wrong password',
    async (_, fault) => {
      const route = fault.path === undefined ? ROUTES.createZone : ROUTES.getZone
      const wrong = `Basic ${Buffer.from('a:wrong').toString('base64')}`
      expect(await statusOf(route, fault, wrong)).toBe(401)
    },
  )
})

describe('with the right credentials', () => {
  const OWN = CASES.filter(([, , { tag }]) => tag !== 'Operator')

  it.each(OWN)('%s, with %s: is refused as before', async (_name, _what, route, fault) => {
    expect(await statusOf(route, fault, 'Bearer key-of-a')).toBe(fault.status)
  })
})

it('the operation that is open takes no offence at wrong credentials', async () => {
  const headers = { authorization: 'Bearer nobody' }
  expect((await fetch(`${world.url}/v1/dns/about`, { headers })).status).toBe(200)
})
