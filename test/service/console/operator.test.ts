import type { Instant } from '../../../src/shared/base/time.ts'
import { Secret, TOTP } from 'otpauth'
import { describe, expect, it } from 'vitest'
import { after, seconds } from '../../../src/shared/base/time.ts'
import { DEFAULT_PLAN } from '../../../src/service/admin/default-plan.ts'
import { PASSWORD, TOTP_SECRET } from '../api/world.ts'
import { consoleTests } from './person.ts'

const { at, person } = consoleTests()
const code = (): string =>
  new TOTP({ secret: Secret.fromBase32(TOTP_SECRET) }).generate({ timestamp: at.now })

/** Account A as an operator, who has signed in with the second factor that the store has. */
async function operator({ hasFactor = true } = {}) {
  const { world } = at
  const id = world.ids['a'] ?? 0
  await world.store.write(async (w) => {
    await w.changeAccount(id, { isOperator: true }, Date.UTC(2026, 0, 1) as Instant)
    const [factor] = await w.factorsOf(id)
    if (hasFactor && factor !== undefined) await w.useFactor(factor.id, { counter: 1, now: at.now })
  })
  const one = person()
  await one.signIn('a', PASSWORD)
  if (!hasFactor) return one
  await one.send('/console/second-factor')
  await one.post('/console/second-factor', { code: code() })
  await one.send('/console/operator')
  return one
}

describe('the pages of operators', () => {
  it('are not there for anybody else', async () => {
    const one = person()
    await one.signIn('a', PASSWORD)
    expect((await one.send('/console/names')).html).not.toContain('/console/operator')
    for (const path of ['', '/accounts', '/accounts/b', '/plans', '/plans/plan%20of%20a'])
      expect((await one.send(`/console/operator${path}`)).status).toBe(403)
    await one.send('/console/account')
    const refused = await one.post('/console/operator/accounts/b', { suspended: 'yes' })
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('only operators may')])
  })

  it('need a second factor, and an API key does not do', async () => {
    const one = await operator({ hasFactor: false })
    const page = await one.send('/console/operator')
    expect([page.status, page.html]).toEqual([403, expect.stringContaining('href="/console/account"')])
    const key = person()
    await key.signInWith('key-of-a')
    expect((await key.send('/console/names')).html).not.toContain('/console/operator')
    expect((await key.send('/console/operator')).status).toBe(403)
  })

  it('show all accounts, find one, and change it', async () => {
    const one = await operator()
    expect((await one.send('/console/names')).html).toContain('href="/console/operator"')
    expect((await one.send('/console/operator/accounts')).text).toMatch(/ a .* b .* leaver .* o .* operator /)
    const found = await one.send('/console/operator/accounts?search=leav')
    expect([found.text.includes('leaver'), found.text.includes('operator a')]).toEqual([true, false])

    const here = '/console/operator/accounts/b'
    expect((await one.send(here)).text).toContain('b.test')
    expect((await one.post(here, { plan: 'plan of o' })).headers['location']).toBe(`${here}?saved=yes`)
    expect((await one.post(here, { suspended: 'yes' })).headers['location']).toBe(`${here}?saved=yes`)
    const changed = await one.send(here)
    expect(changed.text).toMatch(/suspended.*plan of o/s)
    await one.post(here, { suspended: 'no' })
    await one.post(here, { operator: 'yes' })
    expect((await one.send(here)).text).toMatch(/active operator/)
    const wrong = await one.post(here, { plan: 'none' })
    expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining('there is no plan none')])
    expect((await one.send('/console/operator/accounts/nobody')).status).toBe(404)
    const trail = await one.send('/console/trail')
    expect(trail.text).toMatch(/changed an account.*suspended&quot;:true/s)
  })

  it('list all accounts, a hundred at a time, and say where a list ends early', async () => {
    const one = await operator()
    const { store } = at.world
    await store.write(async (w) => {
      const planId = (await w.planNamed('plan of a')) ?? 0
      for (let n = 0; n < 10_001; n += 1)
        await w.addAccount({ name: `m${n}`, planId, hash: new Uint8Array(32) }, at.now)
    })
    const first = await one.send('/console/operator/accounts?search=m1')
    expect(first.text).not.toContain('ends after')
    const [, next = ''] = /href="([^"]*after=[^"]*)"/.exec(first.html) ?? []
    const second = await one.send(next.replaceAll('&amp;', '&'))
    const names = (html: string) => [...html.matchAll(/operator\/accounts\/(m\d+)"/g)].map(([, name]) => name)
    expect([names(first.html).length, names(second.html).length]).toEqual([100, 100])
    expect(names(first.html).filter((name) => names(second.html).includes(name))).toEqual([])
    expect((await one.send('/console/operator/accounts')).text).toContain('ends after its first 10000 rows')
  })

  it('find every plan, and say how many more blocks there are', async () => {
    const one = await operator()
    await at.world.store.write(async (w) => {
      for (let n = 0; n < 101; n += 1) {
        const planId = await w.addPlan({ name: `plan ${100 + n}`, ...DEFAULT_PLAN })
        const id = await w.addAccount({ name: `m${n}`, planId, hash: new Uint8Array(32) }, at.now)
        await w.changeAccount(id, { isSuspended: true }, Date.UTC(2026, 0, 1) as Instant)
      }
    })
    expect((await one.send('/console/operator/plans/plan%20200')).status).toBe(200)
    expect((await one.send('/console/operator/accounts/m100')).html).toMatch(
      /<option[^>]*selected[^>]*>plan 200</,
    )
    expect((await one.send('/console/operator')).text).toContain('The first 100 of 101.')
  })

  it('make a link for another password, which works once', async () => {
    const one = await operator()
    const page = await one.post('/console/operator/accounts/b/reset-link', {})
    const [, link = ''] = /(https:\/\/dns\.example\/console\/reset#[\w-]{43})/.exec(page.html) ?? []
    const form = { code: link.split('#')[1] ?? '', password: 'another password', again: 'another password' }
    expect((await person().post('/console/reset', form)).headers['location']).toBe(
      '/console/sign-in?saved=yes',
    )
    expect((await person().signIn('b', 'another password')).headers['location']).toBe('/console/names')
    const unsent = await one.post('/console/operator/accounts/b/reset-link', { send: 'yes' })
    expect([unsent.status, unsent.text]).toEqual([422, expect.stringContaining('mail_server')])
  })

  it('invite a person, and take the invitation back', async () => {
    const one = await operator()
    const made = await one.post('/console/operator/invitations', {
      plan: 'plan of a',
      zone: 'dyn.test',
      expires: '1d',
      email: '',
    })
    const [, link = ''] = /console\/invitation#([\w-]{43})/.exec(made.html) ?? []
    const invited = { code: link, account: 'newcomer', password: 'a new password', again: 'a new password' }
    expect((await person().post('/console/invitation', invited)).headers['location']).toBe('/console/names')

    await one.post('/console/operator/invitations', { plan: 'plan of a', expires: '7d' })
    const page = await one.send('/console/operator')
    const [, remove = ''] = /action="(\/console\/operator\/invitations\/\d+\/delete)"/.exec(page.html) ?? []
    expect((await one.post(remove)).headers['location']).toBe('/console/operator?saved=yes')
    expect((await one.post(remove)).status).toBe(422)
    const wrong = await one.post('/console/operator/invitations', { plan: 'plan of a', expires: 'soon' })
    expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining('expires')])
  })

  it('block and unblock, and end a lockout', async () => {
    const one = await operator()
    const blocked = async () =>
      (await at.world.store.read(async (r) => r.account(at.world.ids['b'] ?? 0)))?.isSuspended
    const review = await one.post('/console/operator/blocks', { subject: 'b' })
    expect([review.text.includes('Block b?'), await blocked()]).toEqual([true, false])
    await one.post('/console/operator/blocks/set', { subject: 'b' })
    expect(await blocked()).toBe(true)
    expect((await one.send('/console/operator')).text).toMatch(/ b by an operator without end/)
    await one.post('/console/operator/blocks/end', { subject: 'b' })
    expect(await blocked()).toBe(false)
    const wrong = await one.post('/console/operator/blocks/set', { subject: 'nothing' })
    expect([wrong.status, wrong.html]).toEqual([422, expect.stringContaining('href="#subject"')])

    const peer = 'api 2001:db8:0:1::/64'
    const until = after(at.now, seconds(60))
    await at.world.store.write(async (w) => w.putFailures(peer, { buckets: [], blockedUntil: until }))
    const page = await one.send('/console/operator')
    expect(page.text).toContain('2001:db8:0:1::/64')
    await one.post('/console/operator/lockouts/2001%3Adb8%3A0%3A1%3A%3A%2F64/end')
    expect((await one.send('/console/operator')).text).not.toContain('2001:db8:0:1::/64')
  })

  it('do not lock themselves out', async () => {
    const one = await operator()
    for (const [path, form] of [
      ['blocks/set', { subject: 'a' }],
      ['accounts/a', { suspended: 'yes' }],
    ] as const) {
      const refused = await one.post(`/console/operator/${path}`, form)
      expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('lock yourself out')])
    }
    expect((await one.send('/console/operator')).status).toBe(200)
  })

  it('end the lockout of a second factor, and no block of the account', async () => {
    const one = await operator()
    const { store, ids } = at.world
    const until = after(at.now, seconds(60))
    await store.write(async (w) => {
      await w.changeAccount(ids['b'] ?? 0, { isSuspended: true }, Date.UTC(2026, 0, 1) as Instant)
      await w.putFailures('factor b', { buckets: [], blockedUntil: until })
    })
    const page = await one.send('/console/operator')
    const [, end = ''] = /action="([^"]*lockouts[^"]*)"/.exec(page.html) ?? []
    expect((await one.post(end)).headers['location']).toBe('/console/operator?saved=yes')
    const stored = await store.read(async (r) => ({
      isSuspended: (await r.account(ids['b'] ?? 0))?.isSuspended,
      failures: await r.failuresOf('factor b'),
    }))
    expect(stored).toEqual({ isSuspended: true, failures: { buckets: [] } })
    const unknown = await one.post('/console/operator/lockouts/nothing/end')
    expect([unknown.status, unknown.text]).toEqual([422, expect.stringContaining('no account nothing')])
  })

  it('change a plan and make one', async () => {
    const one = await operator()
    const plan = '/console/operator/plans/plan%20of%20b'
    expect((await one.send(plan)).html).toContain('name="max_names"')
    const limits = {
      max_names: '7',
      max_rdata: '8',
      max_keys: '9',
      max_name_metadata: '1',
      max_rrset_metadata: '1',
      min_ttl: '60',
      fixed_ttl: '',
      types: 'A, AAAA',
      needs_factor: 'yes',
    }
    expect((await one.post(plan, limits)).headers['location']).toBe('/console/operator/plans?saved=yes')
    const account = await at.world.store.read(async (r) => r.account(at.world.ids['b'] ?? 0))
    expect(account?.plan).toMatchObject({
      maxNames: 7,
      types: ['A', 'AAAA'],
      needsFactor: true,
      hasOffline: false,
    })
    const wrong = await one.post(plan, { ...limits, max_names: 'many' })
    expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining('max_names is a whole number')])
    expect((await one.post('/console/operator/plans', { plan: 'gold' })).headers['location']).toBe(
      '/console/operator/plans/gold',
    )
    expect((await one.send('/console/operator/plans/gold')).status).toBe(200)
    expect((await one.send('/console/operator/plans/tin')).status).toBe(404)
  })

  it('ask for the password before a change, if it was given some minutes ago', async () => {
    const one = await operator()
    at.now = after(at.now, seconds(360))
    await one.send('/console/operator')
    const asked = await one.post('/console/operator/accounts/b', { suspended: 'yes' })
    expect(asked.text).toContain('Confirm that it is you')
    const done = await one.post('/console/operator/accounts/b', { suspended: 'yes', proof: PASSWORD })
    expect(done.headers['location']).toBe('/console/operator/accounts/b?saved=yes')
  })
})

describe('a plan that needs a second factor', () => {
  it('shows the account alone until there is one, and its password is not for programs', async () => {
    const { world } = at
    await world.store.write(async (w) =>
      w.changePlan(world.ids['plan-a'] ?? 0, { needsFactor: true } as never),
    )
    const one = person()
    await one.signIn('a', PASSWORD)
    for (const path of ['/console/names', '/console/keys', '/console/trail/file'])
      expect((await one.send(path)).headers['location']).toBe('/console/account')
    const page = await one.send('/console/account')
    expect(page.text).toContain('Your plan needs a second factor')
    const key = person()
    await key.signInWith('key-of-a')
    expect((await key.send('/console/names')).status).toBe(200)
  })
})
