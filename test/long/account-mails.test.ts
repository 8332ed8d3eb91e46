import { describe, expect, it } from 'vitest'
import {
  DOORS,
  OPERATOR,
  STRICT,
  TOO_MANY_WRONG,
  update,
  withKey,
  WRONG_DOORS,
} from '../e2e/account-doors.ts'
import { accountWorld, type AccountWorld, HOME, kindOf, linkIn, SUBJECTS } from '../e2e/account-mails.ts'

/** As many as the maximum number of operations of one kind. */
const TENANTS = ['tenant-a', 'tenant-b', 'tenant-c', 'tenant-d', 'tenant-e', 'tenant-f']
/** Milliseconds between two messages of a limited kind. */
const DAY = 24 * 3_600_000
const SUBJECT_EXAMPLES = [
  ['Confirm your e-mail address', 'confirm'],
  ['Your e-mail address was changed', 'emailChanged'],
  ['Your password was changed', 'passwordChanged'],
  ['A second factor was added', 'factorAdded'],
  ['A second factor was removed', 'factorRemoved'],
  ['A new API key', 'apiKey'],
  ['A new TSIG key', 'tsigKey'],
  ['A DDNS key is blocked', 'keyBlocked'],
  ['Your account is suspended', 'suspended'],
  ['Wrong passwords for your account', 'wrongPasswords'],
  ['A sign-in from a new network', 'signIn'],
  ['A new password for Holdfast', 'reset'],
  ['Anything else', 'unknown: Anything else'],
] as const

const made = async (args: Readonly<Record<string, string>> = {}): Promise<AccountWorld> => {
  const world = await accountWorld([OPERATOR, ...TENANTS], { args })
  await world.admin('account', 'set', OPERATOR, 'operator=yes')
  return world
}

it('each subject has one kind', () => {
  for (const [subject, kind] of SUBJECT_EXAMPLES)
    expect([subject, kindOf({ fields: new Map([['subject', subject]]) })]).toEqual([subject, kind])
})

const KINDS = (Object.keys(SUBJECTS) as (keyof typeof SUBJECTS)[]).filter((kind) =>
  DOORS.some((one) => one.kind === kind),
)

describe('each operation causes one message without a secret', () => {
  it.each(KINDS)('%s', async (kind) => {
    const world = await made(kind === 'keyBlocked' ? STRICT : {})
    const doors = DOORS.filter((one) => one.kind === kind)
    const heard: (readonly [string, readonly string[]])[] = []
    for (const [nth, { door, given, act }] of doors.entries()) {
      const account = TENANTS[nth] ?? ''
      const tenant = { world, account, person: await world.confirmed(account) }
      await given?.(tenant)
      // A command is another process, so its message may arrive after the fence.
      const lines = await world.mailsOf(async () => {
        await act(tenant)
        await world.mail(kind, `${account}@mail.example`)
      })
      heard.push([door, lines])
    }
    expect(heard).toEqual(doors.map(({ door }, nth) => [door, [`${kind} to ${TENANTS[nth]}@mail.example`]]))
    expect(world.leaks()).toEqual([])
    for (const { to } of world.received) expect(to).toHaveLength(1)
  })

  it.each(['the page', '/v1'] as const)(
    'emailChanged: the old address, and a link to the new one: %s',
    async (door) => {
      const world = await made()
      const person = await world.confirmed('tenant-a')
      const to = async (email: string | null) =>
        door === '/v1'
          ? world.api('tenant-a', 'PATCH', '/account', { email })
          : person.send('/console/account/email', { email: email ?? '' })
      const changed = await world.mailsOf(async () => {
        expect((await to('next@mail.example')).status).toBeLessThan(400)
        const link = linkIn(await world.mail('confirm', 'next@mail.example'))
        expect((await person.follow(link)).status).toBeLessThan(400)
      })
      expect(changed).toEqual(['confirm to next@mail.example', 'emailChanged to tenant-a@mail.example'])
      // A removal needs no confirmation.
      const removed = await world.mailsOf(async () => to(null))
      expect(removed).toEqual(['emailChanged to next@mail.example'])
      expect(world.leaks()).toEqual([])
    },
  )

  it('refused requests and requests without a change cause no message', async () => {
    const world = await made()
    const person = await world.confirmed('tenant-a')
    const refused = await world.mailsOf(async () => {
      const again = {
        old_password: 'x',
        new_password: 'long enough, this one',
        again: 'long enough, this one',
      }
      const statuses = [
        await person.send('/console/account/password', again),
        await world.api('tenant-a', 'POST', '/account/api-keys', { description: 5 }),
        await world.api('tenant-a', 'POST', '/account/tsig-keys', { scopes: 5 }),
        await world.api('tenant-a', 'PATCH', '/account', { email: 'no address' }),
      ].map(({ status }) => status >= 400)
      expect(statuses).toEqual([true, true, true, true])
      // An unconfirmed app is not a factor.
      await world.api('tenant-a', 'POST', '/account/second-factors/totp', {})
      expect(
        (await world.api('tenant-a', 'PATCH', '/account', { email: 'tenant-a@mail.example' })).status,
      ).toBe(200)
      await world.signedIn('tenant-a')
    })
    expect(refused).toEqual([])
  })
})

describe('messages that others can cause are limited to one a day', () => {
  it('wrong passwords: at the 25th, and again a day later', async () => {
    const world = await made()
    const tenant = { world, account: 'tenant-a', person: await world.confirmed('tenant-a') }
    const wrong = async (count: number) =>
      world.mailsOf(async () => {
        for (let nth = 0; nth < count; nth++) await WRONG_DOORS['/nic/update'](tenant, `192.0.${nth}.1`)
      })
    expect(await wrong(TOO_MANY_WRONG - 1)).toEqual([])
    expect(await wrong(1)).toEqual(['wrongPasswords to tenant-a@mail.example'])
    expect(await wrong(TOO_MANY_WRONG + 1)).toEqual([])
    world.wait(DAY - 3_600_000)
    expect(await wrong(TOO_MANY_WRONG + 1)).toEqual([])
    world.wait(2 * 3_600_000)
    expect(await wrong(TOO_MANY_WRONG)).toEqual(['wrongPasswords to tenant-a@mail.example'])
  })

  it('a blocked key: no message for a second key on the same day', async () => {
    const world = await made(STRICT)
    const tenant = { world, account: 'tenant-a', person: await world.confirmed('tenant-a') }
    const abuse = async (name: string) =>
      world.mailsOf(async () => {
        const key = await withKey(tenant, name)
        const over = { hostname: `${name}.tenant-a.example` }
        for (let nth = 0; nth < 6; nth++) await update(tenant, key, over)
        expect(await update(tenant, key, over)).toBe('abuse')
      })
    expect(await abuse('home')).toEqual(['keyBlocked to tenant-a@mail.example'])
    expect(await abuse('office')).toEqual([])
    world.wait(DAY + 60_000)
    expect(await abuse('garden')).toEqual(['keyBlocked to tenant-a@mail.example'])
  })

  // biome-ignore format: a table
  const NETWORKS = [
    // from,                 hours before, whether it is told
    [HOME,                   0,            false],
    ['198.51.100.250',       0,            false],
    ['198.51.101.7',         0,            true],
    ['203.0.113.1',          0,            false],
    ['2001:db8:1::1',        25,           true],
    ['2001:db8:1:ffff::2',   25,           false],
    ['2001:db8:2::1',        0,            true],
    ['198.51.101.9',         25,           false],
    ['192.0.2.1',            0,            true],
  ] as const
  it('a sign-in: by /24 and /48, once per network', async () => {
    const world = await made()
    await world.confirmed('tenant-a')
    const told: (readonly [string, number, boolean])[] = []
    for (const [peer, hours] of NETWORKS.map(([from, before]) => [from, before] as const)) {
      world.wait(hours * 3_600_000)
      const lines = await world.mailsOf(async () => world.signedIn('tenant-a', peer))
      expect(lines.filter((one) => one !== 'signIn to tenant-a@mail.example')).toEqual([])
      told.push([peer, hours, lines.length === 1])
    }
    expect(told).toEqual(NETWORKS)
  })

  it('a new address: one message a day over all accounts', async () => {
    const world = await made()
    const spellings = [
      'victim@mail.example',
      'victim@MAIL.example',
      'victim@mail.example',
      'Victim@mail.example',
    ]
    const people = await Promise.all(TENANTS.map(async (one) => world.signedIn(one)))
    const asked = async () =>
      (
        await world.mailsOf(async () => {
          for (const [nth, person] of people.entries())
            await person.send('/console/account/email', { email: spellings[nth % spellings.length] ?? '' })
        })
      ).map((one) => one.toLowerCase())
    expect(await asked()).toEqual(['confirm to victim@mail.example'])
    for (const [nth, account] of TENANTS.entries())
      people[nth] = (world.wait(nth === 0 ? DAY + 60_000 : 0), await world.signedIn(account))
    expect(await asked()).toEqual(['confirm to victim@mail.example'])
  })
})
