import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { instant } from '../../../../src/shared/base/time.ts'
import { formatBasic, Secret } from '../../../../src/shared/base/secret.ts'
import { addApiKey, type Asked, bodyIn, codesOf, inside } from '../inside.ts'
import { apiWorld, PASSWORD, prepare, type World } from '../world.ts'

const PATH = '/v1/account/password'
const NEXT = 'a new one: ä:€ 1'

let world: World
beforeEach(async () => void (world = await apiWorld()))
afterEach(async () => world.close())

const login = (password: string): string =>
  formatBasic({ username: 'a', password: new Secret(password) }).reveal()
const asked = (old: unknown, next: unknown, more: object = {}): Asked => ({
  method: 'PUT',
  path: PATH,
  contentType: 'application/json',
  authorization: login(PASSWORD),
  body: JSON.stringify({ old_password: old, new_password: next, ...more }),
})
const READ = { method: 'GET', path: '/v1/account' } as const
const trail = async () => world.store.read(async (r) => r.overview('trail', { filter: {}, now: instant(0) }))

describe('a change of the password', () => {
  it('lets the new one log in and not the old one; API keys stay', async () => {
    const { send, audited } = inside(world.store)
    const changed = await send(asked(PASSWORD, NEXT))
    expect([changed.status, bodyIn(changed)]).toEqual([200, { warnings: [] }])
    const statuses = [login(PASSWORD), login(NEXT), 'Bearer key-of-a'].map(async (authorization) => {
      const { status } = await send({ ...READ, authorization })
      return status
    })
    expect(await Promise.all(statuses)).toEqual([401, 200, 200])
    const who = { by: 'account a', from: '198.51.100.1', operation: 'changePassword', name: 'a' }
    expect(await trail()).toEqual([expect.objectContaining({ ...who, before: null, after: null })])
    expect(audited[0]).toEqual({
      kind: 'changed',
      operation: 'changePassword',
      account: 'a',
      apiKey: undefined,
      subject: 'a',
      peer: '198.51.100.1',
    })
  })

  it('needs the login of the account: no API key makes one', async () => {
    const { send } = inside(world.store)
    await addApiKey(world.store, world.ids['a'] ?? 0, 'typed', { scopes: ['type:TXT'] })
    for (const key of ['key-of-a', 'reader-of-a', 'typed']) {
      const answer = await send({ ...asked(PASSWORD, NEXT), authorization: `Bearer ${key}` })
      expect([answer.status, bodyIn(answer).errors?.[0]]).toMatchObject([
        403,
        { code: '403', title: 'this API key is not allowed to do that' },
      ])
    }
    expect((await send({ ...READ, authorization: login(PASSWORD) })).status).toBe(200)
  })

  it('needs the old password, and a wrong one is a failed login: a lockout holds for it too', async () => {
    const { send, audited } = inside(world.store, { badauthLimit: 3 })
    const wrong = async () => send(asked('a wrong password', NEXT))
    for (let n = 0; n < 4; n++) {
      const answer = await wrong()
      expect([answer.status, bodyIn(answer).errors]).toEqual([
        403,
        [
          expect.objectContaining({
            code: '403',
            title: 'the old password is wrong',
            pointer: '/old_password',
          }),
        ],
      ])
    }
    const refused = { kind: 'loginRefused', endpoint: 'api', peer: '198.51.100.1', username: 'a' }
    expect(audited).toEqual([
      refused,
      refused,
      refused,
      refused,
      { kind: 'lockedOut', endpoint: 'api', peer: '198.51.100.1' },
    ])
    const locked = await send(asked(PASSWORD, NEXT))
    expect([locked.status, locked.headers['retry-after']]).toEqual([429, '600'])
    expect((await send({ ...READ, authorization: login(PASSWORD), peer: '203.0.113.5' })).status).toBe(200)
    expect(await trail()).toEqual([])
  })

  // biome-ignore format: a table
  it.each<[what: string, body: unknown, pointers: readonly string[]]>([
    ['11 characters',          { old_password: PASSWORD, new_password: '12345678901' },          ['/new_password']],
    ['1025 characters',        { old_password: PASSWORD, new_password: 'x'.repeat(1025) },       ['/new_password']],
    ['11 of two units each',   { old_password: PASSWORD, new_password: '😀'.repeat(11) },        ['/new_password']],
    ['a control character',    { old_password: PASSWORD, new_password: 'a password\twith' },     ['/new_password']],
    ['half a character',       { old_password: PASSWORD, new_password: 'a password \ud83d' },    ['/new_password']],
    ['a number',               { old_password: 123_456_789_012, new_password: 123_456_789_012 }, ['/old_password', '/new_password']],
    ['nothing',                {},                                                               ['/old_password', '/new_password']],
    ['another field',          { old_password: PASSWORD, new_password: NEXT, account: 'b' },     ['/account']],
    ['a list',                 [],                                                               ['']],
  ])('is refused with %s, before the old one is checked', async (_, body, pointers) => {
    const { send, audited } = inside(world.store)
    const answer = await send({ ...asked('', ''), body: JSON.stringify(body) })
    expect([answer.status, codesOf({ body: bodyIn(answer) })]).toEqual([400, pointers.map(() => '3809')])
    expect(bodyIn(answer).errors?.map(({ pointer = '' }) => pointer)).toEqual(pointers)
    expect([audited, await trail()]).toEqual([[], []])
  })

  it.each([['x'.repeat(1024)], ['😀'.repeat(12)]])('accepts %s', async (next) => {
    const { send } = inside(world.store)
    expect((await send(asked(PASSWORD, next))).status).toBe(200)
    expect((await send({ ...READ, authorization: login(next) })).status).toBe(200)
  })

  it('from the same old password is made once', async () => {
    const { send } = inside(world.store)
    const answers = await Promise.all([NEXT, `${NEXT}2`].map(async (next) => send(asked(PASSWORD, next))))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 403])
  })

  it('is limited like the operations that make secrets, and refused where only the website changes the account', async () => {
    const { send } = inside(world.store, { keyRequestLimit: 1 })
    expect((await send(asked(PASSWORD, 'short'))).status).toBe(400)
    expect((await send(asked(PASSWORD, NEXT))).status).toBe(429)
    await prepare(world, 'website-account')
    const answer = await inside(world.store).send(asked(PASSWORD, NEXT))
    expect([answer.status, codesOf({ body: bodyIn(answer) })]).toEqual([403, ['4786']])
  })

  it('leaves no password in a log line, an answer, the trail or the store', async () => {
    const { send, lines, audited } = inside(world.store)
    const answers = [
      await send(asked('a wrong password', NEXT)),
      await send(asked(PASSWORD, `${NEXT}\u0000`)),
      await send({ ...asked(PASSWORD, NEXT), query: 'x=1' }),
      await send(asked(PASSWORD, NEXT)),
    ]
    const failing = inside({
      ...world.store,
      write: async () => Promise.reject(new Error('the disk is gone')),
    })
    answers.push(await failing.send({ ...asked(NEXT, `${NEXT}!`), authorization: login(NEXT) }))
    expect(answers.map(({ status }) => status)).toEqual([403, 400, 400, 200, 500])
    const { hash } = (await world.store.read(async (r) => r.login('a'))) ?? {}
    const seen = JSON.stringify([
      answers.map(({ text }) => text),
      lines,
      failing.lines,
      audited,
      await trail(),
      Buffer.from(hash ?? []).toString('latin1'),
    ])
    for (const secret of ['a wrong password', PASSWORD, NEXT, 'a new one']) expect(seen).not.toContain(secret)
  })
})
