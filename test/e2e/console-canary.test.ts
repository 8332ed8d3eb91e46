import { Secret, TOTP } from 'otpauth'
import { expect, it } from 'vitest'
import { holdfast, NODE, serveStore, storeWith } from './processes.ts'

const PASSWORD = 'canary-password-1'
const WRONG = 'canary-wrong-1'
const NEXT = 'canary-password-2'

const PATTERNS = {
  token: /name="token" value="([\w-]{54})"/,
  copied: /<code class="copy"[^>]*>([^<]+)<\/code>/g,
}

/** A browser without script, which notes each secret that it is given. */
function browserAt(url: string, secrets: Set<string>) {
  let [cookie, token] = ['', '']
  const send = async (path: string, form?: Readonly<Record<string, string>>) => {
    const response = await fetch(url + path, {
      redirect: 'manual',
      headers: { cookie, origin: url },
      ...(form && { method: 'POST', body: new URLSearchParams({ token, ...form }) }),
    })
    const [, next] = /^(holdfast=([\w-]{43}))/.exec(response.headers.get('set-cookie') ?? '') ?? []
    if (next !== undefined) {
      cookie = next
      secrets.add(next.split('=')[1] ?? '')
    }
    const html = await response.text()
    token = PATTERNS.token.exec(html)?.[1] ?? token
    return { status: response.status, html }
  }
  return send
}

it('no log, no trail and no page that is opened again has a secret of a person', async () => {
  const { folder } = await storeWith('plan add basic', 'account add other basic')
  const at = await serveStore(folder, '--console', 'http://localhost', '--log-level', 'trace')
  const admin = async (...words: readonly string[]) =>
    holdfast(['admin', ...words, '--store', folder, '--console', 'http://localhost'], { node: NODE })
  const secrets = new Set([PASSWORD, WRONG, NEXT])
  const given = (all: Iterable<string>): void => {
    for (const one of all) secrets.add(one)
  }
  const matches = (html: string, pattern: RegExp): readonly string[] =>
    [...html.matchAll(pattern)].map(([, text = '']) => text)

  const code = /#([\w-]{43})/.exec((await admin('invitation', 'add', 'basic')).stdout)?.[1] ?? ''
  given([code])
  const send = browserAt(at.url, secrets)
  const account = { code, account: 'canary', password: PASSWORD, again: PASSWORD }
  const made = await send('/console/invitation', account)
  expect(made.status).toBe(303)
  await send('/console/zones')
  expect((await send('/console/zones', { zone: 'canary.test' })).status).toBe(303)
  await send('/console/names/new', { hostname: 'home.canary.test', zone: 'canary.test', addresses: '' })
  const key = await send('/console/keys/new', { description: 'router', hostnames: 'home.canary.test' })
  const [username = '', password = ''] = matches(key.html, PATTERNS.copied)
  given([password])
  const updated = await fetch(`${at.url}/nic/update?hostname=home.canary.test&myip=192.0.2.1`, {
    headers: {
      authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
      'user-agent': 'canary/1.0 canary@example.test',
    },
  })
  expect(await updated.text()).toContain('good')
  const apiKey = await send('/console/keys/new-api-key', { description: 'program' })
  given(matches(apiKey.html, PATTERNS.copied))
  const tsig = await send('/console/keys/new-tsig-key', { description: 'certbot' })
  const [, secretOfTsig = ''] = matches(tsig.html, PATTERNS.copied)
  given([secretOfTsig])
  const totp = await send('/console/account/factors', { description: 'phone' })
  const [secret = ''] = matches(totp.html, PATTERNS.copied)
  const [, id = ''] = /factors\/(\d+)\/confirm/.exec(totp.html) ?? []
  const now = new TOTP({ secret: Secret.fromBase32(secret) }).generate()
  given([secret])
  const codes = await send(`/console/account/factors/${id}/confirm`, { code: now })
  const recoveryCodes = matches(codes.html, PATTERNS.copied).flatMap((one) => one.split(/&#10;|\n/))
  given(recoveryCodes)
  expect((await send('/console/account/email', { email: 'canary@example.test', proof: WRONG })).status).toBe(
    303,
  )
  const other = browserAt(at.url, secrets)
  expect((await other('/console/sign-in', { account: 'canary', password: WRONG })).status).toBe(403)
  expect((await other('/console/sign-in', { key: WRONG })).status).toBe(403)
  const link = /#([\w-]{43})/.exec((await admin('account', 'reset-link', 'canary')).stdout)?.[1] ?? ''
  given([link])

  const pages = await Promise.all(
    [
      'names',
      'names/canary.test/home',
      'zones/canary.test',
      'keys',
      `keys/ddns/${username}`,
      'trail',
      'account',
    ].map(async (path) => send(`/console/${path}`)),
  )
  expect(pages.map(({ status }) => status)).toEqual(pages.map(() => 200))
  const reset = { code: link, password: NEXT, again: NEXT }
  expect((await other('/console/reset', reset)).status).toBe(303)
  const shown = {
    log: at.log(),
    trail: (await admin('trail', 'list')).stdout,
    pages: pages.map(({ html }) => html).join('\n'),
  }
  expect(shown.log.length).toBeGreaterThan(1000)
  expect(shown.trail).toContain('canary')
  expect(recoveryCodes).toHaveLength(10)
  expect([password, secret, secretOfTsig, ...secrets].filter((one) => one.length < 10)).toEqual([])
  for (const [place, text] of Object.entries(shown))
    expect([place, [...secrets].filter((one) => text.includes(one))]).toEqual([place, []])
})
