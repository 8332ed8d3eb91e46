import { createHash, timingSafeEqual } from 'node:crypto'
import { PAGE_HEADERS } from '../../shared/html/html.ts'
import {
  CONTENT_TYPE,
  exposition,
  type MetricFamily,
  PROMETHEUS_TYPE,
  prometheusText,
} from '../../shared/base/exposition.ts'
import { after, between, seconds } from '../../shared/base/time.ts'
import { PAGE_STYLE } from './style.ts'
import { pageOf, type PageView, updateOf } from './view.ts'
import { parseBasic, type Secret } from '../../shared/base/secret.ts'
import { isSameOrigin, type RequestOrigin } from '../../shared/base/same-origin.ts'
import { type Clock, pause } from '../../shared/ports/clock.ts'
import { PAGE_SCRIPT } from './script.ts'
import type { PageHandler, PageRequest, PageResponse } from '../../shared/platform/http/page-server.ts'
import { parseAddress } from '../../shared/base/address.ts'
import { isLoopbackHost } from '../../shared/base/network.ts'

/**
 * Whether the Host header (RFC 9110 §7.2) names this page. Another name means that a name of the attacker leads here (DNS
 * rebinding), and a browser would let the attacker's page read this one. An address cannot lead elsewhere (decision 0038).
 */
export function isOwnHost(host: string | undefined, names: readonly string[]): boolean {
  if (host === undefined) return false
  const bare = host.replace(/:\d{1,5}$/, '').toLowerCase()
  return (
    isLoopbackHost(host) || parseAddress(bare.replace(/^\[|\]$/g, '')) !== undefined || names.includes(bare)
  )
}

/** What the page shows and does. */
export interface PageParts {
  readonly view: () => PageView
  readonly metrics: () => readonly MetricFamily[]
  readonly status: () => unknown
  /** Starts a look at the address. */
  readonly look: () => void
  /** A person asks for a look, which may begin some seconds later. */
  readonly asked: () => void
  /** The first event of a stream: the whole page. */
  readonly opened: () => object
  readonly resume: (account: string) => Promise<void>
  readonly clock: Clock
}

interface PageGuard {
  /** Names by which browsers may open the page, in addition to loopback. */
  readonly hosts: readonly string[]
  readonly password: Secret | undefined
}

const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const HEADERS = {
  'content-security-policy': POLICY,
  ...PAGE_HEADERS,
}

/** A guess takes at least this long, and looks happen at most this often. */
const WRONG_PASSWORD_DELAY = seconds(1)
const LOOK_INTERVAL = seconds(10)
/** Passwords that wait for each other: of one address, and addresses that have some. */
const MAX_GUESSES = 4
const MAX_GUESSERS = 1000

const respond = (status: number, type: string, body: string): PageResponse => ({
  status,
  headers: { ...HEADERS, 'content-type': type },
  body,
})
const refuse = (status: number, text: string): PageResponse =>
  respond(status, 'text/plain; charset=utf-8', `${text}\n`)
const asJson = (value: unknown): PageResponse =>
  respond(200, 'application/json', `${JSON.stringify(value)}\n`)
const withHeader = (response: PageResponse, name: string, value: string): PageResponse => ({
  ...response,
  headers: { ...response.headers, [name]: value },
})
/** Relative, so that it is right behind any prefix of a proxy (RFC 9110 §10.2.2). */
const SEE_PAGE = withHeader(refuse(303, 'see the page'), 'location', './')

/** The buttons of the page. */
export const ACTION_PATHS = ['/look', '/resume'] as const
type ActionPath = (typeof ACTION_PATHS)[number]
const isActionPath = (path: string): path is ActionPath => ACTION_PATHS.some((one) => one === path)

/** Answers the requests to the page. */
export function pageHandler(parts: PageParts, guard: PageGuard): PageHandler {
  const refusalOf = guarding(guard, parts.clock)
  const look = pacedLook(parts.look, parts.clock)
  const actions: Readonly<Record<ActionPath, (request: PageRequest) => Promise<void>>> = {
    '/look': () => {
      parts.asked()
      return Promise.resolve(look())
    },
    '/resume': async ({ body }) => parts.resume(new URLSearchParams(body).get('account') ?? ''),
  }
  return async (request) => {
    const refused = await refusalOf(request)
    if (refused !== undefined) return refused
    const { method, path, headers } = request
    const action = isActionPath(path) ? actions[path] : undefined
    if (method === 'GET' || method === 'HEAD')
      return action === undefined
        ? pageAt(path)(parts, headers.accept ?? '')
        : withHeader(refuse(405, 'this address is for a button on the page; open /'), 'allow', 'POST')
    if (action === undefined)
      return withHeader(refuse(405, 'only GET, HEAD and POST are supported'), 'allow', 'GET, HEAD')
    if (!isSameOrigin(originOf(headers))) return refuse(403, 'this request comes from another page')
    await action(request)
    return SEE_PAGE
  }
}

const originOf = ({ host, origin, ...headers }: PageRequest['headers']): RequestOrigin => {
  const site = headers['sec-fetch-site']
  return { host, origin, fetchSite: typeof site === 'string' ? site : site?.[0] }
}

/** Looks happen at most once in the interval; one that is asked for too early happens at its end. */
function pacedLook(look: () => void, clock: Clock): () => void {
  let next = clock.now()
  let isWaiting = false
  const now = (): void => {
    isWaiting = false
    next = after(clock.now(), LOOK_INTERVAL)
    look()
  }
  return () => {
    const delay = between(clock.now(), next)
    if (delay <= 0) now()
    else if (!isWaiting) clock.deadline(delay).addEventListener('abort', now)
    isWaiting = delay > 0
  }
}

/** Why a request is refused. */
function guarding(
  { hosts, password }: PageGuard,
  clock: Clock,
): (request: PageRequest) => Promise<PageResponse | undefined> {
  const isRight = password === undefined ? undefined : passwordCheck(password, clock)
  return async (request) => {
    const { method, headers } = request
    if (!isOwnHost(headers.host, hosts))
      return refuse(421, 'this page does not know the name in the address bar; add it to page_hosts')
    if (!['GET', 'HEAD', 'POST'].includes(method))
      return withHeader(refuse(405, 'only GET, HEAD and POST are supported'), 'allow', 'GET, HEAD, POST')
    if (isRight === undefined) return undefined
    if (headers.authorization === undefined) return UNAUTHORIZED
    const answer = await isRight(request)
    if (answer === 'right') return undefined
    return withHeader(answer === 'wrong' ? UNAUTHORIZED : TOO_MANY, 'connection', 'close')
  }
}

const UNAUTHORIZED = withHeader(
  refuse(401, 'a password is needed; the user name may be anything'),
  'www-authenticate',
  'Basic realm="Holdfast", charset="UTF-8"',
)
const TOO_MANY = refuse(429, 'too many wrong passwords from this address; try again in a few seconds')

/**
 * After a wrong password, the next one from the same address waits, on every connection. Few may wait, so that no one is
 * locked out for long, and requests of a connection that has gone do not count.
 */
function passwordCheck(
  password: Secret,
  clock: Clock,
): (request: PageRequest) => Promise<'right' | 'wrong' | 'too many'> {
  const queues = new Map<string, { turn: Promise<void>; waiting: number }>()
  const check = async ({ headers, isGone }: PageRequest): Promise<'right' | 'wrong'> => {
    const given = parseBasic(headers.authorization ?? '')
    if (given !== undefined && isEqual(given.password, password)) return 'right'
    if (!isGone()) await pause(clock, WRONG_PASSWORD_DELAY)
    return 'wrong'
  }
  return async (request) => {
    const queue = queues.get(request.remote) ?? { turn: Promise.resolve(), waiting: 0 }
    if (queue.waiting >= MAX_GUESSES || (queues.size >= MAX_GUESSERS && !queues.has(request.remote)))
      return 'too many'
    queues.set(request.remote, queue)
    queue.waiting += 1
    const answer = queue.turn.then(async () => check(request))
    queue.turn = answer.then(() => undefined)
    const result = await answer
    queue.waiting -= 1
    if (queue.waiting === 0) queues.delete(request.remote)
    return result
  }
}

/** In constant time, whatever the lengths are. */
const isEqual = (a: Secret, b: Secret): boolean => timingSafeEqual(digest(a), digest(b))
const digest = (one: Secret): Buffer => createHash('sha256').update(one.reveal()).digest()

type Page = (parts: PageParts, accept: string) => PageResponse

/** The page and what it loads or offers, by path. */
export const PAGES: Readonly<Record<string, Page>> = {
  '/': ({ view }) => respond(200, 'text/html; charset=utf-8', pageOf(view())),
  '/page.css': () => respond(200, 'text/css; charset=utf-8', PAGE_STYLE),
  '/page.js': () => respond(200, 'text/javascript; charset=utf-8', PAGE_SCRIPT),
  '/view.json': ({ view }) => asJson(updateOf(view())),
  '/status.json': ({ status }) => asJson(status()),
  '/metrics': ({ metrics }, accept) =>
    accept.includes('application/openmetrics-text')
      ? respond(200, CONTENT_TYPE, exposition(metrics()))
      : respond(200, PROMETHEUS_TYPE, prometheusText(metrics())),
  '/events': ({ opened }) => ({
    // Some proxies keep a stream back until it ends.
    ...withHeader(respond(200, 'text/event-stream', firstEvent(opened())), 'x-accel-buffering', 'no'),
    isStream: true,
  }),
}

const firstEvent = (whole: object): string => `retry: 5000\nevent: view\ndata: ${JSON.stringify(whole)}\n\n`

const NO_PAGE: Page = () => refuse(404, 'there is no such page; open /')

const pageAt = (path: string): Page => (Object.hasOwn(PAGES, path) ? (PAGES[path] ?? NO_PAGE) : NO_PAGE)
