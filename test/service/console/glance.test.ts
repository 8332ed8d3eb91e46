import { beforeEach, describe, expect, it } from 'vitest'
import type { Address } from '../../../src/shared/base/address.ts'
import { PASSWORD } from '../api/world.ts'
import { consoleTests } from './person.ts'

const { at, person } = consoleTests()
const HOME = '/console/names/example.test/home'
const KEY = '/console/keys/ddns/kkk1111'
let one: ReturnType<typeof person>
beforeEach(async () => {
  one = person()
  await one.signIn('a', PASSWORD)
})

/** The key of the router gets this reply. */
const refuse = async (reply: string): Promise<void> =>
  at.world.store.write(async (w) => {
    const key = await w.keyNamed('kkk1111')
    const { id = 0 } = key ?? {}
    const usage = { requests: [], refusals: [], nondescriptive: 0 }
    const last = { at: at.now, agent: 'router/1', peer: '192.0.2.9' as Address, reply }
    await w.putUsage({ kind: 'key', id, accountId: 1 }, usage, last)
  })

const refusedAmongNames = async (): Promise<number> =>
  (await one.send('/console/names')).text.split('update refused').length - 1

describe('a router that is refused', () => {
  it.each<[string, string]>([
    ['nohost', 'is not one of those above'],
    ['badagent', 'does not say which program it is'],
    ['!donator', 'the zone may be for the website only'],
    ['911', 'tries again by itself'],
  ])('%s is seen among the names, and explained at its key', async (reply, why) => {
    expect(await refusedAmongNames()).toBe(0)
    await refuse(reply)

    // Both names of the key: among those that need a person, and in the list.
    expect(await refusedAmongNames()).toBe(4)
    expect((await one.send(HOME)).text).toContain('The last update was refused. See why, at its key')
    expect((await one.send(KEY)).text).toContain(why)
  })

  it('is no longer after a good one, and words of no meaning are shown as they are', async () => {
    await refuse('constructor')
    expect((await one.send(KEY)).text).toContain('constructor')
    await refuse('good 192.0.2.1')
    expect(await refusedAmongNames()).toBe(0)
  })
})

describe('a name that is offline', () => {
  it('shows what it shows meanwhile, which can be changed, and not its address', async () => {
    const address = /class="address">/
    expect((await one.send(HOME)).html).toMatch(address)
    await one.post(`${HOME}/offline`, { action: 'record', value: '203.0.113.99' })
    const shown = await one.send(HOME)
    expect(shown.text).toContain('What it shows meanwhile: another address, 203.0.113.99')
    expect(shown.html).not.toMatch(address)
    await one.post(`${HOME}/offline`, { action: 'page', value: 'Back soon' })
    const other = await one.send(HOME)
    expect(other.text).toMatch(/a text, Back soon.*Take it online.*Change what it shows/s)
    expect((await one.send('/console/names')).text).toMatch(/home\.example\.test\s+–/)
  })
})

describe('what cannot be done is not offered', () => {
  it('the deletion of an apex; second factors to an API key', async () => {
    expect((await one.send(HOME)).text).toContain('Delete home.example.test')
    expect((await one.send('/console/names/example.test/@')).text).not.toContain('Delete example.test')
    expect((await one.send('/console/account')).text).toContain('authenticator app')
    const key = person()
    await key.signInWith('key-of-a')
    expect((await key.send('/console/account')).text).not.toContain('authenticator app')
  })
})

describe('keys of programs', () => {
  it('are called in the list as in the trail and in a configuration', async () => {
    await one.send('/console/keys/new-tsig-key')
    const made = await one.post('/console/keys/new-tsig-key', { description: 'certbot' })
    const [, name = ''] = /\b(key-[a-z0-9]+)\b/.exec(made.text) ?? []
    expect(made.text).toMatch(/Algorithm\s+hmac-sha256/)
    const keys = await one.send('/console/keys')
    expect(keys.text).toContain(`certbot ${name}`)
    expect(keys.text).toMatch(/API key \d/)
  })
})

describe('a request by plain http, which others can read', () => {
  const headers = { isClear: true } as const

  it('is sent to https, and a form is refused', async () => {
    const page = await one.send('/console/names?state=stuck', { headers })
    expect([page.status, page.headers['location']]).toEqual([
      307,
      'https://dns.example/console/names?state=stuck',
    ])
    const form = { account: 'a', password: PASSWORD }
    const sent = await person().post('/console/sign-in', form, { headers })
    expect([sent.status, sent.headers['set-cookie']]).toEqual([403, undefined])
  })
})
