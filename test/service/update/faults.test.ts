import { describe, expect, it } from 'vitest'
import { after, instant, milliseconds, seconds } from '../../../src/shared/base/time.ts'
import type { Address } from '../../../src/shared/base/address.ts'
import { formatBasic, Secret } from '../../../src/shared/base/secret.ts'
import { handleUpdate, isUpdatePath, type UpdateDependencies } from '../../../src/service/update/handle.ts'
import type { IncomingRequest } from '../../../src/service/http/request.ts'
import { type FaultRule, parseFaults } from '../../../src/service/update/faults.ts'

const START = instant(Date.UTC(2026, 0, 1))
const made = (text: string): readonly FaultRule[] => {
  const read = parseFaults(text, START)
  if (!read.ok) throw new Error(read.error)
  return read.value
}
const errorOf = (text: string): unknown => {
  const read = parseFaults(text, START)
  return read.ok ? undefined : read.error
}
/** What so many requests of one user in turn get. */
const kindsOf = (text: string, count: number): readonly unknown[] => {
  const [weather] = made(text)
  return Array.from({ length: count }, () => weather?.({ username: 'u', now: START })?.kind)
}

describe('what a test server does to requests', () => {
  it.each([
    ['reset', 2, ['reset', 'reset']],
    ['reset:2', 4, [undefined, 'reset', undefined, 'reset']],
    ['impatient:2', 4, [undefined, undefined, 'reply', 'reply']],
  ])('%s, to %i requests', (text, count, kinds) => expect(kindsOf(text, count)).toEqual(kinds))

  it('is counted for each user', () => {
    const [weather] = made('impatient:1')
    const answers = ['a', 'b', 'a', 'b'].map((username) => weather?.({ username, now: START }))
    const abuse = { kind: 'reply', word: 'abuse' }
    expect(answers).toEqual([undefined, undefined, abuse, abuse])
  })

  it('is an outage until the moment when it is over', () => {
    const [weather] = made('outage:30s')
    const at = (n: number) => weather?.({ username: 'u', now: after(START, milliseconds(n)) })
    expect([at(0), at(29_999), at(30_000)]).toEqual([
      { kind: 'reply', word: '911' },
      { kind: 'reply', word: '911' },
      undefined,
    ])
  })

  it('is several things, in their order', () => {
    const gusts = made('slow:2s, word:abuse').map((weather) => weather({ username: 'u', now: START }))
    expect(gusts).toEqual([
      { kind: 'delay', span: seconds(2) },
      { kind: 'reply', word: 'abuse' },
    ])
  })

  it.each([
    ['word:hello', "'word:hello' is not a reply word"],
    ['reset:0', "'reset:0' is not a count of 1 to 999999"],
    ['reset:01', "'reset:01' is not a count of 1 to 999999"],
    ['reset:x1', "'reset:x1' is not a count of 1 to 999999"],
    ['reset:1x', "'reset:1x' is not a count of 1 to 999999"],
    ['reset:1000000', "'reset:1000000' is not a count of 1 to 999999"],
    ['slow:1s, impatient:', "'impatient:' is not a count of 1 to 999999"],
    ['word:abuse:x', "'word:abuse:x' is not a reply word"],
    ['slow:1:5s', "'slow:1:5s' is not a duration such as 90s, 5m or 1h30m"],
    ['rain', "'rain' is not a fault; the faults are word, outage, slow, reset, impatient"],
    ['constructor', "'constructor' is not a fault; the faults are word, outage, slow, reset, impatient"],
    ['reset:x, word:hello', "'reset:x' is not a count of 1 to 999999"],
  ])('is not %s', (text, error) => expect(errorOf(text)).toBe(error))
  it.each(['', 'slow:x', 'outage:'])('is not %j', (text) => expect(errorOf(text)).toBeTypeOf('string'))
  it('is reset:999999', () => expect(errorOf('reset:999999')).toBeUndefined())
})

describe('a request to the update protocol', () => {
  const peer = '192.0.2.9' as Address
  const ask = async (
    faults: string,
    over: Partial<IncomingRequest> = {},
    more: Partial<UpdateDependencies> = {},
  ) => {
    const desk = {
      updater: { now: () => START },
      realm: 'Updates',
      faults: faults === '' ? [] : made(faults),
      pause: async () => Promise.resolve(),
      reportError: () => {},
      ...more,
    } as unknown as UpdateDependencies
    const inbound = {
      method: 'GET',
      path: '/nic/update',
      query: '',
      userAgent: 'a',
      authorization: undefined,
      peer,
      isProxy: false,
    }
    return handleUpdate(desk, { ...inbound, ...over })
  }

  it('has one path', () =>
    expect(['/nic/update', '/nic/updates', '/'].map(isUpdatePath)).toEqual([true, false, false]))

  it('is a GET', async () =>
    expect(await ask('word:good', { method: 'POST' })).toEqual({
      status: 405,
      headers: { 'content-type': 'text/plain; charset=utf-8', allow: 'GET' },
      body: 'only GET is allowed\n',
    }))

  it.each([
    ['word:good', 'hostname=a,b', 'good 192.0.2.9\ngood 192.0.2.9\n'],
    ['word:good', 'hostname=a&myip=192.0.2.1', 'good 192.0.2.1\n'],
    ['word:nochg', '', 'nochg 192.0.2.9\n'],
    ['word:nohost', 'hostname=a,b', 'nohost\nnohost\n'],
    ['word:abuse', 'hostname=a,b', 'abuse\n'],
  ])('is answered with %s to %j: %j', async (weather, query, body) =>
    expect((await ask(weather, { query })).body).toBe(body),
  )

  it('is challenged with the answer 401, and with no other', async () => {
    expect((await ask('word:badauth')).headers).toEqual({
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      'www-authenticate': 'Basic realm="Updates", charset="UTF-8"',
    })
    expect((await ask('word:abuse')).headers).not.toHaveProperty('www-authenticate')
  })

  it('is broken off', async () =>
    expect(await ask('reset')).toMatchObject({ status: 500, body: '', reset: true }))

  it.each(['', 'slow:1s', 'reset:2'])(
    'is answered by the service where %j replaces no answer',
    async (faults) => {
      const policy = { blockedAgents: [], strictAgents: false }
      const updater = { now: () => START, policy } as unknown as UpdateDependencies['updater']
      expect((await ask(faults, {}, { updater })).body).toBe('badauth\n')
    },
  )

  it('waits, and then gets what comes next', async () => {
    const pauses: unknown[] = []
    const pause = async (span: unknown) => Promise.resolve(void pauses.push(span))
    expect((await ask('slow:2s,impatient:1,word:abuse', {}, { pause })).body).toBe('abuse\n')
    expect(pauses).toEqual([seconds(2)])
  })

  it('is counted for the user that it names', async () => {
    const faults = made('impatient:1,word:good')
    const as = (username: string) => formatBasic({ username, password: new Secret('x') }).reveal()
    const answers: unknown[] = []
    for (const authorization of [as('a'), as('b'), undefined, as('a')])
      answers.push((await ask('', { authorization }, { faults })).body.split(/\s/)[0])
    expect(answers).toEqual(['good', 'good', 'good', 'abuse'])
  })

  it('that fails in the service gets 911, and is logged', async () => {
    const told: unknown[] = []
    const fault = new Error('broken')
    const pause = async () => Promise.reject(fault)
    expect(await ask('slow:1s', {}, { pause, reportError: (error) => told.push(error) })).toMatchObject({
      status: 500,
      body: '911\n',
    })
    expect(told).toEqual([fault])
  })
})
