import { expect, it, onTestFinished } from 'vitest'
import { limitConcurrency } from '../../../../src/shared/base/concurrency.ts'
import type { InTurn } from '../../../../src/service/api/request/context.ts'
import { instant } from '../../../../src/shared/base/time.ts'
import type { ApiServiceParts } from '../../../../src/service/program/http/api-service.ts'
import type { Delegation } from '../../../../src/service/model/delegation/delegation.ts'
import { NOTHING_FOUND } from '../nothing-found.ts'
import { apiWorld } from '../world.ts'

const AT = '/v1/dns/zones/example.test/delegation'

async function worldWith(
  delegation: NonNullable<ApiServiceParts['delegation']>,
  over: { readonly inTurn?: InTurn } = {},
) {
  const world = await apiWorld({ delegation, ...over })
  onTestFinished(async () => world.close())
  return world
}

it('shows what was found, and null for what is not known', async () => {
  const found: Delegation = {
    checkedAt: instant(Date.UTC(2026, 0, 1)),
    parent: { zone: 'test', nameservers: ['ns1.operator.test'], ds: ['42 13 2 AB'] },
    servers: [
      {
        name: 'ns1.operator.test',
        isOwn: true,
        isAtParent: true,
        hasAddress: true,
        isAnswering: true,
        isAuthoritative: true,
        serial: 7,
        dnskeys: 2,
      },
      {
        name: 'ns2.operator.test',
        isOwn: true,
        isAtParent: undefined,
        hasAddress: undefined,
        isAnswering: false,
        isAuthoritative: false,
        serial: undefined,
        dnskeys: undefined,
      },
    ],
    advice: ['do this'],
  }
  const asked: unknown[] = []
  const world = await worldWith(async (...question) => {
    asked.push(question)
    return found
  })

  expect((await world.ask('GET', AT)).body.data).toEqual({
    checked_at: '2026-01-01T00:00:00.000Z',
    parent: { zone_name: 'test', nameservers: ['ns1.operator.test'], ds: ['42 13 2 AB'] },
    nameservers: [
      {
        server: 'ns1.operator.test',
        own: true,
        at_parent: true,
        answers: true,
        authoritative: true,
        serial: 7,
        dnskeys: 2,
      },
      {
        server: 'ns2.operator.test',
        own: true,
        at_parent: null,
        answers: false,
        authoritative: false,
        serial: null,
        dnskeys: null,
      },
    ],
    advice: ['do this'],
  })
  const zone = {
    id: world.ids['example.test'],
    name: 'example.test',
    accountId: world.ids['a'],
    serial: expect.any(Number),
    awaitsProof: false,
  }
  expect(asked).toEqual([[zone, ['ns1.operator.test', 'ns2.operator.test']]])
})

it('holds up no other request of the account, and no write, while it looks', async () => {
  let end = (): void => undefined
  const looking = new Promise<void>((done) => (end = done))
  // One request at a time.
  const limit = limitConcurrency(1)
  const inTurn: InTurn = async (_, work) => ({ value: await limit(work) })
  const world = await worldWith(async () => looking.then(() => NOTHING_FOUND), { inTurn })
  const waiting = world.ask('GET', AT)

  expect((await world.ask('GET', '/v1/dns/zones/example.test')).status).toBe(200)
  expect((await world.ask('POST', '/v1/dns/records/example.test', { name: 'new' })).status).toBe(201)
  end()
  expect((await waiting).body.data).toMatchObject({
    parent: { zone_name: null, nameservers: null, ds: null },
  })
})

it('is refused while too many zones are looked at', async () => {
  const world = await worldWith(async () => undefined)
  const { status, headers } = await world.ask('GET', AT)
  expect([status, headers.get('retry-after')]).toEqual([429, '5'])
})
