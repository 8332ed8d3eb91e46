import { Secret, TOTP } from 'otpauth'
import { describe, expect, it } from 'vitest'
import { after, seconds } from '../../../src/shared/base/time.ts'
import { PASSWORD } from '../api/world.ts'
import { consoleTests } from './person.ts'

const { at, person } = consoleTests()
const codeOf = (secret: string, when: number = at.now): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: when })
const codesIn = (html: string): readonly string[] =>
  [...html.matchAll(/\b\w{5}-\w{5}\b/g)].map(([code]) => code)

/** A person with an app, and with ten codes on paper. */
async function withFactor() {
  const one = person()
  await one.signIn('a', PASSWORD)
  await one.send('/console/account')
  const added = await one.post('/console/account/factors', { description: 'my phone' })
  const [, secret = ''] = /<code class="copy" dir="ltr">([A-Z2-7]{32})<\/code>/.exec(added.html) ?? []
  const [, confirm = ''] = /action="(\/console\/account\/factors\/\d+\/confirm)"/.exec(added.html) ?? []
  return { one, added, secret, confirm }
}

describe('an authenticator app', () => {
  it('is asked for once a code of it was right, after the password', async () => {
    const { one, added, secret, confirm } = await withFactor()
    expect(added.html).toContain('src="data:image/svg+xml,')
    expect((await person().signIn('a', PASSWORD)).headers['location']).toBe('/console/names')
    const wrong = await one.post(confirm, { code: '000000', secret, uri: 'otpauth://x' })
    expect([wrong.status, wrong.html]).toEqual([422, expect.stringContaining('<a href="#code">')])
    const earlier = person()
    await earlier.signIn('a', PASSWORD)
    const long = await one.post(confirm, { code: '1', secret, uri: 'u'.repeat(20_000) })
    expect(long.status).toBe(422)
    const confirmed = await one.post(confirm, { code: codeOf(secret), secret, uri: 'x' })
    expect((await earlier.send('/console/names')).headers['location']).toBe('/console/second-factor')
    expect((await one.send('/console/names')).status).toBe(200)
    expect(codesIn(confirmed.html)).toHaveLength(10)
    for (const path of ['/console/account', '/console/trail', '/console/trail/file'])
      expect((await one.send(path)).html).not.toMatch(new RegExp(`${secret}|${codesIn(confirmed.html)[0]}`))

    at.now = after(at.now, seconds(30))
    const other = person()
    await other.signIn('a', PASSWORD)
    for (const path of ['/console/names', '/console/account', '/console/trail/file', '/console/nothing'])
      expect((await other.send(path)).headers['location']).toMatch(/^\/console\/second-factor(\?back=|$)/)
    expect((await other.send('/console/second-factor')).text).toContain(
      'Now the code of your authenticator app',
    )
    const before = other.cookie()
    const refused = await other.post('/console/second-factor', { code: '123' })
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('The code is wrong')])
    const code = codeOf(secret)
    const asked = await other.send('/console/trail?name=*.x')
    const page = await other.send(asked.headers['location'] ?? '')
    const [, back = ''] = /name="back" value="([^"]*)"/.exec(page.html) ?? []
    expect((await other.post('/console/second-factor', { code, back })).headers['location']).toBe(
      '/console/trail?name=*.x',
    )
    expect((await other.send('/console/names')).status).toBe(200)
    expect(
      (await person().send('/console/names', { headers: { cookie: before ?? '' } })).headers['location'],
    ).toBe('/console/sign-in')
    const again = person()
    await again.signIn('a', PASSWORD)
    await again.send('/console/second-factor')
    expect((await again.post('/console/second-factor', { code })).status).toBe(403)
  })

  it('may be a step before or after, and no more', async () => {
    const { one, secret, confirm } = await withFactor()
    await one.post(confirm, { code: codeOf(secret) })
    const later = after(at.now, seconds(3000))
    const tried = async (offset: number): Promise<number> => {
      at.now = after(later, seconds(offset * 10))
      const other = person()
      await other.signIn('a', PASSWORD)
      await other.send('/console/second-factor')
      return (await other.post('/console/second-factor', { code: codeOf(secret, at.now + offset * 1000) }))
        .status
    }
    expect([await tried(-61), await tried(-30), await tried(31), await tried(61)]).toEqual([
      403, 303, 303, 403,
    ])
  })

  it('makes the password alone useless for programs, and API keys not', async () => {
    const { one, secret, confirm } = await withFactor()
    expect((await at.world.ask('GET', '/v1/account', undefined, `a:${PASSWORD}`)).status).toBe(200)
    await one.post(confirm, { code: codeOf(secret) })
    const refused = await at.world.ask('GET', '/v1/account', undefined, `a:${PASSWORD}`)
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      403,
      expect.stringContaining('use an API key'),
    ])
    expect((await at.world.ask('GET', '/v1/account')).status).toBe(200)
    expect((await at.world.ask('POST', '/v1/account/second-factors/totp', {})).status).toBe(403)
  })

  it('is replaced by a code on paper, once, and goes with the deletion', async () => {
    const { one, secret, confirm } = await withFactor()
    const [code = '', next = ''] = codesIn((await one.post(confirm, { code: codeOf(secret) })).html)
    const tried = async (used: string): Promise<number> => {
      const other = person()
      await other.signIn('a', PASSWORD)
      await other.send('/console/second-factor')
      return (await other.post('/console/second-factor', { code: used })).status
    }
    expect([await tried(` ${code.replace('-', ' ')} `), await tried(code), await tried(next)]).toEqual([
      303, 403, 303,
    ])
    const { html, text } = await one.send('/console/account')
    expect(text).toContain('8 recovery codes are left')
    const fresh = codesIn((await one.post('/console/account/recovery-codes')).html)
    expect(fresh).toHaveLength(10)
    expect(await tried(fresh[0] ?? '')).toBe(303)
    for (const [, path = ''] of html.matchAll(/action="(\/console\/account\/factors\/\d+\/delete)"/g))
      expect((await one.post(path)).headers['location']).toBe('/console/account')
    expect((await person().signIn('a', PASSWORD)).headers['location']).toBe('/console/names')
    expect((await one.send('/console/account')).text).not.toContain('recovery code')
  })
})
