import { describe, expect, it } from 'vitest'
import { TOO_MANY_WRONG, WRONG_DOORS } from '../e2e/account-doors.ts'
import { accountWorld, type AccountWorld } from '../e2e/account-mails.ts'

/** Kept per account. */
const MAX_SIGN_INS = 1000
/** Pages that can show events. */
const PAGES = ['/console/account', '/console/trail', '/console/names']

async function shown({ signedIn }: AccountWorld, account: string): Promise<string> {
  const person = await signedIn(account)
  const pages: string[] = []
  for (const path of PAGES) pages.push((await person.send(path)).html)
  return pages.join('\n')
}

/** All lists in a value, at any depth. */
const listsIn = (value: unknown): readonly (readonly unknown[])[] =>
  typeof value !== 'object' || value === null
    ? []
    : [...(Array.isArray(value) ? [value as unknown[]] : []), ...Object.values(value).flatMap(listsIn)]

const exported = async ({ api }: AccountWorld, account: string) =>
  (await api(account, 'GET', '/account/export')).data

describe('the sign-ins of an account', () => {
  it('are in the console and in the export, with their networks, when the sessions are over', async () => {
    const world = await accountWorld(['tenant-a'])
    for (const peer of ['203.0.113.77', '2001:db8:1:2::3']) {
      const person = await world.signedIn('tenant-a', peer)
      await person.send('/console/sign-out', {})
    }
    const places = {
      pages: await shown(world, 'tenant-a'),
      export: JSON.stringify(await exported(world, 'tenant-a')),
    }
    for (const [place, text] of Object.entries(places))
      expect([place, text.includes('203.0.113.0/24'), text.includes('2001:db8:1::/48')]).toEqual([
        place,
        true,
        true,
      ])
  })

  it('are limited to the newest 1000', async () => {
    const world = await accountWorld(['tenant-a'])
    const { data } = await world.api('tenant-a', 'POST', '/account/api-keys', { description: 'many' })
    const form = { key: String(data['key']) }
    const signIn = async (peer: string) => {
      const { status } = await world.browser(peer).send('/console/sign-in', form)
      expect(status).toBe(303)
    }
    await signIn('192.0.2.1')
    for (let nth = 0; nth < MAX_SIGN_INS; nth++) await signIn('203.0.113.1')
    const list = listsIn(await exported(world, 'tenant-a')).filter((one) =>
      JSON.stringify(one).includes('"network":"203.0.113.0/24"'),
    )
    expect(list.map(({ length }) => length)).toEqual([MAX_SIGN_INS])
    expect(JSON.stringify(list)).not.toContain('192.0.2.0/24')
  })
})

describe('without a mail server', () => {
  // biome-ignore format: a table
  const EVENTS: readonly (readonly [what: string, shown: RegExp, act: (world: AccountWorld) => Promise<unknown>])[] = [
    ['an API key',       /new API key|API key (?:was |has been )?(?:made|created|added)/i,
      async ({ api }) => api('tenant-a', 'POST', '/account/api-keys', { description: 'x' })],
    ['a TSIG key',       /new TSIG key|TSIG key (?:was |has been )?(?:made|created|added)/i,
      async ({ api }) => api('tenant-a', 'POST', '/account/tsig-keys', { description: 'x' })],
    ['another address',  /e-mail address (?:was |has been )?changed/i,
      async ({ api }) => api('tenant-a', 'PATCH', '/account', { email: 'a@mail.example' })],
    ['a sign-in',        /sign-?in from (?:a new|another) network/i,
      async ({ signedIn }) => signedIn('tenant-a', '203.0.113.1')],
    ['wrong passwords',  /wrong passwords/i, async (world) => {
      const tenant = { world, account: 'tenant-a', person: world.browser() }
      for (let nth = 0; nth < TOO_MANY_WRONG; nth++) await WRONG_DOORS['/nic/update'](tenant)
    }],
    ['another password', /password (?:was |has been )?changed/i, async ({ api, passwordOf, setPassword }) => {
      const next = 'another long password'
      await api('tenant-a', 'PUT', '/account/password', { old_password: passwordOf('tenant-a'), new_password: next })
      setPassword('tenant-a', next)
    }],
  ]
  it('the console shows the events', async () => {
    const world = await accountWorld(['tenant-a'], { hasMail: false })
    const before = await shown(world, 'tenant-a')
    for (const [, , act] of EVENTS) await act(world)
    const after = await shown(world, 'tenant-a')
    expect(EVENTS.map(([what, text]) => [what, text.test(before), text.test(after)])).toEqual(
      EVENTS.map(([what]) => [what, false, true]),
    )
  })

  it('an address stays unconfirmed, and gets no link after a mail server is configured', async () => {
    const world = await accountWorld(['tenant-a', 'tenant-b'], { hasMail: false })
    const person = await world.signedIn('tenant-a')
    await person.send('/console/account/email', { email: 'tenant-a@mail.example' })
    await world.api('tenant-b', 'PATCH', '/account', { email: 'tenant-b@mail.example' })
    await world.restart(true)
    const lines = await world.mailsOf(async () => {
      await world.forgotten('tenant-a')
      await world.forgotten('tenant-b')
    })
    expect(lines).toEqual([])
  })
})
