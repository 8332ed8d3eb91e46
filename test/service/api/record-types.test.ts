import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { codesOf } from './inside.ts'
import { apiWorld, type World } from './world.ts'

const FREE = '/v1/dns/records/example.test/free/rrsets'
const EMPTY = '/v1/dns/records/example.test/empty/rrsets'
const SHA_256 = 'AB'.repeat(32)

let world: World
beforeEach(async () => {
  world = await apiWorld()
  await world.store.write(async (w) => w.changePlan(world.ids['plan-a'] ?? 0, { maxRdata: 999 }))
})
afterEach(async () => world.close())

const valuesAt = async (path: string): Promise<readonly string[]> => {
  const { body } = await world.ask('GET', path)
  return (body.data as { rdata: readonly { value: string }[] }).rdata.map(({ value }) => value)
}

describe('a record is stored and shown in canonical form', () => {
  it.each([
    ['TLSA', `dane-ee SPKI SHA2-256 ${SHA_256.toLowerCase()}`, `3 1 1 ${SHA_256}`],
    ['SSHFP', `4 2 ${SHA_256.toLowerCase()}`, `4 2 ${SHA_256}`],
    ['HTTPS', '1 . port=443 alpn=h2', '1 . alpn="h2" port=443'],
    ['SVCB', '0 Svc.example.', '0 svc.example.'],
    ['NAPTR', '1 2 S SIP+D2U "" _sip._udp.a.example', '1 2 "s" "SIP+D2U" "" _sip._udp.a.example.'],
    ['URI', '1 2 https://a.test/', '1 2 "https://a.test/"'],
    ['LOC', '1 N 2 W 3', '1 0 0.000 N 2 0 0.000 W 3.00m 1m 10000m 10m'],
  ])('%s %s', async (type, value, canonical) => {
    const made = await world.ask('POST', FREE, [{ dns_type: type, rdata: [{ value }] }])
    expect([made.status, made.body]).toEqual([201, { warnings: [] }])
    expect(await valuesAt(`${FREE}/${type}`)).toEqual([canonical])
  })

  it('DS at a delegation', async () => {
    const rrsets = [
      { dns_type: 'NS', rdata: [{ value: 'ns.test' }] },
      { dns_type: 'DS', rdata: [{ value: `1 RSASHA256 2 ${SHA_256.toLowerCase()}` }] },
      { dns_type: 'A', rdata: [{ value: '192.0.2.1' }] },
    ]
    expect((await world.ask('POST', EMPTY, rrsets)).status).toBe(201)
    expect(await valuesAt(`${EMPTY}/DS`)).toEqual([`1 8 2 ${SHA_256}`])
    expect((await world.ask('DELETE', `${EMPTY}/DS`)).status).toBe(200)
    expect((await world.ask('DELETE', `${EMPTY}/NS`)).status).toBe(200)
  })
})

describe('a change that breaks a rule of DNS is refused', () => {
  const ds = { dns_type: 'DS', rdata: [{ value: `1 8 2 ${SHA_256}` }] }
  const mx = (...values: readonly string[]) => ({ dns_type: 'MX', rdata: values.map((value) => ({ value })) })
  const txt = (count: number) => ({
    dns_type: 'TXT',
    rdata: Array.from({ length: count }, (_, n) => ({ value: `t${n}` })),
  })
  it.each([
    ['DS without NS', EMPTY, ds],
    ['DS at the apex', '/v1/dns/records/example.test/@/rrsets', ds],
    ['the null MX with another MX', EMPTY, mx('0 .', '10 mx.test')],
    ['101 records in an RRSet', EMPTY, txt(101)],
  ])('%s', async (_, path, rrset) => {
    const reply = await world.ask('POST', path, [rrset])
    expect([reply.status, codesOf(reply)]).toEqual([400, ['3363']])
  })

  it('100 records are allowed, and one more is refused', async () => {
    expect((await world.ask('POST', EMPTY, [txt(100)])).status).toBe(201)
    const reply = await world.ask('POST', `${EMPTY}/TXT/rdata`, [{ value: 'one more' }])
    expect([reply.status, codesOf(reply)]).toEqual([400, ['3363']])
  })
})

it.each([
  ['TXT', 'a\ud800', 'the value contains half of a surrogate pair, which is not a character'],
  ['TXT', 'a\0', 'the value contains U+0000; write the octet 0 as \\000'],
  ['SVCB', '1 . ech=AEU', "ech: 'AEU' is not Base64 with padding (RFC 4648 §4)"],
])('%s %j is refused with what is wrong', async (type, value, detail) => {
  const { status, body } = await world.ask('POST', FREE, [{ dns_type: type, rdata: [{ value }] }])
  // Phase 7, the form of the body, is before conflicts: free has TXT.
  expect([status, body.errors]).toEqual([
    400,
    [expect.objectContaining({ code: '2839', detail, location: 'body', pointer: '/0/rdata/0/value' })],
  ])
})
