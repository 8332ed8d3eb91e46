import { describe, expect, it } from 'vitest'
import { PASSWORD } from '../api/world.ts'
import { consoleTests } from './person.ts'

const { at, person } = consoleTests()

async function signedIn() {
  const one = person()
  await one.signIn('a', PASSWORD)
  await one.send('/console/names')
  return one
}

describe('a zone', () => {
  it('of another account has nothing that only its owner may do', async () => {
    const one = await signedIn()
    const { text, html } = await one.send('/console/zones/dyn.test')
    for (const path of ['export', 'import', 'delete'])
      expect(html).not.toContain(`/console/zones/dyn.test/${path}`)
    expect(text).not.toContain('Where you registered the domain')
    expect((await one.send('/console/zones')).text).toMatch(/dyn\.test +shared/)
    expect((await one.send('/console/zones/example.test')).html).toContain('example.test/export')
  })

  it('is offered for a new name where the person may make one', async () => {
    const one = await signedIn()
    const isOffered = async () => (await one.send('/console/names/new')).html.includes('value="dyn.test"')
    expect(await isOffered()).toBe(true)
    const { store, ids } = at.world
    const [zone, account] = [ids['dyn.test'] ?? 0, ids['a'] ?? 0]
    await store.write(async (w) => w.changeZone(zone, { isMembersOnly: true }))
    const shown = async () => (await at.world.ask('GET', '/v1/dns/zones/dyn.test')).body.data
    expect([await isOffered(), await shown()]).toMatchObject([false, { is_own: false, takes_names: false }])
    await store.write(async (w) => w.setMember(zone, account, true))
    expect([await isOffered(), await shown()]).toMatchObject([true, { is_own: false, takes_names: true }])
    await store.write(async (w) => w.changeZone(zone, { isClosedToNewNames: true }))
    expect(await isOffered()).toBe(false)
  })

  it('with names of other accounts is deleted once their number is given too', async () => {
    const { store, ids, ask } = at.world
    await store.write(async (w) =>
      w.addZone({ accountId: ids['a'] ?? 0, name: 'guests.test', isShared: true }, at.now),
    )
    const made = await ask('POST', '/v1/dns/records/guests.test', { name: 'bob' }, 'key-of-b')
    expect(made.status).toBe(201)
    const one = await signedIn()
    const page = await one.send('/console/zones/guests.test')
    expect(page.html).not.toContain('name="others"')
    const [, count = ''] = /and its (\d+) name/.exec(page.text) ?? []
    const path = '/console/zones/guests.test/delete'
    const refused = await one.post(path, { count })
    expect([refused.status, refused.html]).toEqual([422, expect.stringContaining('name="others"')])
    expect(refused.text).toContain('holds 1 name of other accounts')
    expect((await one.post(path, { count, others: '2' })).status).toBe(422)
    expect((await one.post(path, { count, others: '1' })).headers['location']).toBe('/console/zones')
    expect((await ask('GET', '/v1/dns/zones/guests.test')).status).toBe(404)
  })
})
