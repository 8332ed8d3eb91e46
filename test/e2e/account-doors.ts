import { Secret, TOTP } from 'otpauth'
import { expect } from 'vitest'
import { authenticator, type Authenticator } from '../service/auth/authenticator.ts'
import type { Browser } from './account-browser.ts'
import { type AccountWorld, basic, HOME, type MailKind } from './account-mails.ts'

/** An account with a confirmed address, and a signed-in browser. */
export interface Tenant {
  readonly world: AccountWorld
  readonly account: string
  readonly person: Browser
}

type Act = (tenant: Tenant) => Promise<unknown>

interface Door {
  readonly kind: MailKind
  readonly door: string
  /** The setup. */
  readonly given?: Act
  readonly act: Act
}

const PASSKEY_ORIGIN = 'http://localhost'
const made = new WeakMap<AccountWorld, Map<string, Authenticator>>()

/** The passkey options in a page. */
const optionsIn = (html: string): object =>
  JSON.parse((/data-options="([^"]*)"/.exec(html)?.[1] ?? '{}').replaceAll(/&quot;|&#34;/g, '"')) as object

const codeOf = ({ now }: AccountWorld, secret: string): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now() })

const is = async (what: string, wanted: number, answer: Promise<{ readonly status: number }>) =>
  expect([what, (await answer).status]).toEqual([what, wanted])

/** Adds an authenticator app in the console; resolves with its secret. */
async function totpByPage({ world, person }: Tenant): Promise<string> {
  const { html } = await person.send('/console/account/factors', { description: 'phone' })
  const [secret = ''] = person.copied()
  const [, id = ''] = /factors\/(\d+)\/confirm/.exec(html) ?? []
  world.secrets.add(secret)
  await is(
    'totp',
    200,
    person.send(`/console/account/factors/${id}/confirm`, { code: codeOf(world, secret) }),
  )
  for (const code of person.copied()) world.secrets.add(code)
  return secret
}

async function totpByApi({ world, account }: Tenant): Promise<void> {
  const { data } = await world.api(account, 'POST', '/account/second-factors/totp', { description: 'phone' })
  const secret = String(data['secret'])
  world.secrets.add(secret)
  const code = codeOf(world, secret)
  const path = `/account/second-factors/${String(data['id'])}/confirm`
  await is('totp', 200, world.api(account, 'POST', path, { code }))
}

async function passkeyByPage({ world, account, person }: Tenant): Promise<void> {
  const key = authenticator(PASSKEY_ORIGIN)
  made.set(world, (made.get(world) ?? new Map<string, Authenticator>()).set(account, key))
  const { html } = await person.send('/console/account/passkeys', { description: 'laptop' })
  const credential = JSON.stringify(key.create(optionsIn(html)))
  await is(
    'passkey',
    200,
    person.send('/console/account/passkeys/new', { credential, description: 'laptop' }),
  )
  for (const code of person.copied()) world.secrets.add(code)
}

async function passkeyByApi({ world, account }: Tenant): Promise<void> {
  const { data } = await world.api(account, 'POST', '/account/second-factors/passkey-options')
  const credential = authenticator(PASSKEY_ORIGIN).create(data['options'] as object)
  await is('passkey', 201, world.api(account, 'POST', '/account/second-factors/passkeys', { credential }))
}

async function factorByPage({ person }: Tenant): Promise<void> {
  const { html } = await person.send('/console/account')
  const [, id = ''] = /factors\/(\d+)\/delete/.exec(html) ?? []
  await is('delete factor', 303, person.send(`/console/account/factors/${id}/delete`, {}))
}

/** Records secrets that are shown once. */
const noted = (world: AccountWorld, ...secrets: readonly unknown[]): void => {
  for (const one of secrets) world.secrets.add(String(one))
}

/** A name with a DDNS key, in the zone of the account; resolves with the credentials of the key. */
export async function withKey(
  { world, account }: Tenant,
  name = 'home',
): Promise<readonly [username: string, password: string]> {
  const zone = `${account}.example`
  const { status } = await world.api(account, 'GET', `/dns/zones/${zone}`)
  if (status === 404) await is('zone', 201, world.api(account, 'POST', '/dns/zones', { zone_name: zone }))
  await is('name', 201, world.api(account, 'POST', `/dns/records/${zone}`, { name }))
  const hostnames = [`${name}.${zone}`]
  const { status: keyStatus, data } = await world.api(account, 'POST', '/account/ddns-keys', { hostnames })
  expect(['key', keyStatus]).toEqual(['key', 201])
  noted(world, data['password'])
  return [String(data['username']), String(data['password'])]
}

export const update = async (
  { world, account }: Tenant,
  [username, password]: readonly [string, string],
  { myip = '192.0.2.1', hostname = `home.${account}.example`, peer = HOME } = {},
): Promise<string> => {
  const response = await fetch(`${world.url()}/nic/update?hostname=${hostname}&myip=${myip}`, {
    headers: {
      authorization: basic(username, password),
      'user-agent': 'Tests Mail/1.0-1 tests@mail.example',
      'x-forwarded-for': peer,
    },
  })
  return (await response.text()).trim()
}

/** Low limits, so that few requests cause a block. */
export const STRICT = { '--request-limit': '8', '--nochg-limit': '2', '--refusal-limit': '2' } as const

/** Sends updates until the reply is `abuse`. */
async function untilAbuse(
  tenant: Tenant,
  over: (nth: number) => Parameters<typeof update>[2],
): Promise<void> {
  const key = await withKey(tenant)
  const replies: string[] = []
  while (replies.at(-1) !== 'abuse' && replies.length < 12)
    replies.push(await update(tenant, key, over(replies.length)))
  expect(replies.at(-1), replies.join(', ')).toBe('abuse')
}

export const OPERATOR = 'operated'

/** A browser with the session of an operator with a second factor. */
async function operator({ world }: Tenant): Promise<Browser> {
  const person = await world.signedIn(OPERATOR)
  await totpByPage({ world, account: OPERATOR, person })
  await is('operator', 200, person.send('/console/operator'))
  return person
}

/** One operator session per world. */
const operators = new WeakMap<AccountWorld, Promise<Browser>>()
const operatorOf = async (tenant: Tenant): Promise<Browser> => {
  const one = operators.get(tenant.world) ?? operator(tenant)
  operators.set(tenant.world, one)
  return one
}
const asOperator = async (tenant: Tenant, path: string, form: Readonly<Record<string, string>>) =>
  is(path, 303, (await operatorOf(tenant)).send(`/console/operator${path}`, form))

/** The number of wrong passwords that causes a message. */
export const TOO_MANY_WRONG = 25
const WRONG = 'a wrong password'

const times = async (count: number, act: (nth: number) => Promise<unknown>): Promise<void> => {
  for (let nth = 0; nth < count; nth++) await act(nth)
}

/** A wrong account password at each endpoint. */
export const WRONG_DOORS = {
  'the page of sign-in': async ({ world, account }: Tenant, peer = HOME) =>
    is('sign-in', 403, world.browser(peer).send('/console/sign-in', { account, password: WRONG })),
  '/v1': async ({ world, account }: Tenant, peer = HOME) => {
    const headers = { authorization: basic(account, WRONG), 'x-forwarded-for': peer }
    await is('/v1', 401, fetch(`${world.url()}/v1/account`, { headers }))
  },
  '/nic/update': async (tenant: Tenant, peer = HOME) =>
    expect(await update(tenant, [tenant.account, WRONG], { peer })).toBe('badauth'),
} as const

const NEXT = 'another password, a long one'
const FAR = '203.0.113.77'

const signedInFrom = async ({ world }: Tenant, peer: string, form: Readonly<Record<string, string>>) =>
  is('sign-in', 303, world.browser(peer).send('/console/sign-in', form))

/** Every operation that causes a message; add new ones as rows. */
// biome-ignore format: a table
export const DOORS: readonly Door[] = [
  { kind: 'passwordChanged', door: 'the page', act: async ({ world, account, person }) => {
    const old = world.passwordOf(account)
    world.setPassword(account, NEXT)
    await is('change', 303, person.send('/console/account/password', { old_password: old, new_password: NEXT, again: NEXT }))
  } },
  { kind: 'passwordChanged', door: '/v1', act: async ({ world, account }) => {
    const passwords = { old_password: world.passwordOf(account), new_password: NEXT }
    await is('change', 200, world.api(account, 'PUT', '/account/password', passwords))
    world.setPassword(account, NEXT)
  } },
  { kind: 'passwordChanged', door: 'a reset link', act: async ({ world, account }) => {
    const [, code = ''] = /#([\w-]{43})/.exec(await world.admin('account', 'reset-link', account)) ?? []
    world.setPassword(account, NEXT)
    noted(world, code)
    await is('reset', 303, world.browser().follow({ path: '/console/reset', code }, { password: NEXT, again: NEXT }))
  } },

  { kind: 'factorAdded', door: 'an app, the page',     act: totpByPage },
  { kind: 'factorAdded', door: 'an app, /v1',          act: totpByApi },
  { kind: 'factorAdded', door: 'a passkey, the page',  act: passkeyByPage },
  { kind: 'factorAdded', door: 'a passkey, /v1',       act: passkeyByApi },
  { kind: 'factorRemoved', door: 'an app, the page',   given: totpByPage,    act: factorByPage },
  { kind: 'factorRemoved', door: 'a passkey, the page', given: passkeyByPage, act: factorByPage },
  { kind: 'factorRemoved', door: 'the operator\'s command', given: totpByPage,
    act: async ({ world, account }) => world.admin('account', 'forget-second-factor', account) },
  { kind: 'factorRemoved', door: 'the operator\'s page', given: totpByPage,
    act: async (tenant) => asOperator(tenant, `/accounts/${tenant.account}/forget-factors`, {}) },

  { kind: 'apiKey', door: 'the page', act: async ({ world, person }) => {
    await is('key', 200, person.send('/console/keys/new-api-key', { description: 'program' }))
    noted(world, ...person.copied())
  } },
  { kind: 'apiKey', door: '/v1', act: async ({ world, account }) => {
    const { status, data } = await world.api(account, 'POST', '/account/api-keys', { description: 'program' })
    expect(status).toBe(201)
    noted(world, data['key'])
  } },
  { kind: 'tsigKey', door: 'the page', act: async ({ world, person }) => {
    await is('key', 200, person.send('/console/keys/new-tsig-key', { description: 'certbot' }))
    noted(world, person.copied().at(-1))
  } },
  { kind: 'tsigKey', door: '/v1', act: async ({ world, account }) => {
    const { status, data } = await world.api(account, 'POST', '/account/tsig-keys', { description: 'certbot' })
    expect(status).toBe(201)
    noted(world, data['secret'])
  } },

  { kind: 'keyBlocked', door: 'too many requests', act: async (tenant) => untilAbuse(tenant, (nth) => ({ myip: `192.0.2.${nth + 1}` })) },
  { kind: 'keyBlocked', door: 'updates without effect', act: async (tenant) => untilAbuse(tenant, () => ({})) },
  { kind: 'keyBlocked', door: 'refused requests', act: async (tenant) => untilAbuse(tenant, () => ({ hostname: 'of-none.example' })) },
  { kind: 'keyBlocked', door: 'the operator\'s command', given: async (tenant) => withKey(tenant), act: async ({ world, account }) => {
    const { data } = await world.api(account, 'GET', '/account/ddns-keys')
    const [{ username = '' } = {}] = data as unknown as readonly { readonly username?: string }[]
    await world.admin('key', 'block', username)
  } },

  { kind: 'suspended', door: 'the operator\'s command', act: async ({ world, account }) => world.admin('account', 'suspend', account) },
  { kind: 'suspended', door: 'the operator\'s block',   act: async ({ world, account }) => world.admin('block', account) },
  { kind: 'suspended', door: 'the operator\'s page of the account',
    act: async (tenant) => asOperator(tenant, `/accounts/${tenant.account}`, { suspended: 'yes' }) },
  { kind: 'suspended', door: 'the operator\'s page of blocks',
    act: async (tenant) => asOperator(tenant, '/blocks/set', { subject: tenant.account }) },

  ...Object.entries(WRONG_DOORS).map(([door, wrong]): Door => ({
    kind: 'wrongPasswords', door, act: async (tenant) => times(TOO_MANY_WRONG, async () => wrong(tenant)),
  })),
  { kind: 'wrongPasswords', door: 'all of them, from many networks', act: async (tenant) => {
    const all = Object.values(WRONG_DOORS)
    await times(TOO_MANY_WRONG, async (nth) => all[nth % all.length]?.(tenant, `192.0.${nth}.1`))
  } },
  { kind: 'wrongPasswords', door: 'the old password, /v1', act: async ({ world, account }) =>
    times(TOO_MANY_WRONG, async () =>
      is('old', 403, world.api(account, 'PUT', '/account/password', { old_password: WRONG, new_password: NEXT }))) },

  { kind: 'signIn', door: 'a password', act: async (tenant) =>
    signedInFrom(tenant, FAR, { account: tenant.account, password: tenant.world.passwordOf(tenant.account) }) },
  { kind: 'signIn', door: 'an API key', given: async ({ world, account }) =>
    noted(world, (await world.api(account, 'POST', '/account/api-keys', { description: 'x' })).data['key']),
  act: async (tenant) => signedInFrom(tenant, FAR, { key: [...tenant.world.secrets].at(-1) ?? '' }) },
  { kind: 'signIn', door: 'a passkey', given: passkeyByPage, act: async (tenant) => {
    const person = tenant.world.browser(FAR)
    const options = optionsIn((await person.send('/console/sign-in')).html)
    const credential = JSON.stringify(made.get(tenant.world)?.get(tenant.account)?.get(options))
    await is('sign-in', 303, person.send('/console/sign-in', { credential }))
  } },
  { kind: 'signIn', door: 'a password and a code', given: totpByPage, act: async (tenant) => {
    const { world, account } = tenant
    const secret = [...world.secrets].find((one) => /^[A-Z2-7]{32}$/.test(one)) ?? ''
    const person = world.browser(FAR)
    await is('sign-in', 303, person.send('/console/sign-in', { account, password: world.passwordOf(account) }))
    await person.send('/console/second-factor')
    // A code works once; the next one is valid in another time step.
    world.wait(60_000)
    await is('code', 303, person.send('/console/second-factor', { code: codeOf(world, secret) }))
  } },
]
