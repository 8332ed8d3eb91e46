import { describe, expect, it } from 'vitest'
import { exchange } from '../../../src/client/send/exchange.ts'
import type { HttpOutcome } from '../../../src/ports/http.ts'
import { disk, START, world } from '../../fakes/world.ts'

const endpoint = world(disk(), []).jobs[0]?.endpoint
if (endpoint === undefined) throw new Error('no endpoint')
const request = { hostnames: ['home.example.test'], addresses: {} }

const after = async (outcome: HttpOutcome, over = endpoint) =>
  exchange(
    over,
    { request, endpoint: 0 },
    { http: async () => outcome, now: () => START },
    new AbortController().signal,
  )
const answered = async (body: string, status = 200) => after({ kind: 'answered', status, headers: {}, body })

const password = endpoint.credentials.password.reveal()
const basic = Buffer.from(`${endpoint.credentials.username}:${password}`).toString('base64')

describe('an exchange', () => {
  it.each([
    `you sent ${password} today`,
    `<p>${password}</p>`,
    `Authorization: Basic ${basic}`,
    `${'x'.repeat(75)}${password}`,
  ])('quotes nothing of what must not be seen: %#', async (body) => {
    const seen = await answered(body, 403)

    expect(seen.kind).toBe('notUnderstood')
    expect(JSON.stringify(seen)).not.toContain(password)
    expect(JSON.stringify(seen)).not.toContain(basic)
  })

  it('takes an answer that is no HTTP for one that is not understood', async () =>
    expect(
      await after({ kind: 'unreached', stage: 'malformed', because: 'the answer is not HTTP' }),
    ).toMatchObject({
      kind: 'notUnderstood',
      because: 'the answer is not HTTP',
    }))

  it('quotes what is no HTTP, without secrets and without what a terminal acts on', async () =>
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
  ])('counts the length of an answer in bytes: %#', async (body, kind) =>
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
  ] as const)(
    'lets plain http follow only where https was not reached: %s over %s',
    async (stage, scheme, isTls) =>
      expect(
        await after(
          { kind: 'unreached', stage, because: 'x' },
          { ...endpoint, baseUrls: [`${scheme}://dyn.test`] },
        ),
      ).toMatchObject({ kind: 'unreached', isTls }),
  )

  it('lets no plain http follow half an answer over https', async () =>
    expect(
      await after(
        { kind: 'answered', status: 200, headers: {}, body: 'goo', isCut: true },
        { ...endpoint, baseUrls: ['https://dyn.test'] },
      ),
    ).toMatchObject({ kind: 'unreached', isTls: true }))

  it('obeys a word that forbids in the middle of an answer that breaks off', async () =>
    expect(
      await exchange(
        endpoint,
        { request: { hostnames: ['a.test', 'b.test'], addresses: {} }, endpoint: 0 },
        {
          http: async () => ({
            kind: 'answered',
            status: 200,
            headers: {},
            body: 'good\nabuse',
            isCut: true,
          }),
          now: () => START,
        },
        new AbortController().signal,
      ),
    ).toMatchObject({ kind: 'answered', replies: [{ word: 'abuse' }, { word: 'abuse' }] }))
})
