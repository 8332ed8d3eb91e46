import { afterEach, beforeEach, expect, it } from 'vitest'
import { instant } from '../../../../src/shared/base/time.ts'
import { flushed, SETTINGS } from '../../publish/flushed.ts'
import { apiWorld, type World } from '../world.ts'

const AT = '/v1/dns/zones/example.test/publication'
const NOW = instant(Date.UTC(2026, 0, 2))

let world: World
beforeEach(async () => {
  world = await apiWorld({}, { dnsListen: '127.0.0.1:5300', answerQueries: 'yes' })
})
afterEach(async () => world.close())

const read = async () => (await world.ask('GET', AT)).body.data

it('says how many names of the zone wait, and when its serial was published', async () => {
  const zone = async () => (await world.ask('GET', '/v1/dns/zones/example.test')).body.data as object
  expect(await read()).toEqual({
    ...pick(await zone()),
    publication: 'pending',
    published_at: null,
    pending: 7,
    nameservers: [],
  })

  await flushed(world.store, SETTINGS, NOW)
  const published = { published_at: '2026-01-02T00:00:00.000Z', pending: 0, nameservers: [] }
  expect(await read()).toEqual({ ...pick(await zone()), publication: 'published', ...published })
  // A change of another zone does not count.
  await world.ask('POST', '/v1/dns/records/noadd.test', { name: 'new' })
  await world.ask('DELETE', '/v1/dns/records/example.test/free/rrsets/TXT')
  await world.ask('DELETE', '/v1/dns/records/example.test/empty')
  expect(await read()).toEqual({ ...pick(await zone()), publication: 'pending', ...published, pending: 2 })
})

const pick = (zone: object) => ({ serial: (zone as { serial: number }).serial })

it('has the state of each name server, as this node knows it', async () => {
  const checkedAt = NOW
  const own = { server: 'ns1', signs: true, serial: 7, isBehind: true, checkedAt }
  const other = { server: 'ns2', signs: false, serial: undefined, isBehind: undefined, checkedAt: undefined }
  const asked: number[] = []
  const known = await apiWorld({ secondaries: (id) => (asked.push(id), [own, other]) })
  const { data } = (await known.ask('GET', AT)).body
  await known.close()

  expect(asked).toEqual([known.ids['example.test']])
  expect(data).toMatchObject({
    nameservers: [
      { server: 'ns1', serial: 7, behind: true, checked_at: '2026-01-02T00:00:00.000Z', signs: true },
      { server: 'ns2', serial: null, behind: null, checked_at: null, signs: false },
    ],
  })
})
