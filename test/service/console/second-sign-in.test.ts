import type { Instant } from '../../../src/shared/base/time.ts'
import { describe, expect, it } from 'vitest'
import { makeCode } from '../../../src/service/auth/one-time-codes.ts'
import { slowHash } from '../../../src/service/auth/hashes.ts'
import { PASSWORD } from '../api/world.ts'
import { authenticator } from '../auth/authenticator.ts'
import { consoleTests, ORIGIN } from './person.ts'

const { at, person } = consoleTests()
type Person = ReturnType<typeof person>
const LONG = 'a long password'

const codeFor = async (purpose: 'invitation' | 'open'): Promise<string> =>
  (
    await at.world.store.write(async (w) =>
      makeCode(w, {
        purpose,
        now: at.now,
        ...(purpose === 'open' ? { accountId: at.world.ids['b'] ?? 0 } : { grant: { plan: 'plan of a' } }),
      }),
    )
  ).reveal()

const optionsIn = (html: string): object => {
  const [, text = '{}'] = /data-options="([^"]*)"/.exec(html) ?? []
  return JSON.parse(
    text.replaceAll('&quot;', '"').replaceAll('&#34;', '"').replaceAll('&amp;', '&'),
  ) as object
}

/** A passkey of account A, made at the console. */
async function passkeyOfA() {
  const key = authenticator(ORIGIN)
  const one = person()
  await one.signIn('a', PASSWORD)
  await one.send('/console/account')
  const page = await one.post('/console/account/passkeys', { description: 'phone' })
  const credential = JSON.stringify(key.create(optionsIn(page.html)))
  await one.post('/console/account/passkeys/new', { credential, description: 'phone' })
  return key
}

/** Every way in, in a browser that is signed in already. */
const WAYS: readonly (readonly [way: string, enter: (one: Person) => Promise<unknown>])[] = [
  ['the same password', async (one) => one.signIn('a', PASSWORD)],
  ['the password of another account', async (one) => one.signIn('leaver', PASSWORD)],
  ['an API key', async (one) => one.signInWith('key-of-b')],
  [
    'a link that opens the console',
    async (one) => one.post('/console/open', { code: await codeFor('open') }),
  ],
  [
    'an invitation',
    async (one) =>
      one.post('/console/invitation', {
        code: await codeFor('invitation'),
        account: 'newcomer',
        password: LONG,
        again: LONG,
      }),
  ],
]

/** What a request with this cookie alone is answered. */
const withCookie = async (cookie: string): Promise<number> =>
  (await person().send('/console/names', { headers: { cookie } })).status

const cookieOf = (one: Person): string => {
  const cookie = one.cookie()
  if (cookie === undefined) throw new Error('no cookie')
  return cookie
}

describe('a second sign-in in the same browser', () => {
  it.each(WAYS)('by %s ends the first session at once', async (_, enter) => {
    const [one, elsewhere] = [person(), person()]
    await one.signIn('a', PASSWORD)
    await elsewhere.signIn('a', PASSWORD)
    const [first, other] = [cookieOf(one), cookieOf(elsewhere)]
    expect(await withCookie(first)).toBe(200)
    await enter(one)
    const second = cookieOf(one)

    expect(second).not.toBe(first)
    expect({ first: await withCookie(first), second: await withCookie(second) }).toEqual({
      first: 303,
      second: 200,
    })
    // Another browser of the same person is no matter of this one.
    expect(await withCookie(other)).toBe(200)
  })

  it('by a passkey ends the first session at once', async () => {
    const key = await passkeyOfA()
    const one = person()
    await one.signIn('leaver', PASSWORD)
    const first = cookieOf(one)
    const page = await person().send('/console/sign-in')
    await one.post('/console/sign-in', { credential: JSON.stringify(key.get(optionsIn(page.html))) })

    expect([await withCookie(first), await withCookie(cookieOf(one))]).toEqual([303, 200])
  })

  it('leaves one session of the browser in the list', async () => {
    const one = person()
    for (let n = 0; n < 3; n += 1) await one.signIn('leaver', PASSWORD)
    const id = await at.world.store.read(async (r) => (await r.login('leaver'))?.accountId ?? 0)
    const page = { offset: 0, limit: 100 }
    const over = { created: at.now, seen: at.now }
    const { items } = await at.world.store.read(async (r) => r.sessionsOf(id, page as never, over as never))
    expect(items).toHaveLength(1)
  })

  it('that fails ends nothing', async () => {
    const one = person()
    await one.signIn('a', PASSWORD)
    const first = cookieOf(one)
    expect((await one.signIn('a', 'wrong')).status).toBe(403)
    expect(await withCookie(first)).toBe(200)
  })

  it('by a cookie that is none signs in as usual', async () => {
    const one = person()
    const headers = { cookie: '__Host-holdfast=nothing' }
    const form = { account: 'a', password: PASSWORD }
    expect((await one.post('/console/sign-in', form, { headers })).status).toBe(303)
    expect(await withCookie(cookieOf(one))).toBe(200)
  })

  it('of a session that waits for its second factor ends that one too', async () => {
    await passkeyOfA()
    const one = person()
    await one.signIn('a', PASSWORD)
    const half = cookieOf(one)
    expect((await person().send('/console/second-factor', { headers: { cookie: half } })).status).toBe(200)
    const hash = await slowHash(LONG)
    await at.world.store.write(async (w) =>
      w.setAccountPassword(at.world.ids['b'] ?? 0, hash, Date.UTC(2026, 0, 1) as Instant),
    )
    await one.signIn('b', LONG)
    const { headers } = await person().send('/console/second-factor', { headers: { cookie: half } })
    expect(headers['location']).toMatch(/^\/console\/sign-in/)
  })
})
