/* What a service may say all day, and what Holdfast may do about it in 24 hours of three hostnames. */

export const ADDRESS = '198.51.100.7'
export const HOSTNAMES = ['a.example.com', 'b.example.com', 'c.example.com']

/** What a connection meets: these bytes for each request, or no answer at all. */
export type Behaviour =
  | { readonly kind: 'answers'; readonly bytes: string }
  | { readonly kind: 'refuses' | 'resets' | 'hangs' }

/** What must hold after the day. Requests that are late are fine, early ones never: each gap has its least minutes. */
export interface Expectation {
  readonly requests: readonly [least: number, most: number]
  /** In minutes; the last one repeats. */
  readonly gaps: readonly number[]
  /** So many of the first gaps are shorter than half an hour. */
  readonly soon: number
  readonly exit: number
  /** Whether the state file holds the address as confirmed; undefined: either will do. */
  readonly isConfirmed?: boolean
}

const ALIVE = 0 // asked to end after the day
const STOPPED = 77

const settled: Expectation = { requests: [1, 1], gaps: [], soon: 0, exit: ALIVE, isConfirmed: true }
const stops: Expectation = { requests: [1, 1], gaps: [], soon: 0, exit: STOPPED, isConfirmed: false }
/** One of the names may be confirmed before another stops the account. */
const stopsMixed: Expectation = { requests: [1, 1], gaps: [], soon: 0, exit: STOPPED }
const waits: Expectation = {
  requests: [6, 9],
  gaps: [30, 60, 120, 240],
  soon: 0,
  exit: ALIVE,
  isConfirmed: false,
}
const waitsForProxy: Expectation = {
  requests: [8, 11],
  gaps: [1, 5, 30, 60, 120, 240],
  soon: 2,
  exit: ALIVE,
  isConfirmed: false,
}
/** About 190 on a machine that is not busy; a wait of half an hour would leave less than 50. */
const retries: Expectation = {
  requests: [60, 300],
  gaps: [5 / 60, 15 / 60, 45 / 60, 2, 5],
  soon: 5,
  exit: ALIVE,
  isConfirmed: false,
}
/** About 80, because each request takes ten minutes more. */
const retriesTimeouts: Expectation = { ...retries, requests: [40, 150] }

const http = (status: string, body = '', ...headers: readonly string[]): Behaviour => ({
  kind: 'answers',
  bytes: [
    `HTTP/1.1 ${status}`,
    ...headers,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n'),
})
const ok = (body: string): Behaviour => http('200 OK', body, 'Content-Type: text/plain')
const lines = (...words: readonly string[]): Behaviour => ok(words.map((word) => `${word}\r\n`).join(''))
const each = (word: string): Behaviour => lines(word, word, word)

const PAGE = '<!DOCTYPE html><html><body><h1>Welcome</h1><p>Please sign in.</p></body></html>'
const html = (status: string, ...headers: readonly string[]): Behaviour =>
  http(status, PAGE, 'Content-Type: text/html', ...headers)
const BASIC = 'WWW-Authenticate: Basic realm="updates"'

// biome-ignore format: a table
export const ROWS: readonly (readonly [says: string, behaviour: Behaviour, must: Expectation])[] = [
  ['good',                          each(`good ${ADDRESS}`),                              settled],
  ['nochg',                         each(`nochg ${ADDRESS}`),                             settled],
  ['bare good',                     each('good'),                                         settled],

  ['nohost, a line per name',       each('nohost'),                                       stops],
  ['nohost, one line for three',    lines('nohost'),                                      stops],
  ['badauth, 200',                  lines('badauth'),                                     stops],
  ['badauth, 401',                  http('401 Unauthorized', 'badauth\r\n', BASIC),       stops],
  ['401, an HTML page',             html('401 Unauthorized', BASIC),                      stops],
  ['401, empty',                    http('401 Unauthorized'),                             stops],
  ['badagent',                      lines('badagent'),                                    stops],
  ['!donator',                      lines('!donator'),                                    stops],
  ['abuse',                         lines('abuse'),                                       stops],
  ['abuse and an explanation',      lines('abuse', 'Too many requests from this user.'),  stops],
  ['abuse twice',                   lines('abuse', 'abuse'),                              stops],
  ['good, badauth, good',           lines(`good ${ADDRESS}`, 'badauth', `good ${ADDRESS}`), stopsMixed],
  ['good, badauth for three',       lines(`good ${ADDRESS}`, 'badauth'),                  stopsMixed],
  ['good, nohost, good',            lines(`good ${ADDRESS}`, 'nohost', `good ${ADDRESS}`), stopsMixed],

  ['911',                           lines('911'),                                         waits],
  ['911, HTTP 500',                 http('500 Internal Server Error', '911\r\n'),         waits],
  ['HTTP 500',                      http('500 Internal Server Error', 'Internal Server Error'), waits],
  ['HTTP 429',                      http('429 Too Many Requests', 'Too Many Requests'),   waits],
  ['HTTP 404',                      html('404 Not Found'),                                waits],
  ['a portal, HTTP 200',            html('200 OK'),                                       waits],
  ['a redirect',                    http('302 Found', '', 'Location: /login'),            waits],
  ['an empty body',                 ok(''),                                               waits],
  ['dnserr',                        lines('dnserr'),                                      waits],
  ['one good for three',            lines(`good ${ADDRESS}`),                             waits],
  ['no HTTP',                       { kind: 'answers', bytes: 'SSH-2.0-router\r\n' },     waits],

  ['HTTP 502',                      html('502 Bad Gateway'),                              waitsForProxy],
  ['HTTP 503',                      http('503 Service Unavailable'),                      waitsForProxy],
  ['HTTP 504',                      html('504 Gateway Timeout'),                          waitsForProxy],

  ['connection refused',            { kind: 'refuses' },                                  retries],
  ['reset after the request',       { kind: 'resets' },                                   retries],
  ['hangs',                         { kind: 'hangs' },                                    retriesTimeouts],
]

/** The same from cron, a process every quarter of an hour. */
export const CRON: typeof ROWS = ROWS.filter(([says]) => says === '911' || says === 'abuse')
