import nock from 'nock'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { undiciHttp } from '../../../../src/shared/platform/http/http.ts'
import { plainHttp } from '../../../../src/shared/platform/http/plain.ts'
import { never, request } from '../../../fakes/request.ts'

const CLIENTS = [
  ['undici', undiciHttp],
  ['plain', plainHttp],
] as const

// The import of nock takes the place of every connection of this process.
beforeAll(() => {
  if (!nock.isActive()) nock.activate()
})
afterAll(() => nock.restore())

describe.each(CLIENTS)('%s, over a scripted wire', (_, ask) => {
  beforeEach(() => nock.disableNetConnect())
  afterEach(() => {
    expect(nock.pendingMocks()).toEqual([])
    nock.cleanAll()
    nock.enableNetConnect()
  })

  it.each([200, 204, 301, 302, 307, 401, 404, 429, 500, 503])(
    'returns status %i unchanged, after one request',
    async (status) => {
      nock('http://dyn.test')
        .get('/nic/update?hostname=a.test')
        .reply(status, status === 204 ? '' : 'text', {
          location: 'http://elsewhere.test/',
          'retry-after': '60',
        })

      const outcome = await ask(request('http://dyn.test/nic/update?hostname=a.test'), never)

      expect(outcome).toMatchObject({ kind: 'answered', status, headers: { 'retry-after': '60' } })
    },
  )

  it('sends the given headers', async () => {
    nock('http://dyn.test', {
      reqheaders: { authorization: 'Basic YTpi', 'user-agent': 'Holdfast test/1-1' },
    })
      .get('/')
      .reply(200, 'good')

    expect(
      await ask(
        request('http://dyn.test/', {
          headers: { authorization: 'Basic YTpi', 'user-agent': 'Holdfast test/1-1' },
        }),
        never,
      ),
    ).toMatchObject({ body: 'good' })
  })

  it.each([
    ['ENOTFOUND', 'look-up'],
    ['EAI_AGAIN', 'look-up'],
    ['ECONNREFUSED', 'connect'],
    ['EHOSTUNREACH', 'connect'],
    ['ETIMEDOUT', 'connect'],
    ['CERT_HAS_EXPIRED', 'TLS'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'TLS'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'TLS'],
    ['ECONNRESET', 'exchange'],
  ])('reports the error %s at the stage %s', async (code, stage) => {
    nock('https://dyn.test')
      .get('/')
      .replyWithError(Object.assign(new Error('as scripted'), { code }))

    expect(await ask(request('https://dyn.test/'), never)).toMatchObject({ kind: 'unreached', stage })
  })

  it.each([
    [Date.UTC(2001, 0, 1), true],
    [Date.UTC(2040, 0, 1), false],
  ])(
    'reports a wrong clock for a certificate that is not valid yet, with the clock at %i: %s',
    async (now, isReported) => {
      vi.useFakeTimers({ toFake: ['Date'], now })
      onTestFinished(() => void vi.useRealTimers())
      nock('https://dyn.test')
        .get('/')
        .replyWithError(
          Object.assign(new Error('certificate is not yet valid'), { code: 'CERT_NOT_YET_VALID' }),
        )

      const outcome = await ask(request('https://dyn.test/'), never)

      expect(outcome).toMatchObject({ kind: 'unreached', stage: 'TLS' })
      expect(JSON.stringify(outcome).includes("this host's clock is wrong: it shows 2001-01-01")).toBe(
        isReported,
      )
    },
  )
})
