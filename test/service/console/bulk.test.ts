import { describe, expect, it } from 'vitest'
import { after, minutes } from '../../../src/shared/base/time.ts'
import { PASSWORD } from '../api/world.ts'
import { consoleTests } from './person.ts'

const { at, person } = consoleTests()

async function signedIn() {
  const one = person()
  await one.signIn('a', PASSWORD)
  await one.send('/console/names')
  return one
}

const hiddenIn = (html: string, name: string): string =>
  (new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? '')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')

const ttlsOf = async (name: string): Promise<readonly number[]> => {
  const found = await at.world.store.read(async (r) => r.nameAt(at.world.ids['example.test'] ?? 0, name))
  return (found?.rrsets ?? []).map(({ ttl }) => ttl)
}
const valuesOf = async (name: string, type: string): Promise<readonly string[] | undefined> => {
  const found = await at.world.store.read(async (r) => r.nameAt(at.world.ids['example.test'] ?? 0, name))
  return found?.rrsets.find(({ dnsType }) => dnsType === type)?.rdata.map(({ value }) => value)
}

describe('several names at once', () => {
  it('have boxes in the list, where they may be changed', async () => {
    const one = await signedIn()
    expect((await one.send('/console/names?choose=yes')).html).toContain(
      'name="pick" value="example.test/home"',
    )
    const reader = person()
    await reader.signInWith('reader-of-a')
    expect((await reader.send('/console/names?choose=yes')).html).not.toContain('name="pick"')
  })

  it('get another TTL after a review, by one request for each zone, and the old one again', async () => {
    const one = await signedIn()
    const form = {
      act: 'ttl',
      value: '300',
      pick: ['example.test/home', 'example.test/free', 'dyn.test/mine'],
    }
    const review = await one.post('/console/names/bulk', form)
    expect(review.text).toContain('This changes 4 records')
    expect(review.text).toContain('dyn.test')
    expect(review.text).toMatch(/Not done.*mine\.dyn\.test/s)
    expect(await ttlsOf('free')).toEqual([60, 60, 60])
    const done = await one.post('/console/names/bulk/apply', form)
    expect(done.text).toContain('2 names are changed')
    expect(await ttlsOf('free')).toEqual([300, 300, 300])
    const undo = { until: hiddenIn(done.html, 'until'), calls: hiddenIn(done.html, 'calls') }
    expect((await one.post('/console/names/bulk/undo', undo)).text).toContain('2 names are as before')
    expect(await ttlsOf('free')).toEqual([60, 60, 60])
    const trail = await one.send('/console/trail')
    expect(trail.text.match(/changed records/g)?.length).toBeGreaterThanOrEqual(8)
  })

  it('get another address, and the ones before', async () => {
    const one = await signedIn()
    const form = { act: 'address', value: '192.0.2.99', pick: ['example.test/free', 'example.test/empty'] }
    const done = await one.post('/console/names/bulk/apply', form)
    expect([await valuesOf('free', 'A'), await valuesOf('empty', 'A')]).toEqual([
      ['192.0.2.99'],
      ['192.0.2.99'],
    ])
    const undo = { until: hiddenIn(done.html, 'until'), calls: hiddenIn(done.html, 'calls') }
    at.now = after(at.now, minutes(9))
    await one.send('/console/names')
    await one.post('/console/names/bulk/undo', undo)
    expect([await valuesOf('free', 'A'), await valuesOf('empty', 'A')]).toEqual([['192.0.2.7'], undefined])
    at.now = after(at.now, minutes(1))
    expect((await one.post('/console/names/bulk/undo', undo)).text).toContain('more than ten minutes ago')
  })

  it('are attached to a key that goes on with its other names', async () => {
    const one = await signedIn()
    const form = { act: 'key', value: '', key: 'kkk1111', pick: ['example.test/free'] }
    expect((await one.post('/console/names/bulk', form)).text).toContain('free.example.test')
    const done = await one.post('/console/names/bulk/attach', form)
    expect((await one.send('/console/keys/ddns/kkk1111')).text).toMatch(/free\.example\.test/)
    expect((await one.send('/console/keys/ddns/kkk1111')).text).toMatch(/home\.example\.test/)
    // What was attached since stays.
    await at.world.ask('PUT', '/v1/account/ddns-keys/kkk1111', {
      hostnames: ['home.example.test', 'free.example.test', 'empty.example.test'],
    })
    const undo = { until: hiddenIn(done.html, 'until'), key: 'kkk1111', name: hiddenIn(done.html, 'name') }
    await one.post('/console/names/bulk/detach', undo)
    const left = (await one.send('/console/keys/ddns/kkk1111')).text
    expect(left).not.toMatch(/free\.example\.test/)
    expect([left.includes('home.example.test'), left.includes('empty.example.test')]).toEqual([true, true])
    const unknown = await one.post('/console/names/bulk', { ...form, key: 'nothing' })
    expect([unknown.status, unknown.text]).toEqual([422, expect.stringContaining('DDNS key not found')])
  })

  it('are deleted with a proof, and come back', async () => {
    const one = await signedIn()
    const form = { act: 'delete', value: '', pick: ['example.test/free', 'example.test/locked'] }
    const review = await one.post('/console/names/bulk', form)
    expect(review.text).toMatch(/Not done.*locked\.example\.test/s)
    expect((await one.post('/console/names/bulk/apply', form)).status).toBe(422)
    at.now = after(at.now, minutes(6))
    await one.send('/console/names')
    expect((await one.post('/console/names/bulk/delete', form)).text).toContain('Confirm that it is you')
    const done = await one.post('/console/names/bulk/delete', { ...form, proof: PASSWORD })
    expect(await valuesOf('free', 'A')).toBeUndefined()
    const undo = { until: hiddenIn(done.html, 'until'), calls: hiddenIn(done.html, 'calls') }
    await one.post('/console/names/bulk/undo', undo)
    expect(await valuesOf('free', 'TXT')).toEqual(['"hello"'])
  })

  it.each([
    [{ act: 'ttl', value: '300' }, 'Select some names first'],
    [{ act: 'key', value: '', key: '', pick: 'example.test/free' }, 'Choose a DDNS key'],
    [{ act: 'delete', pick: ['example.test/', 'example.test', '/', 'x/%00'] }, 'Change several'],
    [{ act: 'ttl', value: 'long', pick: 'example.test/free' }, 'whole number of seconds'],
    [{ act: 'address', value: '192.0.2', pick: 'example.test/free' }, 'neither an IPv4 nor an IPv6'],
  ])('are not changed by %j', async (form, text) => {
    const one = await signedIn()
    const page = await one.post('/console/names/bulk', form)
    expect([page.status, page.text]).toEqual([422, expect.stringContaining(text)])
  })

  it.each([
    ['nonsense'],
    ['null'],
    ['[null, 1, {}]'],
    ['[{"operation":"createApiKey","call":{"params":{},"body":{}},"names":[]}]'],
    [
      '[{"operation":"deleteName","call":{"params":{"zone_name":"example.test","name":"free"},"body":{}},"names":[]}]',
    ],
    [
      '[{"operation":"changeKey","call":{"params":{"ddns_key_username":"kkk1111"},"body":{"regenerate_password":true}},"names":["x"]}]',
    ],
    ['[{"operation":"changeRRSets","call":{"params":null,"body":[]},"names":[]}]'],
  ])('are not put back by %s', async (calls) => {
    const one = await signedIn()
    const page = await one.post('/console/names/bulk/undo', {
      until: String(after(at.now, minutes(1))),
      calls,
    })
    expect(page.status).toBeLessThan(500)
    expect(page.html).not.toMatch(/password/i)
    expect(await valuesOf('free', 'A')).toEqual(['192.0.2.7'])
    expect(await valuesOf('home', 'A')).toEqual(['192.0.2.1'])
  })
})
