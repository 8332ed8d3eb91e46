import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { days, hours, instant, minutes, seconds } from '../../../../src/shared/base/time.ts'
import { nicUpdate, type NicUpdateService } from '../../../../src/client/services/protocols/nic-update.ts'
import type { Step, UpdateProtocol } from '../../../../src/client/services/protocols/protocol.ts'
import { exchange } from '../../../../src/client/agent/send/exchange.ts'
import { Secret, SecretText } from '../../../../src/shared/base/secret.ts'
import { toWire } from '../../../../src/shared/platform/http/service.ts'
import type { HttpOutcome, OutgoingRequest } from '../../../../src/shared/ports/http.ts'
import { endpointTo, NO_DNS, serviceFor, START } from '../../../fakes/world.ts'

const service = serviceFor()
const request = { hostnames: ['home.example.test'], addresses: {} }

const after = async (outcome: HttpOutcome, over = service, sent = request) =>
  exchange(
    endpointTo(over),
    { request: sent, endpoint: 0 },
    {
      http: async () => outcome,
      now: () => START,
      pause: async () => undefined,
      dns: NO_DNS,
      signal: new AbortController().signal,
    },
  )
const answered = async (body: string, status = 200) => after({ kind: 'answered', status, headers: {}, body })

const password = service.credentials.password.reveal()
const basic = Buffer.from(`${service.credentials.username}:${password}`).toString('base64')

const outgoing = (to: NicUpdateService, endpoint = 0): OutgoingRequest => ({
  ...nicUpdate(to).begin({ request, endpoint }).request,
  connectTimeout: seconds(1),
  responseTimeout: seconds(1),
})

describe('an HTTP request', () => {
  it('carries the credentials in the Authorization header only', () => {
    const { url, headers } = toWire(outgoing(service))
    const { authorization, ...others } = headers

    expect(authorization).toBe(`Basic ${basic}`)
    expect(JSON.stringify([url, others])).not.toContain(password)
  })

  it('has a long password with a colon and other characters than ASCII on one line', () => {
    const long = `${'pä:'.repeat(70)}end`
    const over = { ...service, credentials: { ...service.credentials, password: new Secret(long) } }
    const { authorization = '' } = toWire(outgoing(over)).headers
    expect(authorization).toMatch(/^Basic [A-Za-z0-9+/=]+$/)
    expect(Buffer.from(authorization.slice(6), 'base64').toString()).toBe(
      `${service.credentials.username}:${long}`,
    )
  })

  it('goes to the base URL of its endpoint', () => {
    const two = { ...service, baseUrls: ['https://a.test', 'http://b.test:8245'] }

    expect(toWire(outgoing(two, 1)).url).toBe('http://b.test:8245/nic/update?hostname=home.example.test')
  })
})

describe('a secret of a fixed parameter', () => {
  const token = 'token-of-1234'
  const over = { ...service, form: { ...service.form, parameters: [['token', new Secret(token)] as const] } }

  it('is sent, and shown nowhere', () => {
    const shown = outgoing(over)

    expect(toWire(shown).url).toContain(`?token=${token}&`)
    for (const text of [String(shown.url), JSON.stringify(shown), inspect(shown, { depth: 9 })]) {
      expect(text).toContain('token=«secret»')
      expect(text).not.toContain(token)
      expect(text).not.toContain(basic)
    }
  })

  it('is masked where an answer repeats it', async () => {
    const seen = await after(
      { kind: 'answered', status: 403, headers: {}, body: `no token ${token} here` },
      over,
    )

    expect(JSON.stringify(seen)).toContain('no token «secret» here')
  })
})

describe('a redirect', () => {
  const to = async (from: string, location: string | undefined, status = 302) => {
    const asked: string[] = []
    const seen = await exchange(
      endpointTo({ ...service, baseUrls: [from] }),
      { request, endpoint: 0 },
      {
        http: async (outgoing) => {
          const { url, headers } = toWire(outgoing)
          asked.push(`${url} ${headers['authorization'] === undefined ? '' : 'with credentials'}`)
          return asked.length === 1
            ? { kind: 'answered', status, headers: location === undefined ? {} : { location }, body: '' }
            : { kind: 'answered', status: 200, headers: {}, body: 'good 192.0.2.1' }
        },
        now: () => START,
        pause: async () => undefined,
        dns: NO_DNS,
        signal: new AbortController().signal,
      },
    )
    return [seen.kind, 'isMoved' in seen, ...asked.slice(1)]
  }

  const QUERY = '/nic/update?hostname=home.example.test'
  it.each([`https://a.test${QUERY}`, `https://a.test:443${QUERY}`, `https://a.test${QUERY}#x`])(
    'from http to https with the same path is followed once, and said: %s',
    async (location) =>
      expect(await to('http://a.test', location)).toEqual([
        'answered',
        true,
        `https://a.test${QUERY} with credentials`,
      ]),
  )

  it.each([
    ['http://a.test', `https://b.test${QUERY}`],
    ['http://a.test', `https://a.test:8443${QUERY}`],
    ['http://a.test:8080', `https://a.test${QUERY}`],
    ['http://a.test', `http://a.test${QUERY}x`],
    ['http://a.test', `https://u:p@a.test${QUERY}`],
    ['http://a.test', 'https://a.test/other'],
    ['http://a.test', 'https://a.test/nic/update'],
    ['http://a.test', `https://www.a.test${QUERY}`],
    ['http://a.test', 'https://'],
    ['http://a.test', undefined],
    ['https://a.test', `https://a.test${QUERY}`],
    ['https://a.test', `https://a.test${QUERY}&x=1`],
    ['https://a.test', `http://a.test${QUERY}`],
  ])('of another kind is not: %s to %s', async (from, location) =>
    expect(await to(from, location)).toEqual(['notUnderstood', false]),
  )

  it('with another status is not a redirect', async () =>
    expect(await to('http://a.test', `https://a.test${QUERY}`, 304)).toEqual(['notUnderstood', false]))
})

describe('an exchange', () => {
  it.each([
    `you sent ${password} today`,
    `<p>${password}</p>`,
    `Authorization: Basic ${basic}`,
    `${'x'.repeat(75)}${password}`,
    `${password.slice(0, 4)}<b>${password.slice(4)}</b>`,
  ])('masks the credentials in the quote of an unrecognized answer: %#', async (body) => {
    const seen = await answered(body, 403)

    expect(seen.kind).toBe('notUnderstood')
    expect(JSON.stringify(seen)).not.toContain(password)
    expect(JSON.stringify(seen)).not.toContain(basic)
  })

  it('masks nothing of our own words where the password is short', async () => {
    const short = { ...service, credentials: { username: 'a', password: new Secret('e') } }
    const outcome: HttpOutcome = { kind: 'answered', status: 403, headers: {}, body: 'yes e no' }
    expect(await after(outcome, short)).toMatchObject({
      because: 'text that is not a reply word (HTTP 403): "y«secret»s «secret» no"',
    })
    expect(await after({ ...outcome, body: '' }, short)).toMatchObject({
      because: 'an empty response (HTTP 403)',
    })
  })

  it('observes an answer that is not HTTP as not understood', async () =>
    expect(
      await after({ kind: 'unreached', stage: 'malformed', because: 'the answer is not HTTP' }),
    ).toMatchObject({
      kind: 'notUnderstood',
      because: 'the answer is not HTTP',
    }))

  it('quotes an answer that is not HTTP without credentials and without control characters', async () =>
    expect(
      await after({
        kind: 'unreached',
        stage: 'malformed',
        because: 'the answer is not HTTP',
        said: `\u001b[2Jgood ${password} ${'x'.repeat(100)}`,
      }),
    ).toMatchObject({
      kind: 'notUnderstood',
      because: `the answer is not HTTP: "[2Jgood «secret» ${'x'.repeat(63)}…"`,
    }))

  it.each([
    ['good 198.51.100.7 '.padEnd(60_000, 'x'), 'answered'],
    [`good 198.51.100.7 ${'é'.repeat(40_000)}`, 'notUnderstood'],
  ])('measures the length of an answer in bytes: %#', async (body, kind) =>
    expect(await answered(body)).toMatchObject({ kind }),
  )

  it.each([
    ['look-up', 'https', false],
    ['connect', 'https', false],
    ['TLS', 'https', true],
    ['time-out', 'https', true],
    ['exchange', 'https', true],
    ['time-out', 'http', false],
    ['exchange', 'http', false],
  ] as const)('that fails at stage %s over %s reports isTls: %s', async (stage, scheme, isTls) =>
    expect(
      await after(
        { kind: 'unreached', stage, because: 'x' },
        { ...service, baseUrls: [`${scheme}://dyn.test`] },
      ),
    ).toMatchObject({ kind: 'unreached', isTls }),
  )

  it('reports isTls for an incomplete answer over https', async () =>
    expect(
      await after(
        { kind: 'answered', status: 200, headers: {}, body: 'goo', isCut: true },
        { ...service, baseUrls: ['https://dyn.test'] },
      ),
    ).toMatchObject({ kind: 'unreached', isTls: true }))

  it('applies a word that forbids from an incomplete answer to every hostname', async () =>
    expect(
      await after({ kind: 'answered', status: 200, headers: {}, body: 'good\nabuse', isCut: true }, service, {
        hostnames: ['a.test', 'b.test'],
        addresses: {},
      }),
    ).toMatchObject({ kind: 'answered', replies: [{ word: 'abuse' }, { word: 'abuse' }] }))

  // biome-ignore format: a table
  it.each<[string, number | undefined]>([
    ['120',                           minutes(2)],
    [' 120 ',                         minutes(2)],
    ['99999999',                      days(1)],
    ['Thu, 01 Jan 2026 02:00:00 GMT', hours(2)],
    ['Wed, 31 Dec 2025 22:00:00 GMT', undefined],
    ['-3600',                         undefined],
    ['7200.5',                        undefined],
    ['60s',                           undefined],
    ['1 hour',                        undefined],
    ['7200, 60',                      undefined],
    ['1e9',                           undefined],
    ['tomorrow',                      undefined],
  ])('reads Retry-After: %j as %j', async (value, retryAfter) => {
    const headers = { 'retry-after': value }
    const seen = await after({ kind: 'answered', status: 503, headers, body: '' })

    expect('retryAfter' in seen ? seen.retryAfter : undefined).toBe(retryAfter)
  })
})

describe('an exchange of several requests', () => {
  /** Each answer asks for one more request, until so many were sent. */
  const endless = (count: number): UpdateProtocol => ({
    begin: () => {
      let sent = 0
      const step = (): Step => ({
        request: { url: new SecretText('https://a.test/'), headers: {}, maxBodyBytes: 1 },
        read: () =>
          ++sent < count ? step() : { kind: 'answered', replies: [{ word: 'good', addresses: [] }] },
      })
      return step()
    },
  })
  const played = async (count: number, each: number) => {
    let passed = 0
    const times: number[] = []
    const seen = await exchange(
      { ...endpointTo(service), protocol: endless(count) },
      { request, endpoint: 0 },
      {
        now: () => instant(START + passed),
        pause: async () => undefined,
        dns: NO_DNS,
        signal: new AbortController().signal,
        http: async ({ responseTimeout }) => {
          times.push(responseTimeout)
          passed += each
          return { kind: 'answered', status: 200, headers: {}, body: '' }
        },
      },
    )
    return { seen, times }
  }

  it('has the time of three, however many they are', async () => {
    const { seen, times } = await played(4, 900)
    expect([seen.kind, times]).toEqual(['answered', [1000, 1000, 1000, 300]])
  })

  it('has four at most', async () => {
    await expect(played(5, 1)).rejects.toThrow('more than 4 requests')
  })

  /** One request for each update. */
  const single = (step: Partial<Step>): UpdateProtocol => ({
    begin: () => ({
      request: { url: new SecretText('https://a.test/'), headers: {}, maxBodyBytes: 100 },
      read: () => ({ kind: 'answered', replies: [{ word: 'good', addresses: [] }] }),
      ...step,
    }),
  })
  const sentBy = async (protocol: UpdateProtocol, answer: HttpOutcome, times = 1) => {
    const [sent, paused]: [string[], number[]] = [[], []]
    const seen = []
    for (let nth = 0; nth < times; nth++)
      seen.push(
        await exchange(
          { ...endpointTo(service), protocol },
          { request, endpoint: 0 },
          {
            now: () => START,
            pause: async (span) => void paused.push(span),
            dns: NO_DNS,
            signal: new AbortController().signal,
            http: async ({ url }) => {
              sent.push(url.reveal())
              return answer
            },
          },
        ),
      )
    return { seen, sent, paused }
  }
  const plain: HttpOutcome = { kind: 'answered', status: 200, headers: {}, body: 'yes' }

  it('keeps the gap of its protocol, also between two updates', async () => {
    const { paused } = await sentBy({ ...single({}), gap: seconds(2) }, plain, 3)
    expect(paused).toEqual([2000, 2000])
    expect((await sentBy(single({}), plain, 3)).paused).toEqual([])
  })

  it('follows a redirect only where the step may move', async () => {
    const moved: HttpOutcome = { ...plain, status: 302, headers: { location: 'https://a.test/' } }
    const request = { url: new SecretText('http://a.test/'), headers: {}, maxBodyBytes: 100 }
    expect((await sentBy(single({ request }), moved)).sent).toEqual(['http://a.test/'])
    expect((await sentBy(single({ request, mayMove: true }), moved)).sent).toEqual([
      'http://a.test/',
      'https://a.test/',
    ])
  })

  it('shows nothing of what the service gave for it', async () => {
    const read: Step['read'] = ({ body }) => ({
      kind: 'notUnderstood',
      because: `it said ${body}`,
      looksLikePortal: false,
    })
    const answer = { ...plain, body: 'session abc123xyz' }
    const { seen } = await sentBy(single({ read, secrets: [new Secret('abc123xyz')] }), answer)
    expect(JSON.stringify(seen)).not.toContain('abc123xyz')
    expect(JSON.stringify((await sentBy(single({ read }), answer)).seen)).toContain('abc123xyz')
  })
})
