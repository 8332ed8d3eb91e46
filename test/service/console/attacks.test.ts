import { after, type Instant, minutes, seconds } from '../../../src/shared/base/time.ts'
import { Secret, TOTP } from 'otpauth'
import { describe, expect, it } from 'vitest'
import { openSession, renewSession, sessionOf } from '../../../src/service/auth/sessions.ts'
import { makeCode } from '../../../src/service/auth/one-time-codes.ts'
import { formatBasic, Secret as Text } from '../../../src/shared/base/secret.ts'
import { inside } from '../api/inside.ts'
import { PASSWORD, TOTP_SECRET } from '../api/world.ts'
import { StoreAway } from '../../../src/service/store/errors.ts'
import { consoleTests } from './person.ts'

const { at, person } = consoleTests()
const codeNow = (): string =>
  new TOTP({ secret: Secret.fromBase32(TOTP_SECRET) }).generate({ timestamp: at.now })
const idOf = (name: string): number => at.world.ids[name] ?? 0

/** The app of account A counts from now on. */
const withFactor = async (): Promise<void> =>
  at.world.store.write(async (w) => {
    const [factor] = await w.factorsOf(idOf('a'))
    if (factor !== undefined) await w.useFactor(factor.id, { counter: 1, now: at.now })
  })

describe('who has the password of an account with a second factor', () => {
  it('cannot try codes from many networks', async () => {
    await withFactor()
    const one = person({ badauthLimit: 5 })
    await one.signIn('a', PASSWORD)
    await one.send('/console/second-factor')
    const tried: number[] = []
    for (let n = 0; n < 8; n++)
      tried.push(
        (await one.post('/console/second-factor', { code: '000000' }, { peer: `198.51.${n}.1` })).status,
      )
    expect(tried).toEqual([403, 403, 403, 403, 403, 403, 429, 429])
    const right = await one.post('/console/second-factor', { code: codeNow() }, { peer: '203.0.113.9' })
    expect([right.status, right.headers['retry-after']]).toEqual([429, expect.stringMatching(/^\d+$/)])
    at.now = after(at.now, minutes(11))
    expect((await one.post('/console/second-factor', { code: codeNow() })).headers['location']).toBe(
      '/console/names',
    )
  })

  it('has no session from a sign-in that was checked before the factor, or before another password', async () => {
    const { store } = at.world
    const parts = { store, now: () => at.now, readPause: async () => undefined }
    const account = await store.read(async (r) => r.account(idOf('a')))
    const login = await store.read(async (r) => r.login('a'))
    if (account === undefined || login === undefined) throw new Error('no account')
    const caller = { account, isReadOnly: false, passwordHash: login.hash }
    const browser = { peer: '192.0.2.1', userAgent: 'b' }
    await withFactor()
    const first = await openSession(parts, caller, browser)
    expect(first && (await sessionOf(parts, first))).toMatchObject({ needsFactor: true })
    await store.write(async (w) =>
      w.setAccountPassword(idOf('a'), new Uint8Array(48), Date.UTC(2026, 0, 1) as Instant),
    )
    expect(await openSession(parts, caller, browser)).toBeUndefined()
  })

  it('does not get rid of the factor by a proof that was under way', async () => {
    const { store } = at.world
    const parts = { store, now: () => at.now, readPause: async () => undefined }
    const account = await store.read(async (r) => r.account(idOf('a')))
    if (account === undefined) throw new Error('no account')
    const secret = await openSession(parts, { account, isReadOnly: false }, { peer: '', userAgent: '' })
    const session = secret && (await sessionOf(parts, secret))
    if (session === undefined) throw new Error('no session')
    await store.write(async (w) => w.needFactor(idOf('a'), undefined))
    const next = await renewSession(parts, session.id, { hasFactor: false })
    expect(await sessionOf(parts, next)).toMatchObject({ needsFactor: true, isProved: true })
    const after2 = await renewSession(parts, session.id, { hasFactor: true })
    expect(await sessionOf(parts, after2)).toMatchObject({ needsFactor: false })
  })
})

describe('a plan that needs a second factor', () => {
  it('lets no password do anything at /v1, and recovery codes alone are no factor', async () => {
    const { store } = at.world
    await store.write(async (w) => w.changePlan(idOf('plan-a'), { needsFactor: true } as never))
    const { send } = inside(store)
    const authorization = formatBasic({ username: 'a', password: new Text(PASSWORD) }).reveal()
    expect((await send({ method: 'GET', path: '/v1/account', authorization })).status).toBe(403)

    const one = person()
    await one.signIn('a', PASSWORD)
    await one.send('/console/account')
    expect((await one.post('/console/account/recovery-codes')).status).toBe(404)
    expect((await one.send('/console/names')).headers['location']).toBe('/console/account')
  })
})

describe('a link for another password', () => {
  const link = async () =>
    at.world.store.write(async (w) => makeCode(w, { purpose: 'reset', accountId: idOf('a'), now: at.now }))
  const use = async (code: Text) => {
    const form = { code: code.reveal(), password: 'another password', again: 'another password' }
    return (await person().post('/console/reset', form)).status
  }

  it('is worth nothing after another one was used', async () => {
    const [first, second] = [await link(), await link()]
    expect([await use(first), await use(second)]).toEqual([303, 422])
    const trail = await at.world.store.read(async (r) => r.trailPage(idOf('a'), { filter: {}, limit: 5 }))
    expect(trail.entries[0]).toMatchObject({
      operation: 'resetPassword',
      actor: 'link of a',
      peer: '198.51.100.1',
    })
  })

  it('is worth nothing after another e-mail address', async () => {
    const first = await link()
    await at.world.store.write(async (w) =>
      w.changeAccount(idOf('a'), { email: 'new@mail.test' }, Date.UTC(2026, 0, 1) as Instant),
    )
    expect(await use(first)).toBe(422)
  })
})

describe('an API key at the website', () => {
  it('may not do what is for the website only', async () => {
    await at.world.store.write(async (w) =>
      w.changeAccount(idOf('a'), { isWebsiteOnly: true }, Date.UTC(2026, 0, 1) as Instant),
    )
    const [key, owner] = [person(), person()]
    await key.signInWith('key-of-a')
    await key.send('/console/zones')
    expect((await key.post('/console/zones', { zone: 'other.test' })).status).toBe(422)
    await owner.signIn('a', PASSWORD)
    await owner.send('/console/zones')
    expect((await owner.post('/console/zones', { zone: 'other.test' })).status).toBe(303)
  })

  it('uses up no turn of a person who acts against it', async () => {
    const { send } = inside(at.world.store, { keyRequestLimit: 2 })
    const path = '/v1/account/ddns-keys'
    const limited = []
    for (let n = 0; n < 4; n++)
      limited.push((await send({ method: 'GET', path, authorization: 'Bearer key-of-a' })).status)
    expect(limited).toEqual([200, 200, 429, 429])
    const one = person({ keyRequestLimit: 2 })
    await one.signIn('a', PASSWORD)
    await one.send('/console/keys')
    for (let n = 0; n < 4; n++) expect((await one.send('/console/keys')).text).toContain('kkk1111')
  })

  it('has a hundred sessions at most, and ends none of the person', async () => {
    const { store } = at.world
    const one = person()
    await one.signIn('a', PASSWORD)
    for (let n = 0; n < 105; n++) await person().signInWith('key-of-a')
    const { total } = await store.read(async (r) =>
      r.sessionsOf(idOf('a'), { offset: 0, limit: 0 }, { created: at.now, seen: at.now }),
    )
    expect(total).toBe(101)
    expect((await one.send('/console/names')).status).toBe(200)
  })
})

describe('a form', () => {
  it('of nobody is short, and one of anybody has a limited number of fields', async () => {
    const long = 'a&'.repeat(100_000)
    for (const path of ['/console/sign-in', '/console/forgotten', '/console/reset'])
      expect((await person().post(path, { x: 'y'.repeat(9000) })).status).toBe(413)
    const one = person()
    await one.signIn('a', PASSWORD)
    await one.send('/console/names')
    // What else runs on the machine comes and goes: the best of some.
    const times: number[] = []
    while (times.length < 10 && !times.some((time) => time < 100)) {
      const begun = performance.now()
      const refused = await one.post('/console/names/bulk', {}, { headers: { body: long } as never })
      times.push(performance.now() - begun)
      expect(refused.status).toBe(413)
    }
    expect(Math.min(...times)).toBeLessThan(100)
  })

  it('after which the page fails still gives the browser its next secret', async () => {
    const one = person()
    await one.signIn('a', PASSWORD)
    at.now = after(at.now, seconds(360))
    await one.send('/console/account')
    const before = one.cookie()
    const { world } = at
    const original = world.store.write.bind(world.store)
    let writes = 0
    world.store.write = (work: never, about: never) => {
      writes++
      // The first one is of the proof.
      if (writes > 1) throw new StoreAway('it is away')
      return original(work, about)
    }
    const failed = await one.post('/console/account/recovery-codes', { proof: PASSWORD })
    world.store.write = original
    expect([failed.status, one.cookie() === before]).toEqual([503, false])
    expect((await one.send('/console/names')).status).toBe(200)
  })
})
