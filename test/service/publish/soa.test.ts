import { decode } from 'dns-packet'
import { describe, expect, it } from 'vitest'
import { MessageBuilder } from '../../../src/shared/dns/message.ts'
import { isNewer, negativeSoa, nextSerial, soaRecord } from '../../../src/service/publish/soa.ts'

const MAX = 0xffffffff
const HALF = 2 ** 31

describe('a serial', () => {
  // biome-ignore format: a table
  it.each([
    [1,        0,        true],
    [44,       0,        true],
    [100,      44,       true],
    [0,        1,        false],
    [44,       100,      false],
    [7,        7,        false],
    [0,        MAX,      true],
    [100,      MAX - 99, true],
    [MAX,      0,        false],
    [HALF - 1, 0,        true],
    [0,        HALF - 1, false],
    [HALF + 1, 0,        false],
    [0,        HALF + 1, true],
  ])('%i is newer than %i by RFC 1982 §3.2: %s', (one, other, is) => expect(isNewer(one, other)).toBe(is))

  it.each([0, 1, HALF - 1, MAX])('%i and the one 2³¹ away are not newer than each other', (serial) => {
    const opposite = (serial + HALF) % 2 ** 32
    expect([isNewer(serial, opposite), isNewer(opposite, serial)]).toEqual([false, false])
  })

  it.each([
    [1, 2],
    [HALF - 1, HALF],
    [MAX - 1, MAX],
    [MAX, 1],
  ])('after %i is %i, which is newer', (serial, next) => {
    expect(nextSerial(serial)).toBe(next)
    expect(isNewer(nextSerial(serial), serial)).toBe(true)
  })
})

describe('the SOA', () => {
  const decoded = (record: ReturnType<typeof soaRecord>) => {
    const builder = new MessageBuilder({ id: 1, flags: 0x8000, limit: 512 })
    builder.add('answer', 'example.test', record)
    return decode(builder.done()).answers?.[0]
  }
  const zone = { apex: 'example.test', serial: MAX }

  it('has the first nameserver, the contact and the serial', () =>
    expect(
      decoded(soaRecord(zone, { nameservers: ['ns1.test', 'ns2.test'], contact: 'dns.operator.test' })),
    ).toMatchObject({
      name: 'example.test',
      type: 'SOA',
      ttl: 3600,
      data: {
        mname: 'ns1.test',
        rname: 'dns.operator.test',
        serial: MAX,
        refresh: 300,
        retry: 60,
        expire: 1_209_600,
        minimum: 60,
      },
    }))

  it('has the hostmaster of the zone without a contact, and an invalid server without any', () =>
    expect(decoded(soaRecord(zone, { nameservers: [], contact: undefined }))).toMatchObject({
      data: { mname: 'invalid', rname: 'hostmaster.example.test' },
    }))

  it('of a negative answer is kept for its minimum', () => {
    const soa = soaRecord(zone, { nameservers: [], contact: undefined })
    expect(negativeSoa(soa)).toEqual({ ...soa, ttl: 60 })
    expect(negativeSoa({ ...soa, ttl: 5 }).ttl).toBe(5)
  })
})
