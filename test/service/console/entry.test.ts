import type { Instant } from '../../../src/shared/base/time.ts'
import { describe, expect, it } from 'vitest'
import { after, minutes, seconds } from '../../../src/shared/base/time.ts'
import { PASSWORD } from '../api/world.ts'
import { authenticator } from '../auth/authenticator.ts'
import { consoleTests, ORIGIN } from './person.ts'

const { at, person } = consoleTests()

/** What a page gives the browser for a passkey. */
const optionsIn = (html: string): object => {
  const [, text = '{}'] = /data-options="([^"]*)"/.exec(html) ?? []
  return JSON.parse(
    text.replaceAll('&quot;', '"').replaceAll('&#34;', '"').replaceAll('&amp;', '&'),
  ) as object
}

/** Account A, with a passkey that was made at the console. */
async function withPasskey() {
  const key = authenticator(ORIGIN)
  const one = person()
  await one.signIn('a', PASSWORD)
  await one.send('/console/account')
  const page = await one.post('/console/account/passkeys', { description: 'my phone' })
  const credential = JSON.stringify(key.create(optionsIn(page.html)))
  const made = await one.post('/console/account/passkeys/new', { credential, description: 'my phone' })
  return { key, one, made }
}

describe('a passkey', () => {
  it('is made with ten recovery codes, and signs in without a password', async () => {
    const { key, one, made } = await withPasskey()
    expect(made.html.match(/\b\w{5}-\w{5}\b/g)).toHaveLength(10)
    const account = await one.send('/console/account')
    expect(account.text).toMatch(/my phone\s+Passkey/)

    const other = person()
    const signIn = await other.send('/console/sign-in')
    const credential = JSON.stringify(key.get(optionsIn(signIn.html)))
    expect((await other.post('/console/sign-in', { credential })).headers['location']).toBe('/console/names')
    expect((await other.send('/console/names')).status).toBe(200)
    const again = await person().post('/console/sign-in', { credential })
    expect([again.status, again.text]).toEqual([
      403,
      expect.stringContaining('This passkey is not known here'),
    ])
  })

  it('is the second factor after the password, and the password alone is none', async () => {
    const { key } = await withPasskey()
    const other = person()
    await other.signIn('a', PASSWORD)
    expect((await other.send('/console/names')).headers['location']).toBe('/console/second-factor')
    const page = await other.send('/console/second-factor')
    const credential = JSON.stringify(key.get(optionsIn(page.html)))
    expect((await other.post('/console/second-factor', { credential: '{}' })).status).toBe(403)
    expect((await other.post('/console/second-factor', { credential })).headers['location']).toBe(
      '/console/names',
    )
  })

  it('of another account is no second factor here', async () => {
    const { key } = await withPasskey()
    const { world } = at
    await world.store.write(async (w) =>
      w.setAccountPassword(world.ids['b'] ?? 0, await passwordHash(), Date.UTC(2026, 0, 1) as Instant),
    )
    await world.store.write(async (w) => {
      await w.addFactor({
        accountId: world.ids['b'] ?? 0,
        kind: 'totp',
        description: '',
        content: new Uint8Array(60),
        counter: 0,
        isConfirmed: true,
        createdAt: at.now,
      })
    })
    const other = person()
    await other.signIn('b', PASSWORD)
    const signIn = await person().send('/console/sign-in')
    const credential = JSON.stringify(key.get(optionsIn(signIn.html)))
    await other.send('/console/second-factor')
    expect((await other.post('/console/second-factor', { credential })).status).toBe(403)
  })

  it('is a proof before a deletion', async () => {
    const { key, one } = await withPasskey()
    at.now = after(at.now, minutes(6))
    await one.send('/console/account')
    const asked = await one.post('/console/keys/ddns/kkk2222/delete')
    expect(asked.text).toContain('Confirm that it is you')
    const passkey = JSON.stringify(key.get(optionsIn(asked.html)))
    const done = await one.post('/console/keys/ddns/kkk2222/delete', { passkey })
    expect(done.headers['location']).toBe('/console/keys')
  })

  it('is deleted like an app, and the password alone is enough again', async () => {
    const { one } = await withPasskey()
    const account = await one.send('/console/account')
    const removals = [...account.html.matchAll(/action="(\/console\/account\/factors\/\d+\/delete)"/g)]
    for (const [, path = ''] of removals) await one.post(path)
    expect((await person().signIn('a', PASSWORD)).headers['location']).toBe('/console/names')
    const other = person()
    await other.signIn('a', PASSWORD)
    expect((await other.send('/console/names')).status).toBe(200)
  })

  it.each([['{'], ['""'], ['{"response":{}}'], ['x'.repeat(5000)]])(
    'is not made of %j',
    async (credential) => {
      const one = person()
      await one.signIn('a', PASSWORD)
      await one.send('/console/account')
      const made = await one.post('/console/account/passkeys/new', { credential, description: '' })
      expect(made.status).toBeGreaterThanOrEqual(400)
      expect(made.status).toBeLessThan(500)
    },
  )
})

const passwordHash = async (): Promise<Uint8Array> => {
  const hash = (await at.world.store.read(async (r) => r.login('a')))?.hash
  if (hash === undefined) throw new Error('no account')
  return hash
}

describe('a forgotten password', () => {
  it('without a mail server is for the operator', async () => {
    expect((await person().send('/console/forgotten')).text).toContain('Ask the operator')
    expect((await person().post('/console/forgotten', { account: 'a' })).text).toContain('Ask the operator')
  })

  it('gets a link by mail, at most one in ten minutes, and the page says the same for every name', async () => {
    const { world, sent } = at
    await world.store.write(async (w) => {
      const id = world.ids['a'] ?? 0
      await w.changeAccount(id, { email: 'a@mail.test' }, Date.UTC(2026, 0, 1) as Instant)
      await w.confirmEmail(id, 'a@mail.test')
    })
    const one = person({ hasMail: true })
    expect((await one.send('/console/sign-in')).html).toContain('href="/console/forgotten"')
    expect((await one.send('/console/forgotten')).status).toBe(200)
    const pages = []
    for (const account of ['a', 'a', 'b', 'nobody', ''])
      pages.push((await one.post('/console/forgotten', { account })).html)
    expect(new Set(pages).size).toBe(1)
    await expect.poll(() => sent.length).toBe(1)
    expect(sent[0]).toMatchObject({
      to: 'a@mail.test',
      text: expect.stringContaining(`${ORIGIN}/console/reset#`) as string,
    })
    const [, code = ''] = /reset#([\w-]{43})/.exec(sent[0]?.text ?? '') ?? []
    const form = { code, password: 'another password', again: 'another password' }
    expect((await one.post('/console/reset', form)).headers['location']).toBe('/console/sign-in?saved=yes')

    at.now = after(at.now, minutes(10))
    await one.post('/console/forgotten', { account: 'a' })
    await expect.poll(() => sent.length).toBe(2)
  })

  it('counts as a failed login: a network does not fill a mailbox, and does not look for accounts', async () => {
    const one = person({ hasMail: true, badauthLimit: 3 })
    for (let n = 0; n < 4; n++) await one.post('/console/forgotten', { account: `x${n}` })
    const refused = await one.post('/console/forgotten', { account: 'a' })
    expect([refused.status, refused.text]).toEqual([429, expect.stringContaining('Try again in')])
    at.now = after(at.now, seconds(900))
    expect((await one.post('/console/forgotten', { account: 'a' })).status).toBe(200)
  })
})

describe('the e-mail address of an account', () => {
  it('is entered, checked, and removed', async () => {
    const one = person()
    await one.signIn('a', PASSWORD)
    await one.send('/console/account')
    const address = async () =>
      (await at.world.store.read(async (r) => r.account(at.world.ids['a'] ?? 0)))?.email
    await one.post('/console/account/email', { email: ' a@mail.test ' })
    expect(await address()).toBe('a@mail.test')
    for (const email of [
      'nobody',
      'a@b@c',
      'a@mail.test\r\nBcc: x@y.test',
      'a, b@mail.test',
      '<a@mail.test>',
    ]) {
      const wrong = await one.post('/console/account/email', { email })
      expect([email, wrong.status]).toEqual([email, 422])
    }
    expect(await address()).toBe('a@mail.test')
    await one.post('/console/account/email', { email: '' })
    expect(await address()).toBeUndefined()
  })
})

it('a database that is away is told as such, and nothing else is', async () => {
  const one = person({ isAway: true })
  const page = await one.send('/console/names', { headers: { cookie: `__Host-holdfast=${'x'.repeat(43)}` } })
  expect([page.status, page.text]).toEqual([
    503,
    expect.stringContaining('The database of this service is unavailable'),
  ])
})
