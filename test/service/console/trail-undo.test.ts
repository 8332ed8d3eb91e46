import { describe, expect, it } from 'vitest'
import { after, seconds } from '../../../src/shared/base/time.ts'
import { PASSWORD } from '../api/world.ts'
import { consoleTests } from './person.ts'

const { at, person } = consoleTests()
const R = '/v1/dns/records/example.test'

async function signedIn() {
  const one = person()
  await one.signIn('a', PASSWORD)
  return one
}
const hiddenIn = (html: string, name: string): string =>
  (new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? '').replaceAll('&quot;', '"')
const linkIn = (html: string, pattern: RegExp): string =>
  (pattern.exec(html)?.[1] ?? '').replaceAll('&amp;', '&')
const valuesOf = async (name: string): Promise<readonly string[]> => {
  const found = await at.world.store.read(async (r) => r.nameAt(at.world.ids['example.test'] ?? 0, name))
  return (found?.rrsets ?? []).flatMap(({ rdata }) => rdata.map(({ value }) => value))
}

describe('the trail', () => {
  it('leads to the name of each entry, and to the records as they were before it', async () => {
    await at.world.ask('PUT', `${R}/free/rrsets/A/rdata`, [{ value: '192.0.2.66' }])
    const one = await signedIn()
    const trail = await one.send('/console/trail')
    const name = linkIn(trail.html, /href="(\/console\/find\?name=free\.example\.test)"/)
    expect((await one.send(name)).headers['location']).toBe('/console/names/example.test/free')
    const undo = linkIn(trail.html, /href="(\/console\/find\?[^"]*undo=A[^"]*)"/)
    const found = await one.send(undo.replace(/#.*/, ''))
    expect(found.headers['location']).toMatch(/^\/console\/names\/example\.test\/free\?undo=A&before=60/)
  })

  it.each([
    ['A', ['192.0.2.7']],
    ['TXT', ['"hello"']],
  ])('makes a name again that is gone, with its %s as it was', async (type, values) => {
    await at.world.ask('DELETE', `${R}/free`)
    const one = await signedIn()
    const trail = await one.send('/console/trail')
    const undo = linkIn(trail.html, new RegExp(`href="(/console/find\\?[^"]*undo=${type}&[^"]*)"`))
    const found = await one.send(undo.replace(/#.*/, ''))
    const review = await one.send(found.headers['location'] ?? '')
    expect(review.text).toContain('This changes 1 record')
    expect(review.html).toMatch(/<ins><code><bdi>60 /)
    const form = { until: hiddenIn(review.html, 'until'), calls: hiddenIn(review.html, 'calls') }
    expect((await one.post('/console/names/bulk/undo', form)).text).toContain('as before')
    expect(await valuesOf('free')).toEqual(values)
  })

  it.each([
    ['from=2026-01-02&to=2026-01-02', true, 2],
    ['from=2026-01-01&to=2026-01-01', false, 2],
    ['from=2026-01-02T00:00:00Z', true, 1],
    ['from=2026-01-02T00:00:01Z', false, 1],
  ])('has the days of %s in it: %s', async (query, isThere, days) => {
    const one = await signedIn()
    await one.send('/console/names')
    await one.post('/console/names/new', { hostname: 'new.example.test', addresses: '192.0.2.3' })
    const { html } = await one.send(`/console/trail?${query}`)
    expect([html.includes('made the name'), html.match(/type="date"/g)?.length]).toEqual([isThere, days])
  })

  it('leads to the form of a new name where there is nothing to undo, and knows nothing of names of others', async () => {
    await at.world.ask('DELETE', `${R}/free`)
    const one = await signedIn()
    expect((await one.send('/console/find?name=free.example.test')).headers['location']).toBe(
      '/console/names/new?hostname=free.example.test',
    )
    expect((await one.send('/console/find?name=x.nowhere.test')).headers['location']).toBe('/console/names')
  })

  it('puts back all that one request changed, after a look', async () => {
    const changes = [
      { name: 'free', dns_type: 'A', rdata: [{ value: '192.0.2.66' }] },
      { name: 'free', dns_type: 'TXT', rdata: [] },
      { name: 'empty', dns_type: 'A', rdata: [{ value: '192.0.2.67' }] },
    ]
    await at.world.ask('PATCH', R, changes)
    const one = await signedIn()
    const trail = await one.send('/console/trail')
    const all = linkIn(trail.html, /href="(\/console\/trail\/undo\?[^"]*)"/)
    const review = await one.send(all)
    expect(review.text).toContain('This changes 3 records')
    expect(await valuesOf('empty')).toEqual(['192.0.2.67'])
    const form = { until: hiddenIn(review.html, 'until'), calls: hiddenIn(review.html, 'calls') }
    expect((await one.post('/console/names/bulk/undo', form)).text).toContain('as before')
    expect(await valuesOf('empty')).toEqual([])
    expect((await valuesOf('free')).toSorted()).toEqual(['"hello"', '192.0.2.7', '2001:db8::7'])
    at.now = after(at.now, seconds(700))
    await one.send('/console/trail')
    expect((await one.post('/console/names/bulk/undo', form)).status).toBe(422)
  })

  it.each(['', '?at=never', '?at=2026-01-02T00:00:00.000Z&operation=nothing'])(
    'has nothing to put back at %s',
    async (query) => {
      const one = await signedIn()
      const page = await one.send(`/console/trail/undo${query}`)
      expect([page.status < 400, page.html.includes('name="calls"')]).toEqual([true, false])
    },
  )
})
