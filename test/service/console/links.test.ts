import { describe, expect, it } from 'vitest'
import { after, days, hours, minutes } from '../../../src/shared/base/time.ts'
import { ADMIN_OPERATIONS } from '../../../src/service/admin/operations.ts'
import { makeCode } from '../../../src/service/auth/one-time-codes.ts'
import { PEPPER } from '../api/inside.ts'
import { PASSWORD } from '../api/world.ts'
import { consoleTests, ORIGIN } from './person.ts'

const { at, person } = consoleTests()
const admin = async (name: string, args: readonly string[], console: string | undefined = ORIGIN) =>
  at.world.store.write(async (w) =>
    ADMIN_OPERATIONS[name]?.run(
      { w, pepper: PEPPER, nameservers: [], catalogZone: '', now: at.now, console },
      args,
    ),
  )
const linkBy = async (name: string, ...args: readonly string[]): Promise<string> => {
  const result = await admin(name, args)
  if (result?.ok !== true) throw new Error(JSON.stringify(result))
  return String(result.value.data['link'])
}
const codeIn = (link: string): string => link.split('#')[1] ?? ''

describe('an invitation', () => {
  it('makes an account of its plan, once, and signs in', async () => {
    const link = await linkBy('invitation add', 'plan of a', 'zone=vip.test')
    expect(link).toMatch(/^https:\/\/dns\.example\/console\/invitation#[\w-]{43}$/)
    const form = {
      code: codeIn(link),
      account: 'newcomer',
      password: 'a long password',
      again: 'a long password',
    }
    const one = person()
    expect((await one.send('/console/invitation')).text).toContain('You are invited')
    expect((await one.post('/console/invitation', form)).headers['location']).toBe('/console/names')
    expect((await one.send('/console/account')).text).toContain('Plan: plan of a')
    const again = await person().post('/console/invitation', { ...form, account: 'another' })
    expect([again.status, again.text]).toEqual([422, expect.stringContaining('was already used')])
    expect((await person().signIn('newcomer', 'a long password')).status).toBe(303)
    await one.send('/console/names/new')
    expect((await one.post('/console/names/new', { hostname: 'mine.vip.test' })).status).toBe(303)
  })

  it.each<[string, changes: readonly (readonly [string, ...string[]])[]]>([
    ['shared no longer', [['zone set', 'vip.test', 'shared=no']]],
    [
      'another one since',
      [
        ['zone remove', 'vip.test', 'confirm=1'],
        ['zone add', 'vip.test', 'b'],
      ],
    ],
  ])('gives nothing in a zone that is %s', async (_, changes) => {
    const code = codeIn(await linkBy('invitation add', 'plan of a', 'zone=vip.test'))
    at.now = after(at.now, minutes(1))
    for (const [name, ...args] of changes) expect(await admin(name, args)).toMatchObject({ ok: true })
    const one = person()
    const password = 'a long password'
    await one.post('/console/invitation', { code, account: 'newcomer', password, again: password })
    await admin('zone set', ['vip.test', 'shared=yes', 'members-only=yes'])
    await one.send('/console/names/new')
    expect((await one.post('/console/names/new', { hostname: 'mine.vip.test' })).status).toBe(422)
  })

  it.each([
    ['a name that is taken', { account: 'b' }, 'This name is taken.'],
    ['the name of a DDNS key', { account: 'kkk1111' }, 'has the form of the username of a DDNS key'],
    ['a name with blanks', { account: 'a b' }, 'does not consist of'],
    ['a short password', { password: 'short', again: 'short' }, 'at least 12 characters'],
    ['two passwords', { again: 'another password' }, 'do not match'],
  ])('is not used up by %s', async (_, wrong, why) => {
    const code = codeIn(await linkBy('invitation add', 'plan of a'))
    const form = { code, account: 'newcomer', password: 'a long password', again: 'a long password' }
    const refused = await person().post('/console/invitation', { ...form, ...wrong })
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining(why)])
    expect((await person().post('/console/invitation', form)).status).toBe(303)
  })

  it('makes one account, however many use it at once', async () => {
    const code = codeIn(await linkBy('invitation add', 'plan of a'))
    const form = { code, password: 'a long password', again: 'a long password' }
    const all = await Promise.all(
      Array.from({ length: 5 }, async (_, n) =>
        person().post('/console/invitation', { ...form, account: `n-${n}` }),
      ),
    )
    expect(all.map(({ status }) => status).toSorted()).toEqual([303, 422, 422, 422, 422])
  })

  it('ends after a week, or as its maker says, or when it is removed', async () => {
    const use = async (link: string) =>
      (
        await person().post('/console/invitation', {
          code: codeIn(link),
          account: `x-${at.now}`,
          password: 'a long password',
          again: 'a long password',
        })
      ).status
    const [week, day] = [
      await linkBy('invitation add', 'plan of a'),
      await linkBy('invitation add', 'plan of a', 'expires=1d'),
    ]
    const removed = await linkBy('invitation add', 'plan of a')
    const listed = await admin('invitation list', [])
    expect(listed).toMatchObject({
      ok: true,
      value: { data: { invitations: [{ plan: 'plan of a' }, {}, {}, {}] } },
    })
    const [newest] = (listed?.ok === true ? listed.value.data['invitations'] : []) as readonly {
      readonly id: number
    }[]
    expect(JSON.stringify(listed)).not.toContain(codeIn(week))
    expect(await admin('invitation remove', [String(newest?.id)])).toMatchObject({ ok: true })
    expect(await use(removed)).toBe(422)
    at.now = after(at.now, days(1))
    expect(await use(day)).toBe(422)
    at.now = after(at.now, days(5))
    expect(await use(week)).toBe(303)
  })

  it.each([
    [['invitation add', 'nothing'], 'there is no plan nothing'],
    [['invitation add', 'plan of a', 'zone=nowhere.test'], 'there is no zone nowhere.test'],
    [
      ['invitation add', 'plan of a', 'zone=example.test'],
      'holdfast admin zone set example.test shared=yes members-only=yes',
    ],
    [['invitation add', 'plan of a', 'zone=vip.test', 'zone=vip.test'], 'zone, expires and email once'],
    [['invitation add', 'plan of a', 'expires=soon'], 'expires is not a duration'],
    [['invitation add', 'plan of a', 'colour=red'], 'colour is not known'],
    [['invitation remove', 'x'], 'there is no invitation x'],
    [['account reset-link', 'nobody'], 'there is no account nobody'],
  ])('%j: %s', async ([name = '', ...args], why) => {
    expect(await admin(name, args)).toEqual({ ok: false, error: expect.stringContaining(why) as string })
  })

  it('needs the address of the console', async () => {
    const context = { pepper: PEPPER, nameservers: [], catalogZone: '', now: at.now }
    for (const [name = '', ...args] of [
      ['invitation add', 'plan of a'],
      ['account reset-link', 'a'],
    ]) {
      const result = await at.world.store.write(async (w) =>
        ADMIN_OPERATIONS[name]?.run({ w, ...context }, args),
      )
      expect(result).toEqual({ ok: false, error: expect.stringContaining('set console') as string })
    }
  })
})

describe('a reset', () => {
  it('gives another password, once, within an hour, and ends all sessions', async () => {
    const one = person()
    await one.signIn('a', PASSWORD)
    const [link, late] = [await linkBy('account reset-link', 'a'), await linkBy('account reset-link', 'a')]
    const form = (used: string) => ({
      code: codeIn(used),
      password: 'a long password',
      again: 'a long password',
    })
    expect((await person().post('/console/reset', form(link))).headers['location']).toBe(
      '/console/sign-in?saved=yes',
    )
    expect((await one.send('/console/names')).status).toBe(303)
    expect((await person().signIn('a', PASSWORD)).status).toBe(403)
    expect((await person().signIn('a', 'a long password')).status).toBe(303)
    expect((await person().post('/console/reset', form(link))).status).toBe(422)
    at.now = after(at.now, hours(1))
    expect((await person().post('/console/reset', form(late))).status).toBe(422)
  })
})

describe('a link that opens the console', () => {
  it('does so once, within ten minutes, and is no invitation', async () => {
    const make = async () =>
      (
        await at.world.store.write(async (w) =>
          makeCode(w, { purpose: 'open', accountId: at.world.ids['a'] ?? 0, now: at.now }),
        )
      ).reveal()
    const [code, late] = [await make(), await make()]
    expect(
      (await person().post('/console/reset', { code, password: 'a long password', again: 'a long password' }))
        .status,
    ).toBe(422)
    const one = person()
    expect((await one.send('/console/open')).text).toContain('This link signs you in once')
    expect(
      (await one.post('/console/open', { code: `https://dns.example/console/open#${code}` })).status,
    ).toBe(303)
    expect((await one.send('/console/names')).status).toBe(200)
    expect((await person().post('/console/open', { code })).status).toBe(422)
    at.now = after(at.now, minutes(10))
    expect((await person().post('/console/open', { code: late })).status).toBe(422)
  })
})
