import type { Instant } from '../../../src/shared/base/time.ts'
import { describe, expect, it } from 'vitest'
import { after, hours, instant, minutes } from '../../../src/shared/base/time.ts'
import { PASSWORD } from '../api/world.ts'
import { consoleTests, ORIGIN } from './person.ts'

const { at, person } = consoleTests()
const signedIn = async () => {
  const one = person()
  expect((await one.signIn('a', PASSWORD)).status).toBe(303)
  return one
}

const PAGES = [
  '/console/names',
  '/console/names?search=free',
  '/console/names?state=published',
  '/console/names/new',
  '/console/names/example.test/free',
  '/console/names/example.test/%40',
  '/console/names/example.test/gone',
  '/console/zones',
  '/console/zones/example.test',
  '/console/zones/example.test?check=yes',
  '/console/zones/b.test',
  '/console/zones/example.test/import',
  '/console/keys',
  '/console/keys/new?hostname=free.example.test',
  '/console/keys/ddns/kkk1111',
  '/console/keys/new-api-key',
  '/console/keys/new-tsig-key',
  '/console/trail',
  '/console/trail?zone=example.test&from=2026-01-01',
  '/console/trail?from=never',
  '/console/account',
  '/console/nothing',
  '/console/names/%',
] as const
/** Of a deletion, which takes everything that protects a form. */
const EMPTY = { act: 'delete', pick: 'example.test/empty' }
const STATUSES: Readonly<Record<string, number>> = {
  '/console/names/example.test/gone': 404,
  '/console/zones/b.test': 404,
  '/console/trail?from=never': 422,
  '/console/nothing': 404,
  '/console/names/%': 404,
}

describe('a person who has not signed in', () => {
  it.each([...PAGES, '/console/trail/file', '/console/zones/example.test/export'])(
    'sees nothing of %s',
    async (path) => {
      const { status, headers } = await person().send(path)
      const back = path === '/console/names' ? '' : `?back=${encodeURIComponent(path)}`
      expect([status, headers['location']]).toEqual([303, `/console/sign-in${back}`])
    },
  )

  it('changes nothing', async () => {
    const { status, headers } = await person().post('/console/names/bulk/delete', EMPTY)
    expect([status, headers['location']]).toEqual([303, '/console/sign-in'])
  })

  it.each([
    ['a wrong password', { account: 'a', password: 'no' }],
    ['an unknown account', { account: 'nobody', password: PASSWORD }],
    ['a DDNS key', { account: 'kkk1111', password: 'x' }],
    ['an unknown API key', { key: 'nobody' }],
    ['nothing', {}],
    ['a colon', { account: 'a:b', password: 'x' }],
    ['a control character', { account: 'a', password: '\0' }],
  ] as const)('is refused with %s, and with the same words', async (_, form) => {
    const one = person()
    const { status, text } = await one.post('/console/sign-in', form)
    expect([status, one.cookie()]).toEqual([403, undefined])
    const isKey = 'key' in form
    expect(text).toContain(
      isKey ? 'This key is unknown or no longer valid.' : 'The account or the password is wrong.',
    )
  })

  it('signs in with a cookie that no script and no other site reads', async () => {
    const { status, headers } = await person().signIn('a', PASSWORD)
    expect([status, headers['location']]).toEqual([303, '/console/names'])
    expect(headers['set-cookie']).toMatch(
      /^__Host-holdfast=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    )
  })
})

describe('each page', () => {
  it.each(PAGES)('%s is shown, to this person alone', async (path) => {
    const one = await signedIn()
    const { status, headers, html } = await one.send(path)
    expect(status).toBe(STATUSES[path] ?? 200)
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self'/,
    )
    expect(headers['content-security-policy']).not.toContain('unsafe')
    expect(html).toMatch(/^<!doctype html>\n<html lang="en">/)
    expect(html).not.toMatch(/style="|onclick|undefined|\[object/)
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('has a tag, and is not sent again while it is the same', async () => {
    const one = await signedIn()
    const { headers } = await one.send('/console/zones')
    const again = await one.send('/console/zones', { headers: { ifNoneMatch: headers['etag'] ?? '' } })
    expect([again.status, again.html]).toEqual([304, ''])
  })

  it('shows what others chose as text', async () => {
    await at.world.store.write(async (w) =>
      w.changeZone(at.world.ids['example.test'] ?? 0, { description: '<script>alert(1)</script>"\'`' }),
    )
    const one = await signedIn()
    for (const path of ['/console/zones', '/console/zones/example.test', '/console/account']) {
      const { html } = await one.send(path)
      expect(html).not.toMatch(/<script>|Firefox <b>/)
      expect(html).toMatch(/&lt;script&gt;alert|Firefox &lt;b&gt;/)
    }
  })
})

describe('a request', () => {
  it.each(['evil.example', 'dns.example.evil.example', 'localhost', undefined])(
    'for the host %s is misdirected',
    async (host) => {
      const { status, text } = await person().send('/console/sign-in', { host: host ?? '' })
      expect([status, text]).toEqual([421, expect.stringContaining(ORIGIN)])
    },
  )

  it.each([
    { fetchSite: 'cross-site' },
    { fetchSite: 'same-site' },
    { fetchSite: 'none' },
    { fetchSite: undefined, origin: 'https://evil.example' },
    { fetchSite: undefined, origin: 'null' },
    { fetchSite: undefined, origin: ORIGIN.replace('https', 'http') },
    { fetchSite: undefined },
  ])('that acts, from another page: %j', async (headers) => {
    const one = await signedIn()
    await one.send('/console/names/example.test/empty')
    const { status } = await one.post('/console/names/bulk/delete', EMPTY, { headers: headers as object })
    expect(status).toBe(403)
    expect((await one.send('/console/names/example.test/empty')).status).toBe(200)
  })

  it('of an old browser is known by its origin', async () => {
    const one = await signedIn()
    await one.send('/console/names/example.test/empty')
    const headers = { fetchSite: undefined, origin: ORIGIN } as object
    expect((await one.post('/console/names/bulk/delete', EMPTY, { headers })).status).toBe(200)
    expect((await one.send('/console/names/example.test/empty')).status).toBe(404)
  })

  it.each(['', 'x', 'A'.repeat(43)])('without the token of its session is refused: "%s"', async (token) => {
    const one = await signedIn()
    const { status, text } = await one.post('/console/names/bulk/delete', { ...EMPTY, token })
    expect([status, text]).toEqual([403, expect.stringContaining('This was not sent yet')])
  })

  it.each([
    ['PUT', '/console/names', 405],
    ['POST', '/console/names', 405],
    ['GET', '/console/sign-out', 404],
    ['GET', '/console/names/bulk/undo', 404],
    ['GET', '/console/names/example.test/free/review', 405],
  ] as const)('%s %s: %i', async (method, path, status) => {
    const one = await signedIn()
    await one.send('/console/names')
    expect((await one.send(path, { method })).status).toBe(status)
  })

  it.each(['/', '/console', '/console/'])('for %s leads to the names', async (path) => {
    const { status, headers } = await person().send(path)
    expect([status, headers['location']]).toEqual([303, '/console/names'])
  })

  it('for a style or a script may keep it, and needs no session', async () => {
    const { html } = await person().send('/console/sign-in')
    const paths = [
      ...html.matchAll(/(?:href|src)="(\/console\/(?:style|script)-[^"]+|\/console\/icon.svg)"/g),
    ]
    expect(new Set(paths.map(([, path]) => path)).size).toBe(3)
    for (const [, path = ''] of paths)
      expect((await person().send(path)).headers['cache-control']).toContain('immutable')
  })
})

describe('a session', () => {
  it('ends at its sign-out, for the one who has its cookie too', async () => {
    const one = await signedIn()
    await one.send('/console/names')
    const cookie = one.cookie() ?? ''
    expect((await one.post('/console/sign-out')).headers['set-cookie']).toContain('Max-Age=0')
    expect((await person().send('/console/names', { headers: { cookie } })).status).toBe(303)
  })

  it('ends half an hour after the last request, and half a day after the first', async () => {
    const one = await signedIn()
    at.now = after(at.now, minutes(29))
    expect((await one.send('/console/names')).status).toBe(200)
    at.now = after(at.now, minutes(31))
    expect((await one.send('/console/names')).status).toBe(303)
    const other = await signedIn()
    const began = at.now
    while (at.now < after(began, hours(12)) - 1) {
      at.now = after(at.now, minutes(29))
      if (at.now < after(began, hours(12))) expect((await other.send('/console/names')).status).toBe(200)
    }
    expect((await other.send('/console/names')).status).toBe(303)
  })

  it('is listed, and ended by another one', async () => {
    const [one, other] = [await signedIn(), await signedIn()]
    const { html } = await one.send('/console/account')
    const [, path = ''] = /action="(\/console\/account\/sessions\/\d+)"/.exec(html) ?? []
    expect((await one.post(path)).status).toBe(303)
    expect((await other.send('/console/names')).status).toBe(303)
    expect((await one.send('/console/names')).status).toBe(200)
  })

  it('ends with a new password', async () => {
    const [one, other] = [await signedIn(), await signedIn()]
    await one.send('/console/account')
    const form = { old_password: PASSWORD, new_password: 'another password', again: 'another password' }
    const wrong = await one.post('/console/account/password', { ...form, again: 'x' })
    expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining('do not match')])
    const refused = await one.post('/console/account/password', { ...form, old_password: 'x' })
    expect([refused.status, refused.text]).toEqual([
      422,
      expect.stringContaining('the old password is wrong'),
    ])
    expect((await one.post('/console/account/password', form)).headers['location']).toBe(
      '/console/sign-in?saved=yes',
    )
    expect([(await one.send('/console/names')).status, (await other.send('/console/names')).status]).toEqual([
      303, 303,
    ])
    expect((await person().signIn('a', 'another password')).status).toBe(303)
  })

  it('with an API key has its permissions, and ends with it', async () => {
    const one = person()
    await one.signInWith('reader-of-a')
    const { html, status } = await one.send('/console/names/example.test/free')
    expect([status, html.includes('value="delete"'), html.includes('<input name="ttl"')]).toEqual([
      200,
      false,
      false,
    ])
    const refused = await one.post('/console/names/bulk/delete', { ...EMPTY, pick: 'example.test/free' })
    expect([refused.status, (await one.send('/console/names/example.test/free')).status]).toEqual([422, 200])
    const keys = await at.world.store.read(async (r) =>
      r.apiKeysOf(at.world.ids['a'] ?? 0, { offset: 0, limit: 9 }),
    )
    for (const { id } of keys.items) await at.world.store.write(async (w) => w.removeApiKey(id, undefined))
    expect((await one.send('/console/names')).status).toBe(303)
  })

  it('of an account that is gone is over; of a suspended one it shows why', async () => {
    const one = await signedIn()
    await at.world.store.write(async (w) =>
      w.changeAccount(at.world.ids['a'] ?? 0, { isSuspended: true }, Date.UTC(2026, 0, 1) as Instant),
    )
    const { status, text } = await one.send('/console/names')
    expect([status, text]).toEqual([403, expect.stringContaining('suspended')])
  })

  it('needs the password again for secrets and deletions, and has another secret afterwards', async () => {
    const one = await signedIn()
    at.now = after(at.now, minutes(6))
    const page = await one.send('/console/keys/new')
    expect(page.status).toBe(200)
    const form = { description: 'router', hostnames: 'free.example.test' }
    const asked = await one.post('/console/keys/new', form)
    expect([asked.status, asked.text]).toEqual([200, expect.stringContaining('enter your password again')])
    expect(asked.html).toContain('<input type="hidden" name="description" value="router">')
    const wrong = await one.post('/console/keys/new', { ...form, proof: 'wrong' })
    expect([wrong.status, wrong.text]).toEqual([403, expect.stringContaining('The password is wrong.')])
    const before = one.cookie()
    const made = await one.post('/console/keys/new', { ...form, proof: PASSWORD })
    expect([made.status, made.text]).toEqual([200, expect.stringContaining('The password is shown once')])
    expect(one.cookie()).not.toBe(before)
    expect((await person().send('/console/names', { headers: { cookie: before ?? '' } })).status).toBe(303)
    expect(
      (await one.post('/console/keys/new', { ...form, hostnames: 'empty.example.test' })).text,
    ).toContain('The password is shown once')
  })
})

describe('a name', () => {
  it('says that the key of its router is blocked, and where that is explained', async () => {
    const one = await signedIn()
    const page = '/console/names/example.test/home'
    expect((await one.send(page)).text).not.toContain('key of its router is blocked')
    await at.world.store.write(async (w) => {
      const key = await w.keyNamed('kkk1111')
      await w.blockKey(key?.id ?? 0, true, instant(Date.now()))
    })
    const { text, html } = await one.send(page)
    expect(text).toContain('The key of its router is blocked')
    expect(html).toContain('href="/console/keys/ddns/kkk1111"')
  })

  it('is made with its addresses, changed after a review, and put back', async () => {
    const one = await signedIn()
    await one.send('/console/names/new')
    const made = await one.post('/console/names/new', {
      hostname: 'Router.Example.Test.',
      addresses: '192.0.2.30, 2001:db8::30',
    })
    expect(made.headers['location']).toMatch(/^\/console\/names\/example\.test\/router(\?saved=yes)?$/)
    const at = '/console/names/example.test/router'
    const { html } = await one.send(at)
    const labels = [...html.matchAll(/name="label" value="([^"]*)"/g)].map(([, label = '']) => label)
    const rows = {
      type: ['A', 'AAAA', 'TXT', 'A'],
      ttl: ['300', '', '', ''],
      value: ['192.0.2.31', '2001:db8::30', 'hello, "you"', ''],
      label: [labels[0] ?? '', labels[1] ?? '', '', ''],
    }
    const review = await one.post(`${at}/review`, rows)
    expect([review.status, review.text]).toEqual([200, expect.stringContaining('2 changes')])
    expect(review.html).toMatch(/<del><code><bdi>\d+ 192.0.2.30<\/bdi><\/code><\/del>/)
    expect(review.html).toContain('<ins><code><bdi>300 192.0.2.31</bdi></code></ins>')
    expect((await one.send(at)).text).not.toContain('192.0.2.31')
    const [, was = ''] = /name="was" value="([^"]*)"/.exec(review.html) ?? []
    const meanwhile = await one.post(`${at}/records`, { ...rows, was: 'x' })
    expect([meanwhile.status, meanwhile.text]).toEqual([
      422,
      expect.stringMatching(/have changed meanwhile.*Look again/),
    ])
    expect((await one.post(`${at}/records`, { ...rows, was })).headers['location']).toBe(`${at}?saved=yes`)
    const changed = await one.send(at)
    expect(changed.text).toContain('192.0.2.31')
    const [, undo = ''] = /href="([^"]*undo=A[^"A]*)"/.exec(changed.html) ?? []
    const found = await one.send(undo.replaceAll('&amp;', '&').replace(/#.*/, ''))
    const before = await one.send((found.headers['location'] ?? '').replace(/#.*/, ''))
    expect(before.text).toContain('This is how the records were before that change')
    expect(before.html).toContain(
      'aria-label="Value of record 3"\n spellcheck="false" autocomplete="off" value="192.0.2.30"',
    )
  })

  it.each([
    ['a wrong address', { type: 'A', ttl: '', value: '1.2.3', label: '' }, 'value-1'],
    ['a wrong TTL', { type: 'A', ttl: 'x', value: '192.0.2.1', label: '' }, 'value-1'],
    ['two TTLs', { type: ['TXT', 'TXT'], ttl: ['60', '90'], value: ['a', 'b'], label: ['', ''] }, 'value-2'],
  ])('with %s shows the error at its field, and keeps what was typed', async (_, rows, field) => {
    const one = await signedIn()
    await one.send('/console/names/example.test/empty')
    const { status, html } = await one.post('/console/names/example.test/empty/review', rows)
    expect(status).toBe(422)
    expect(html).toContain(`<a href="#${field}">`)
    expect(html).toContain(`value="${[rows.value].flat()[0] ?? ''}"`)
  })

  it.each([
    ['', 'is not in a zone'],
    ['x.nowhere.test', 'x.nowhere.test is not in a zone'],
    ['free.example.test', 'exists'],
    ['a b.example.test', 'a b.example.test'],
  ])('called "%s" is not made', async (hostname, why) => {
    const one = await signedIn()
    await one.send('/console/names/new')
    const { status, html } = await one.post('/console/names/new', { hostname })
    expect([status, html]).toEqual([422, expect.stringContaining(why)])
  })

  it('is taken offline and online, and deleted', async () => {
    const one = await signedIn()
    const at = '/console/names/example.test/free'
    await one.send(at)
    const offline = await one.post(`${at}/offline`, { action: 'page', value: 'Back soon' })
    expect(offline.headers['location']).toBe(`${at}?saved=yes`)
    const shown = await one.send(`${at}?saved=yes`)
    expect(shown.text).toMatch(/Saved.*The name is offline/s)
    expect((await one.post(`${at}/offline`, { action: '' })).status).toBe(303)
    expect((await one.send(at)).text).not.toContain('The name is offline')
    const wrong = await one.post(`${at}/offline`, { action: 'redirect', value: 'nowhere' })
    expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining('URL')])
    const review = await one.post('/console/names/bulk', { act: 'delete', pick: 'example.test/free' })
    expect(review.text).toContain('This changes 3 records')
    const deleted = await one.post('/console/names/bulk/delete', { act: 'delete', pick: 'example.test/free' })
    expect(deleted.text).toContain('1 name is changed')
    expect((await one.send(at)).status).toBe(404)
    const locked = await one.post('/console/names/bulk', { act: 'delete', pick: 'example.test/locked' })
    expect([locked.status, locked.text]).toEqual([422, expect.stringContaining('prohibited')])
  })
})

describe('a secret', () => {
  it('of a DDNS key is in the answer to the form alone, with the recipes', async () => {
    const one = await signedIn()
    await one.send('/console/keys/new')
    const made = await one.post('/console/keys/new', { description: 'r', hostnames: 'free.example.test' })
    const [, password = ''] = /curl -u &#39;\w{7}:(\w{21})&#39;/.exec(made.html) ?? []
    expect(password).toHaveLength(21)
    for (const device of [
      'FRITZ!Box',
      'OpenWrt',
      'OPNsense',
      'pfSense',
      'UniFi',
      'Synology',
      'ddclient',
      'inadyn',
      'Holdfast',
      'curl',
    ])
      expect(made.html).toContain(`<summary>${device}</summary>`)
    const [, page = ''] = /data-from="([^"]+)"/.exec(made.html) ?? []
    for (const path of [page, '/console/keys', '/console/trail', '/console/trail/file', '/console/names'])
      expect((await one.send(path)).html).not.toContain(password)
    const renewed = await one.post(`${page}/renew`)
    expect(renewed.html).not.toContain(password)
    expect((await one.post(`${page}/delete`)).status).toBe(303)
    expect((await one.send(page)).status).toBe(404)
  })

  it.each([
    ['api', 'The API key'],
    ['tsig', 'The TSIG key'],
  ])('of a key for programs too: %s', async (kind, title) => {
    const one = await signedIn()
    await one.send(`/console/keys/new-${kind}-key`)
    const form = { description: 'acme', zones: 'example.test', names: '', types: 'TXT', days: '30' }
    const wrong = await one.post(`/console/keys/new-${kind}-key`, { ...form, types: 'NOPE' })
    expect([wrong.status, wrong.html]).toEqual([422, expect.stringContaining('<a href="#types">')])
    const made = await one.post(`/console/keys/new-${kind}-key`, form)
    expect([made.status, made.text]).toEqual([200, expect.stringContaining(title)])
    expect(made.text).toContain('may change TXT records only type:TXT')
    const { html, text } = await one.send('/console/keys')
    expect(text).toContain('in the zone example.test only')
    const [, deletion = ''] =
      new RegExp(
        `action="(/console/keys/${kind}/[^"]*/delete)"[^]*?acme|acme[^]*?action="(/console/keys/${kind}/[^"]*/delete)"`,
      ).exec(html) ?? []
    expect(
      (await one.post(deletion || (/action="(\/console\/keys\/[^"]*\/delete)"/.exec(html)?.[1] ?? '')))
        .status,
    ).toBe(303)
  })
})

describe('a zone', () => {
  it('is made, noted, exported, imported after a preview, and deleted by the number of its names', async () => {
    const one = await signedIn()
    await one.send('/console/zones')
    expect((await one.post('/console/zones', { zone: 'new.test' })).headers['location']).toBe(
      '/console/zones/new.test',
    )
    const refused = await one.post('/console/zones', { zone: 'new.test' })
    expect([refused.status, refused.html]).toEqual([422, expect.stringContaining('<a href="#zone">')])
    const at = '/console/zones/new.test'
    expect((await one.post(at, { description: 'a note', default_ttl: '300' })).status).toBe(303)
    expect((await one.send(at)).html).toContain('value="a note"')
    const exported = await one.send(`${at}/export`)
    expect(exported.headers['content-disposition']).toBe('attachment; filename="new.test.zone"')
    const text = `${exported.html}www 60 IN A 192.0.2.99\n`
    await one.send(`${at}/import`)
    const preview = await one.post(`${at}/import/preview`, { text })
    expect([preview.status, preview.text]).toEqual([
      200,
      expect.stringContaining('1 new, 0 changed, 0 removed'),
    ])
    expect(preview.text).not.toContain('cannot be undone')
    expect((await one.send('/console/names/new.test/www')).status).toBe(404)
    expect((await one.post(`${at}/import`, { text })).headers['location']).toBe(`${at}?saved=yes`)
    expect((await one.send('/console/names/new.test/www')).text).toContain('192.0.2.99')
    const losing = await one.post(`${at}/import/preview`, { text: text.replace('.99', '.98') })
    expect(losing.text).toContain('An import cannot be undone.')
    expect(losing.html).toContain(`<a href="${at}/export">`)
    const broken = await one.post(`${at}/import/preview`, { text: `${text}www 60 IN A nonsense\n` })
    expect(broken.text).toMatch(/Line \d+:/)
    const wrong = await one.post(`${at}/delete`, { count: '1' })
    expect([wrong.status, wrong.html]).toEqual([422, expect.stringContaining('<a href="#count">')])
    expect((await one.post(`${at}/delete`, { count: '2' })).headers['location']).toBe('/console/zones')
  })
})

describe('a form that is too large', () => {
  it('is refused, and a long one is read for a person who is signed in alone', async () => {
    const one = await signedIn()
    const { html } = await one.send('/console/zones/example.test/import')
    const [, token = ''] = /name="token" value="([^"]*)"/.exec(html) ?? []
    let reads = 0
    const long = (parts: readonly Uint8Array[] | undefined) => ({
      body: undefined,
      readLong: async () => {
        reads++
        return Promise.resolve(parts)
      },
    })
    const text = new URLSearchParams({ token, text: 'long 60 IN A 192.0.2.9\n' }).toString()
    const path = '/console/zones/example.test/import/preview'
    expect((await person().post(path, {}, { headers: long([Buffer.from(text)]) })).status).toBe(303)
    expect(reads).toBe(0)
    const read = await one.post(path, {}, { headers: long([Buffer.from(text)]) })
    expect([read.status, read.text]).toEqual([200, expect.stringContaining('Import: example.test')])
    expect(reads).toBe(1)
    expect((await one.post(path, {}, { headers: long(undefined) })).status).toBe(413)
    expect((await one.post(path, {}, { headers: { body: undefined } })).status).toBe(413)
  })
})

describe('the trail', () => {
  it('is a file for spreadsheets, in which no text is a formula', async () => {
    const one = await signedIn()
    await one.send('/console/zones')
    await one.post('/console/zones/example.test', { description: '=1+1', default_ttl: '' })
    const csv = await one.send('/console/trail/file?form=csv')
    expect(csv.headers['content-disposition']).toBe('attachment; filename="trail.csv"')
    const [head, first] = csv.html.split('\r\n')
    expect(head).toBe('"at","actor","peer","operation","subject","dns_type","before","after"')
    expect(first).toMatch(/^"2026-01-02T[^"]+","account a","198.51.100.1","changeZone","example.test","","\{/)
    const json = JSON.parse((await one.send('/console/trail/file?form=json')).html) as readonly object[]
    expect(json).toHaveLength(1)
  })
})

describe('the language', () => {
  it('is that of the browser, and the one that a person chooses instead', async () => {
    const one = person()
    const german = await one.send('/console/sign-in', { headers: { acceptLanguage: 'de' } })
    expect([german.text, german.html]).toEqual([
      expect.stringContaining('Anmelden'),
      expect.stringContaining('<html lang="de">'),
    ])
    expect(german.html).toContain('href="/console/language/en?back=%2Fconsole%2Fsign-in"')
    const chosen = await person().send('/console/language/de?back=/console/zones')
    expect([chosen.status, chosen.headers['location']]).toEqual([303, '/console/zones'])
    expect(chosen.headers['set-cookie']).toMatch(/^holdfast-language=de; .*Secure$/)
    const cookie = 'holdfast-language=de'
    expect((await person().send('/console/sign-in', { headers: { cookie } })).text).toContain('Anmelden')
  })

  it.each([
    'https://evil.example/',
    '//evil.example/',
    '/v1/account',
    '/console/\r\nx: y',
    '/console/<script>',
  ])('leads to no other site: %s', async (back) => {
    const { headers } = await person().send(
      `/console/language/de?${new URLSearchParams({ back }).toString()}`,
    )
    expect(headers['location']).toBe('/console/names')
  })

  it('has each page and each error', async () => {
    const one = await signedIn()
    for (const path of PAGES) {
      const { html } = await one.send(path, { headers: { acceptLanguage: 'de' } })
      expect(html).toContain('<html lang="de">')
      expect(html).not.toMatch(/undefined|\[object/)
    }
    await one.send('/console/zones')
    const refused = await one.post(
      '/console/zones',
      { zone: 'example.test' },
      { headers: { acceptLanguage: 'de' } },
    )
    expect(refused.text).toContain('diese Zone kann nicht angelegt werden')
  })
})

describe('what is missing or wrong in a form', () => {
  it.each(['-1', '0', '1e9', '36501', 'abc', '30 days', '1,5', '0.5'])(
    'a key that ends after %s days is not made',
    async (days) => {
      const one = await signedIn()
      await one.send('/console/keys/new-api-key')
      const refused = await one.post('/console/keys/new-api-key', { description: 'd', days })
      expect([refused.status, refused.html]).toEqual([422, expect.stringContaining('<a href="#days">')])
      const made = await one.post('/console/keys/new-api-key', { description: 'd', days: '30' })
      expect(made.html).toContain('<dt>Ends</dt><dd><time datetime="2026-02-01T00:00:00.000Z">')
    },
  )

  it.each(['/console/keys/new', '/console/keys/new-api-key', '/console/keys/new-tsig-key'])(
    '%s needs a description',
    async (path) => {
      const one = await signedIn()
      await one.send(path)
      const { status, html } = await one.post(path, {})
      expect([status, html]).toEqual([422, expect.stringContaining('<a href="#description">')])
    },
  )

  it.each([
    '/console/zones/',
    '/console/names/example.test/',
    '/console/keys/ddns/',
    '/console/zones//import',
  ])('there is no page %s', async (path) => {
    const one = await signedIn()
    expect((await one.send(path)).status).toBe(404)
    expect((await one.post(path)).status).toBe(404)
  })
})

describe('the whole account', () => {
  it('is downloaded, and deleted by its name', async () => {
    const one = await signedIn()
    await one.send('/console/account')
    const { headers, html } = await one.post('/console/account/export')
    expect(headers['content-disposition']).toBe('attachment; filename="a.json"')
    const all = JSON.parse(html) as Readonly<Record<string, readonly object[]>>
    expect(Object.keys(all)).toEqual([
      'account',
      'zones',
      'names',
      'ddns_keys',
      'second_factors',
      'sessions',
      'api_keys',
      'tsig_keys',
      'trail',
      'sign_ins',
      'events',
    ])
    expect(html).toContain('"name": "free.example.test"')

    await one.send('/console/account')
    const wrong = await one.post('/console/account/delete', { confirm: 'b' })
    expect([wrong.status, wrong.html]).toEqual([422, expect.stringContaining('<a href="#confirm">')])
    const locked = await one.post('/console/account/delete', { confirm: 'a' })
    expect([locked.status, locked.text]).toEqual([422, expect.stringContaining('prohibited')])

    const leaver = person()
    await leaver.signIn('leaver', PASSWORD)
    await leaver.send('/console/account')
    expect((await leaver.post('/console/account/delete', { confirm: 'leaver' })).headers['location']).toBe(
      '/console/sign-in',
    )
    expect((await leaver.send('/console/names')).headers['location']).toBe('/console/sign-in')
    expect((await person().signIn('leaver', PASSWORD)).status).toBe(403)
  })
})

it('is only for TLS from then on, where the service has the certificate itself', async () => {
  const over = async (headers: object) =>
    (await person().send('/console/sign-in', { headers })).headers['strict-transport-security']
  expect([await over({ isTls: true }), await over({})]).toEqual(['max-age=31536000', undefined])
})
