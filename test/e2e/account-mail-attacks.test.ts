import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { accountWorld, type AccountWorld, basic, HOME, linkIn } from './account-mails.ts'

const ACCOUNTS = ['tenant-a', 'tenant-b', 'tenant-c']
const [MINUTE, DAY] = [60_000, 24 * 3_600_000]
/** Links for one account are ten minutes apart. */
const NEXT_LINK = 11 * MINUTE
/** Longer than the lifetime of any link. */
const TOO_OLD = 8 * DAY

const made = async (): Promise<AccountWorld> => accountWorld(ACCOUNTS)

/** An account with a new address, and the link of the confirmation. */
async function asked(world: AccountWorld, account = 'tenant-a', email = 'first@mail.example') {
  const person = await world.signedIn(account)
  const set = async (next: string | null) =>
    (await person.send('/console/account/email', { email: next ?? '' })).status
  expect(await set(email)).toBe(303)
  return { person, set, link: linkIn(await world.mail('confirm', email)) }
}

/** Where a link for a new password is sent; this shows whether the address is confirmed. */
async function resets(world: AccountWorld, account = 'tenant-a'): Promise<readonly string[]> {
  world.wait(NEXT_LINK)
  return world.mailsOf(async () => world.forgotten(account))
}

const emailOf = async ({ api }: AccountWorld, account = 'tenant-a'): Promise<unknown> =>
  (await api(account, 'GET', '/account')).data['email']

describe('a confirmation link', () => {
  it('works once, also with two concurrent requests', async () => {
    const world = await made()
    const { person, link } = await asked(world)
    const other = await world.signedIn('tenant-a')
    expect(await resets(world)).toEqual([])
    const statuses = (await Promise.all([person.follow(link), other.follow(link)])).map(
      ({ status }) => status < 400,
    )
    expect(statuses.toSorted()).toEqual([false, true])
    expect((await person.follow(link)).status).toBeGreaterThanOrEqual(400)
    expect(await resets(world)).toEqual(['reset to first@mail.example'])
  })

  it('expires', async () => {
    const world = await made()
    const { link } = await asked(world)
    world.wait(TOO_OLD)
    const person = await world.signedIn('tenant-a')
    expect((await person.follow(link)).status).toBeGreaterThanOrEqual(400)
    expect(await resets(world)).toEqual([])
  })

  // biome-ignore format: a table
  const AFTERWARDS: readonly (readonly [what: string, next: readonly (string | null)[]])[] = [
    ['another address',              ['second@mail.example']],
    ['none',                         [null]],
    ['another one, and this again',  ['second@mail.example', 'first@mail.example']],
    ['none, and this again',         [null, 'first@mail.example']],
  ]
  it.each(AFTERWARDS)('is invalid after the address has changed to %s', async (_, next) => {
    const world = await made()
    const { person, set, link } = await asked(world)
    for (const email of next) expect(await set(email)).toBe(303)
    expect((await person.follow(link)).status).toBeGreaterThanOrEqual(400)
    expect(await resets(world)).toEqual([])
    if (next.at(-1) !== 'first@mail.example') expect(await emailOf(world)).not.toBe('first@mail.example')
  })

  it('does not confirm the address of another account', async () => {
    const world = await made()
    const { link } = await asked(world)
    const { person: other } = await asked(world, 'tenant-b', 'other@mail.example')
    await other.follow(link)
    expect(await resets(world, 'tenant-b')).toEqual([])
    expect(await emailOf(world, 'tenant-b')).not.toBe('first@mail.example')
  })

  it('has a single purpose, and links for other purposes do not confirm', async () => {
    const world = await made()
    const { person, link } = await asked(world)
    const password = 'the password of a thief'
    const form = { account: 'tenant-x', password, again: password }
    for (const path of ['/console/reset', '/console/invitation', '/console/open'])
      expect([path, (await world.browser().follow({ ...link, path }, form)).status]).toEqual([path, 422])
    const [, code = ''] = /#([\w-]{43})/.exec(await world.admin('account', 'reset-link', 'tenant-a')) ?? []
    expect((await person.follow({ ...link, code })).status).toBeGreaterThanOrEqual(400)
    expect((await world.api('tenant-a', 'GET', '/account')).status).toBe(200)
    expect((await person.follow(link)).status).toBeLessThan(400)
  })

  it('after two concurrent changes, only the link for the stored address confirms', async () => {
    const world = await made()
    const both = ['one@mail.example', 'two@mail.example']
    const links = await world.mailsOf(async () =>
      Promise.all(both.map(async (email) => world.api('tenant-a', 'PATCH', '/account', { email }))),
    )
    expect(both.map((one) => `confirm to ${one}`)).toEqual(expect.arrayContaining([...links]))
    const person = await world.signedIn('tenant-a')
    const mails = world.received.filter(({ to }) => both.includes(to[0] ?? ''))
    const statuses: boolean[] = []
    for (const mail of mails) statuses.push((await person.follow(linkIn(mail))).status < 400)
    expect(statuses.filter(Boolean)).toHaveLength(1)
    const email = await emailOf(world)
    expect(both).toContain(email)
    expect(await resets(world)).toEqual([`reset to ${String(email)}`])
  })
})

describe('an address of someone else', () => {
  it('gets only the confirmation request', async () => {
    const world = await made()
    const victim = 'victim@mail.example'
    const { person } = await asked(world, 'tenant-a', victim)
    const lines = await world.mailsOf(async () => {
      for (const path of ['/account/api-keys', '/account/tsig-keys'])
        expect((await world.api('tenant-a', 'POST', path, { description: 'x' })).status).toBe(201)
      for (let nth = 0; nth < 5; nth++) await person.send('/console/account/email', { email: victim })
      await world.signedIn('tenant-a', '203.0.113.9')
      await world.forgotten('tenant-a')
    })
    expect(lines).toEqual([])
    expect(await resets(world)).toEqual([])
  })

  it('set in a stolen session gets no link for a new password, and the old address is notified', async () => {
    const world = await made()
    const person = await world.confirmed('tenant-a')
    const thief = 'thief@mail.example'
    const changed = await world.mailsOf(async () => {
      await person.send('/console/account/email', { email: thief })
      await world.forgotten('tenant-a')
    })
    expect(changed.filter((one) => one.endsWith(thief))).toEqual([`confirm to ${thief}`])
    await person.follow(linkIn(await world.mail('confirm', thief)))
    await world.mail('emailChanged', 'tenant-a@mail.example')
  })

  it('is not set without a recent proof, nor in an ended session', async () => {
    const world = await made()
    const person = await world.confirmed('tenant-a')
    // A proof lasts five minutes.
    world.wait(6 * MINUTE)
    const thief = { email: 'thief@mail.example' }
    const lines = await world.mailsOf(async () => {
      await person.send('/console/account/email', thief)
      await person.send('/console/account/email', { ...thief, proof: 'a wrong password' })
      const [, code = ''] = /#([\w-]{43})/.exec(await world.admin('account', 'reset-link', 'tenant-a')) ?? []
      const next = 'the next password, long'
      await world.browser().follow({ path: '/console/reset', code }, { password: next, again: next })
      await person.send('/console/account/email', { ...thief, proof: next })
      world.setPassword('tenant-a', next)
    })
    expect(lines).toEqual(['passwordChanged to tenant-a@mail.example'])
    expect(await emailOf(world)).toBe('tenant-a@mail.example')
  })
})

describe('recipients and header fields of messages', () => {
  // biome-ignore format: a table
  const REFUSED = [
    'a@mail.example\r\nBcc: evil@mail.example', 'a@mail.example\nRCPT TO:<evil@mail.example>', 'a@mail.example\0',
    'a@mail.example,evil@mail.example', 'a@mail.example> <evil@mail.example', 'a@mail.example evil@mail.example',
    'a\u2028@mail.example', 'a@b@mail.example', '@mail.example', 'a@', 'a@-', 'a@b..c', 'a@.mail.example',
    `${'a'.repeat(65)}@mail.example`, `a@${'b'.repeat(64)}.example`,
  ]
  it('reject invalid addresses', async () => {
    const world = await made()
    const person = await world.signedIn('tenant-a')
    const taken: string[] = []
    const lines = await world.mailsOf(async () => {
      for (const email of REFUSED) {
        await person.send('/console/account/email', { email })
        await world.api('tenant-a', 'PATCH', '/account', { email })
        if ((await emailOf(world)) !== null) taken.push(email)
        await person.send('/console/account/email', { email: '' })
      }
    })
    expect([taken, lines]).toEqual([[], []])
  })

  it('are not changed by user input, and links lead to the console only', async () => {
    const world = await made()
    await world.confirmed('tenant-a')
    const texts = [
      'x\r\nBcc: evil@mail.example',
      'x\r\n\r\nhttps://evil.example/',
      'ünïcode 🦊',
      '.\r\nMAIL FROM:<a@b>',
    ]
    const lines = await world.mailsOf(async () => {
      for (const description of texts) {
        await world.api('tenant-a', 'POST', '/account/api-keys', { description })
        await world.api('tenant-a', 'POST', '/account/tsig-keys', { description })
      }
      await patchAt(world, 'evil.example', 'next@mail.example')
    })
    expect(lines.length).toBeGreaterThan(2)
    for (const { to, fields, body } of world.received) {
      expect(to).toHaveLength(1)
      expect([...fields.keys()].filter((one) => /^(b?cc|sender|reply-to)$/.test(one))).toEqual([])
      expect([...fields].filter(([name]) => name === 'to')).toEqual([
        ['to', expect.stringContaining(to[0] ?? '')],
      ])
      expect(body).not.toMatch(/^(bcc|mail from):/im)
      expect(body).not.toContain('evil.example/')
      for (const [, host = ''] of body.matchAll(/https?:\/\/([^/\s:]+)/g))
        expect(['localhost', '127.0.0.1']).toContain(host)
    }
    expect(world.leaks()).toEqual([])
  })
})

/** With another Host than that of the console; fetch sets its own. */
const patchAt = async ({ url, passwordOf }: AccountWorld, host: string, email: string): Promise<void> =>
  new Promise((done, fail) => {
    const headers = {
      host,
      authorization: basic('tenant-a', passwordOf('tenant-a')),
      'content-type': 'application/json',
      'x-forwarded-for': HOME,
    }
    request(`${url()}/v1/account`, { method: 'PATCH', headers }, (response) =>
      response.resume().on('end', done),
    )
      .on('error', fail)
      .end(JSON.stringify({ email }))
  })

describe('a forgotten password', () => {
  it('has the same response with and without a confirmed address, before a message is sent', async () => {
    const world = await made()
    await world.confirmed('tenant-a')
    await asked(world, 'tenant-b', 'unconfirmed@mail.example')
    await world.settled()
    const before = world.received.length
    world.gate.close()
    const pages = []
    for (const one of ['tenant-a', 'tenant-b', 'tenant-c', 'of-no-account'])
      pages.push(await world.forgotten(one))
    // All responses arrived before the mail server sent a greeting.
    await expect.poll(() => world.gate.waiting()).toBe(1)
    expect(new Set(pages.map(({ status, html }) => `${status} ${html}`)).size).toBe(1)
    world.gate.open()
    await world.mail('reset', 'tenant-a@mail.example')
    await world.settled()
    expect(
      world
        .lines()
        .slice(before)
        .filter((one) => one.startsWith('reset')),
    ).toEqual(['reset to tenant-a@mail.example'])
  })
})
