import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createdLabels } from '../../../../src/service/api/writing/writing.ts'
import { inside } from '../inside.ts'
import { apiWorld, type World } from '../world.ts'

const R = '/v1/dns/records/example.test'

let world: World
beforeEach(async () => void (world = await apiWorld()))
afterEach(async () => world.close())

const TWO = [{ value: '192.0.2.1' }, { value: '192.0.2.2', label: 'x' }, { value: '192.0.2.3' }]
describe('Created-Labels', () => {
  // biome-ignore format: a table
  it.each<[method: string, path: string, body: unknown, expected: string | null]>([
    ['POST', `${R}/new/rrsets/A/rdata`,       TWO,                                  '"_1";type="A", "_2";type="A"'],
    ['POST', `${R}/free/rrsets/A/rdata`,      [{ value: '192.0.2.1' }],             '"_1";type="A"'],
    ['POST', `${R}/free/rrsets/A/rdata`,      [{ value: '192.0.2.1', label: 'y' }], null],
    ['PUT',  `${R}/free/rrsets/A/rdata`,      TWO,                                  '"_1";type="A", "_2";type="A"'],
    ['PUT',  `${R}/free/rrsets/A`,            { rdata: TWO },                       '"_1";type="A", "_2";type="A"'],
    ['PUT',  `${R}/free/rrsets/A`,            { rdata: [{ value: '192.0.2.8' }, { value: '192.0.2.7' }] }, '"_1";type="A"'],
    ['PUT',  `${R}/free/rrsets/A`,            { ttl: 300 },                         null],
    ['PUT',  `${R}/free/rrsets/A/rdata/x`,    { value: '192.0.2.1' },               null],
    ['POST', `${R}/empty/rrsets`,             [{ dns_type: 'A', rdata: TWO }], '"_1";type="A", "_2";type="A"'],
    ['POST', R,                               { name: 'new', rrsets: [{ dns_type: 'A', rdata: TWO.slice(1) }, { dns_type: 'TXT', rdata: [{ value: 'x' }] }] }, '"_1";type="A", "_1";type="TXT"'],
    ['POST', R,                               { name: 'new' },                      null],
    ['POST', `${R}/free/rrsets/A/rdata`,      [{ value: 'x' }],                     null],
  ])('%s %s %j: %s', async (method, path, body, expected) => {
    const { headers, body: answer, status } = await world.ask(method, path, body)

    expect(headers.get('created-labels')).toBe(expected)
    if (status < 300) expect(answer).toEqual({ warnings: [] })
  })

  it('are left out where they do not fit in a header', () => {
    const labels = (count: number) => [
      { dnsType: 'A', labels: Array.from({ length: count }, (_, n) => `_${n}`) },
    ]

    expect(createdLabels(labels(1000))).toEqual({})
    expect(createdLabels(labels(100)).headers).toBeDefined()
  })

  it('are exposed to a page, and so is the ETag', async () => {
    const origin = 'https://panel.example'
    const { send } = inside(world.store, { corsOrigins: origin })
    const { headers } = await send({
      method: 'GET',
      path: `${R}/free`,
      origin,
      authorization: 'Bearer key-of-a',
    })

    expect(headers['access-control-expose-headers']).toBe('etag, created-labels, retry-after')
  })
})
