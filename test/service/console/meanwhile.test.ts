import { describe, expect, it } from 'vitest'
import { after, minutes } from '../../../src/shared/base/time.ts'
import { PASSWORD } from '../api/world.ts'
import { consoleTests, ORIGIN, type Shown } from './person.ts'

const { at, person } = consoleTests()
const R = '/v1/dns/records/example.test'
const FREE = '/console/names/example.test/free'

async function signedIn() {
  const one = person()
  await one.signIn('a', PASSWORD)
  await one.send('/console/names')
  return one
}

const valuesIn = (html: string, name: string): readonly string[] =>
  [...html.matchAll(new RegExp(`name="${name}" [^>]*value="([^"]*)"`, 'g'))].map(([, value = '']) => value)
/** Of the rows of records. */
const fieldsIn = (html: string, name: string): readonly string[] => {
  const form = html.split('/review"')[1]?.split('</form>')[0] ?? ''
  return name === 'type'
    ? [...form.matchAll(/<select name="type"[^]*?<option selected>(\w+)/g)].map(([, type = '']) => type)
    : [...form.matchAll(new RegExp(`name="${name}"[^>]*value="([^"]*)"`, 'g'))].map(([, value = '']) =>
        value.replaceAll('&quot;', '"'),
      )
}
const seenIn = ({ html }: Shown): string => valuesIn(html, 'seen')[0] ?? ''
const valuesOf = async (name: string, type: string): Promise<readonly string[]> => {
  const found = await at.world.store.read(async (r) => r.nameAt(at.world.ids['example.test'] ?? 0, name))
  return (found?.rrsets ?? []).flatMap(({ dnsType, rdata }) =>
    dnsType === type ? rdata.map(({ value }) => value) : [],
  )
}
const setAddress = async (value: string): Promise<unknown> =>
  at.world.ask('PUT', `${R}/free/rrsets/A/rdata`, [{ value }])

describe('what was typed', () => {
  const NOTE = { description: 'typed "for" long' }

  it('is there after the session has ended: sign in elsewhere, and send it', async () => {
    const one = await signedIn()
    const [token = ''] = valuesIn((await one.send('/console/zones/example.test')).html, 'token')
    const before = one.cookie()
    at.now = after(at.now, minutes(31))
    const unsent = await one.post('/console/zones/example.test', NOTE)
    expect([unsent.status, unsent.text]).toEqual([403, expect.stringContaining('Your session has ended')])
    expect(valuesIn(unsent.html, 'description')).toEqual(['typed &quot;for&quot; long'])
    expect(unsent.html).toMatch(/href="\/console\/sign-in" target="_blank"/)
    await one.signIn('a', PASSWORD)
    expect(one.cookie()).not.toBe(before)
    const old = await one.post('/console/zones/example.test', { ...NOTE, token })
    expect([old.status, old.text]).toEqual([403, expect.stringContaining('still here')])
    const kept = { ...NOTE, token, unsent: valuesIn(unsent.html, 'unsent')[0] ?? '' }
    const elsewhere = await one.post('/console/zones/example.test', kept, {
      headers: { fetchSite: undefined, origin: ORIGIN } as object,
    })
    expect(elsewhere.status).toBe(403)
    expect((await one.post('/console/zones/example.test', kept)).status).toBe(303)
  })

  it('is not sent for another person, who has signed in meanwhile', async () => {
    const one = await signedIn()
    const [token = ''] = valuesIn((await one.send('/console/account')).html, 'token')
    at.now = after(at.now, minutes(31))
    const unsent = await one.post('/console/account/email', { email: 'a@evil.example', token })
    await one.signInWith('key-of-b')
    const [mark = ''] = valuesIn(unsent.html, 'unsent')
    for (const form of [{ token, unsent: mark }, { token }, { token: 'x' }, { token, unsent: '' }]) {
      const refused = await one.post('/console/account/email', { email: 'a@evil.example', ...form })
      expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('another account')])
    }
  })

  it('waits for the second factor too', async () => {
    const one = await signedIn()
    await one.send('/console/zones/example.test')
    await at.world.store.write(async (w) => w.needFactor(at.world.ids['a'] ?? 0, undefined))
    const unsent = await one.post('/console/zones/example.test', NOTE)
    expect([unsent.status, valuesIn(unsent.html, 'description')]).toEqual([
      403,
      ['typed &quot;for&quot; long'],
    ])
  })

  it('in the form of a password is asked for again', async () => {
    const one = await signedIn()
    const form = { old_password: PASSWORD, new_password: 'another password', again: 'another password' }
    const old = await one.post('/console/account/password', { ...form, token: 'of the old page' })
    expect(old.headers['location']).toBe('/console/account')
    at.now = after(at.now, minutes(31))
    expect((await one.post('/console/account/password', form)).headers['location']).toBe('/console/sign-in')
  })

  it.each(['password', 'secret', 'again', 'proof', 'code'])('has no %s in it', async (name) => {
    const one = await signedIn()
    at.now = after(at.now, minutes(31))
    const { html } = await one.post('/console/account/email', { [name]: 'a secret', other: 'x' })
    expect([html.includes('a secret'), valuesIn(html, 'other')]).toEqual([false, ['x']])
  })

  it('is not kept for a stranger, nor what has too many fields', async () => {
    const stranger = await person().post('/console/zones/example.test', NOTE)
    expect([stranger.status, stranger.headers['location']]).toEqual([303, '/console/sign-in'])
    const one = await signedIn()
    at.now = after(at.now, minutes(31))
    const many = Object.fromEntries(Array.from({ length: 5001 }, (_, n) => [`f${n}`, '']))
    expect((await one.post('/console/zones/example.test', many)).status).toBe(303)
    const long = { description: 'x'.repeat(9000) }
    expect((await one.post('/console/zones/example.test', long)).html).toContain(long.description)
  })

  it.each([
    ['/console/keys/ddns/kkk1111', { description: 'my own words', hostnames: 'nowhere.test' }, 'description'],
    ['/console/zones/example.test', { description: 'my own words', default_ttl: '1' }, 'description'],
    ['/console/account/email', { email: 'no address' }, 'email'],
    [`${FREE}/offline`, { action: 'redirect', value: 'ftp://no' }, 'value'],
  ])('is in the form again after a refusal at %s', async (path, form, name) => {
    const one = await signedIn()
    const { status, html } = await one.post(path, form)
    const [, typed] = new RegExp(`id="${name}"[^>]*value="([^"]*)"`).exec(html) ?? []
    expect([status, typed]).toEqual([422, form[name as keyof typeof form]])
    expect(html).toContain('aria-invalid="true"')
  })

  it('stays ticked where a change of several names has a fault', async () => {
    const one = await signedIn()
    const picks = ['example.test/free', 'example.test/empty']
    const back = '/console/names?search=e&choose=yes'
    const { html } = await one.post('/console/names/bulk', { act: 'ttl', value: 'long', pick: picks, back })
    expect([valuesIn(html, 'pick'), valuesIn(html, 'value')]).toEqual([picks, ['long']])
    expect(html).toContain('href="/console/names?search=e&amp;choose=yes"')
  })
})

describe('what has changed since a page was made', () => {
  it('is seen before records are stored: other rows follow, and what the person has changed stays', async () => {
    const one = await signedIn()
    const { html } = await one.send(FREE)
    const fields = ['type', 'ttl', 'value', 'label', 'from', 'was'] as const
    const form = Object.fromEntries(fields.map((name) => [name, fieldsIn(html, name)]))
    const texts = (form['value'] ?? []).map((value) => (value.includes('hello') ? '' : value))
    const rows = {
      ...form,
      type: [...(form['type'] ?? []).slice(0, -1), 'MX'],
      value: [...texts.slice(0, -1), '10 mail.example.test.'],
    }
    await setAddress('192.0.2.70')
    const again = await one.post(`${FREE}/review`, rows)
    expect([again.status, again.text]).toEqual([422, expect.stringContaining('changed meanwhile')])
    // The new address, the old IPv6 address, the new record, and an empty row; without the text.
    expect(fieldsIn(again.html, 'value').toSorted()).toEqual(
      ['', '10 mail.example.test.', '192.0.2.70', '2001:db8::7'].toSorted(),
    )
    const next = Object.fromEntries(fields.map((name) => [name, fieldsIn(again.html, name)]))
    const review = await one.post(`${FREE}/review`, next)
    expect([review.status, review.text]).toEqual([200, expect.stringContaining('2 changes')])
    expect(review.text).not.toContain('192.0.2.7')
  })

  it('is seen before several names are changed', async () => {
    const one = await signedIn()
    const form = { act: 'address', value: '192.0.2.99', pick: 'example.test/free' }
    const seen = seenIn(await one.post('/console/names/bulk', form))
    await setAddress('192.0.2.70')
    const again = await one.post('/console/names/bulk/apply', { ...form, seen })
    expect([again.status, again.text]).toEqual([422, expect.stringContaining('have changed meanwhile')])
    expect(await valuesOf('free', 'A')).toEqual(['192.0.2.70'])
    expect((await one.post('/console/names/bulk/apply', { ...form, seen: seenIn(again) })).status).toBe(200)
    expect(await valuesOf('free', 'A')).toEqual(['192.0.2.99'])
    const same = await one.post('/console/names/bulk', form)
    expect([same.text, same.html.includes('bulk/apply')]).toEqual([
      expect.stringContaining('Nothing would change'),
      false,
    ])
  })

  it('is seen before a zone file is imported', async () => {
    const one = await signedIn()
    const text = 'x 60 IN A 192.0.2.99'
    const zone = '/console/zones/noadd.test/import'
    const preview = await one.post(`${zone}/preview`, { text })
    expect(preview.status).toBe(200)
    const other = await at.world.ask('POST', '/v1/dns/zones/noadd.test/import', 'x 60 A 192.0.2.55\n')
    expect(other.status).toBe(202)
    const again = await one.post(zone, { text, seen: seenIn(preview) })
    expect([again.status, again.text]).toEqual([422, expect.stringContaining('has changed meanwhile')])
    expect(again.html).toContain('192.0.2.55')
    expect((await one.post(zone, { text, seen: seenIn(again) })).status).toBe(303)
  })
})

describe('a key of single values', () => {
  const valuesKey = async (): Promise<void> => {
    const key = await at.world.store.read(async (r) => r.keyNamed('kkk1111'))
    await at.world.store.write(async (w) => w.setTargets(key?.id ?? 0, []))
    const value = { value: '192.0.2.7', label: 'one', update_group: 'kkk1111' }
    expect((await at.world.ask('PUT', `${R}/free/rrsets/A/rdata`, [value])).status).toBe(202)
  }
  const targets = async () => (await at.world.store.read(async (r) => r.keyNamed('kkk1111')))?.targets

  it('keeps its rights when its description changes, and takes no names', async () => {
    await valuesKey()
    const before = await targets()
    const one = await signedIn()
    expect((await one.send('/console/keys/ddns/kkk1111')).text).toContain('also updates single records')
    expect(
      (await one.post('/console/keys/ddns/kkk1111', { description: 'other', hostnames: '' })).status,
    ).toBe(303)
    expect(await targets()).toEqual(before)
    const form = { act: 'key', key: 'kkk1111', pick: 'example.test/empty' }
    const refused = await one.post('/console/names/bulk', form)
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('updates single records')])
    expect(await targets()).toEqual(before)
  })
})

describe('a key', () => {
  it('keeps what others have attached since its page was opened', async () => {
    const one = await signedIn()
    const page = '/console/keys/ddns/kkk1111'
    const [shown = ''] = valuesIn((await one.send(page)).html, 'shown')
    const hostnames = [shown, 'free.example.test']
    await at.world.ask('PUT', '/v1/account/ddns-keys/kkk1111', { hostnames })
    await one.post(page, { description: 'words', hostnames: shown, shown })
    const text = async () => (await one.send(page)).text
    expect(await text()).toContain('free.example.test')
    await one.post(page, { description: 'words', hostnames: `${shown} empty.example.test`, shown })
    expect(await text()).toMatch(/empty\.example\.test[^]*free\.example\.test|free\.example\.test[^]*empty/)
  })
})

describe('two people at the same time', () => {
  it('publish one after the other, and the second one sees the first', async () => {
    const [one, other] = [await signedIn(), await signedIn()]
    const rows = (html: string, value: string) => ({
      ...Object.fromEntries(
        ['type', 'ttl', 'value', 'label', 'from', 'was'].map((name) => [name, fieldsIn(html, name)]),
      ),
      value: fieldsIn(html, 'value').map((was) => (was === '192.0.2.7' ? value : was)),
    })
    const [mine, theirs] = [await one.send(FREE), await other.send(FREE)]
    const all = await Promise.all([
      one.post(`${FREE}/records`, rows(mine.html, '192.0.2.71')),
      other.post(`${FREE}/records`, rows(theirs.html, '192.0.2.72')),
    ])
    expect(all.map(({ status }) => status).toSorted()).toEqual([303, 422])
    const stored = all[0]?.status === 303 ? '192.0.2.71' : '192.0.2.72'
    expect(await valuesOf('free', 'A')).toEqual([stored])
  })
})

describe('a long value', () => {
  it('has its change in the review and in the trail, although both begin alike', async () => {
    const text = (end: string): string =>
      [...['a', 'b', 'c', 'd'].map((one) => one.repeat(250)), end].map((one) => `"${one}"`).join(' ')
    await at.world.ask('PUT', `${R}/free/rrsets/TXT/rdata`, [{ value: text('one') }])
    const changed = await at.world.ask('PATCH', `${R}?dry_run=true`, [
      { name: 'free', dns_type: 'TXT', rdata: [{ value: text('two') }] },
    ])
    expect(changed.body).toMatchObject({
      changes: [{ before: expect.stringMatching(/…$/), after: expect.stringMatching(/…$/) }],
    })
  })
})

describe('a name that goes offline', () => {
  it('shows what programs have set, and keeps the rest of it', async () => {
    const settings = { action: 'page', title: 'Away', message: 'back soon', logo_url: 'https://x.test/l.png' }
    await at.world.ask('PUT', `${R}/free/offline-settings`, settings)
    const one = await signedIn()
    const { html } = await one.send(FREE)
    expect(html).toMatch(/value="page" selected/)
    expect(html).toContain('value="back soon"')
    expect((await one.post(`${FREE}/offline`, { action: 'page', value: 'back soon' })).status).toBe(303)
    const stored = async () => (await at.world.ask('GET', `${R}/free/offline-settings`)).body
    expect(await stored()).toMatchObject({ data: settings })
    await one.post(`${FREE}/offline`, { action: 'page', value: 'later' })
    expect(await stored()).toMatchObject({ data: { ...settings, message: 'later' } })
    await one.post(`${FREE}/offline`, { action: 'none', value: '' })
    expect(await stored()).toMatchObject({ data: { action: 'none' } })
  })
})
