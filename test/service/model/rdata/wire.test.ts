import { decode } from 'dns-packet'
import { describe, expect, it } from 'vitest'
import { MessageBuilder } from '../../../../src/shared/dns/message.ts'
import {
  isWireType,
  RDATA_TYPES,
  rdataOf,
  typeNumber,
  type WireType,
} from '../../../../src/service/model/rdata/types.ts'
import { hex } from '../../../shared/dns/wire.ts'

/** The RDATA of what a user writes. */
function rdata(type: WireType, value: string): Buffer {
  const parsed = RDATA_TYPES[type].parse(value)
  if (!parsed.ok) throw new Error(parsed.error.detail)
  return Buffer.from(rdataOf(type, parsed.value))
}
const decoded = (type: WireType, value: string): unknown => {
  const builder = new MessageBuilder({ id: 1, flags: 0x8000, limit: 65_535 })
  builder.add('answer', 'example.test', { type: typeNumber(type), ttl: 60, rdata: rdata(type, value) })
  const [answer] = decode(builder.done()).answers ?? []
  expect(answer?.type).toBe(type)
  return answer !== undefined && 'data' in answer ? answer.data : undefined
}
const bytes = (text: string): Buffer => Buffer.from(text, 'latin1')

// biome-ignore format: a table
const READ: readonly (readonly [WireType, string, unknown])[] = [
  ['A',     '192.0.2.1',                               '192.0.2.1'],
  ['A',     '255.255.255.255',                         '255.255.255.255'],
  ['AAAA',  '2001:db8::1',                             '2001:db8::1'],
  ['AAAA',  '::',                                      '::'],
  ['CNAME', 'a.b.example.test',                        'a.b.example.test'],
  ['CNAME', '_dmarc.Example.test.',                    '_dmarc.example.test'],
  ['NS',    'ns.example.test.',                        'ns.example.test'],
  ['PTR',   'host.example.test.',                      'host.example.test'],
  ['TXT',   'hi there',                                [bytes('hi there')]],
  ['TXT',   '"one" "two"',                             [bytes('one'), bytes('two')]],
  ['TXT',   '""',                                      [bytes('')]],
  ['TXT',   '"\\000\\255\\"\\\\"',                     [bytes('\0\xff"\\')]],
  ['TXT',   'ü',                                       [bytes('\xc3\xbc')]],
  ['TXT',   'x'.repeat(256),                           [bytes('x'.repeat(255)), bytes('x')]],
  ['MX',    '10 mail.example.test.',                   { preference: 10, exchange: 'mail.example.test' }],
  ['MX',    '0 .',                                     { preference: 0, exchange: '.' }],
  ['MX',    '65535 a.test.',                           { preference: 65_535, exchange: 'a.test' }],
  ['SRV',   '1 2 65535 a.example.test.',               { priority: 1, weight: 2, port: 65_535, target: 'a.example.test' }],
  ['SRV',   '0 0 0 .',                                 { priority: 0, weight: 0, port: 0, target: '.' }],
  ['CAA',   '0 issue "ca.test; a=b"',                  { flags: 0, tag: 'issue', value: 'ca.test; a=b', issuerCritical: false }],
  ['CAA',   '128 iodef "mailto:a@b.test"',             { flags: 128, tag: 'iodef', value: 'mailto:a@b.test', issuerCritical: true }],
  ['CAA',   '0 issue ""',                              { flags: 0, tag: 'issue', value: '', issuerCritical: false }],
  ['DS',    '60485 5 1 2bb183af5f22588179a53b0a98631fad1a292118', { keyTag: 60_485, algorithm: 5, digestType: 1, digest: hex('2bb183af5f22588179a53b0a98631fad1a292118') }],
  ['TLSA',  `3 1 1 ${'0b'.repeat(32)}`,                { usage: 3, selector: 1, matchingType: 1, certificate: Buffer.alloc(32, 0x0b) }],
  ['SSHFP', '2 1 123456789abcdef67890123456789abcdef67890', { algorithm: 2, hash: 1, fingerprint: '123456789ABCDEF67890123456789ABCDEF67890' }],
  ['NAPTR', '100 50 "s" "z3950+I2L+I2C" "" _z3950._tcp.gatech.edu.', { order: 100, preference: 50, flags: 's', services: 'z3950+I2L+I2C', regexp: '', replacement: '_z3950._tcp.gatech.edu' }],
  ['NAPTR', '100 10 "U" "E2U+sip" "!^.*$!sip:info@example.test!" .', { order: 100, preference: 10, flags: 'u', services: 'E2U+sip', regexp: '!^.*$!sip:info@example.test!', replacement: '.' }],
]

/** In RFC 9460 the vectors are whole RDATA (appendix D); in the others the parts are by their formats. */
// biome-ignore format: a table
const VECTORS: readonly (readonly [source: string, WireType, string, octets: string])[] = [
  ['RFC 9460 figure 2',  'SVCB',  '0 foo.example.com.',                                  '0000 03666f6f 076578616d706c65 03636f6d 00'],
  ['RFC 9460 figure 2',  'HTTPS', '0 foo.example.com.',                                  '0000 03666f6f 076578616d706c65 03636f6d 00'],
  ['RFC 9460 figure 3',  'SVCB',  '1 .',                                                 '0001 00'],
  ['RFC 9460 figure 4',  'SVCB',  '16 foo.example.com. port=53',                         '0010 03666f6f076578616d706c6503636f6d00 0003 0002 0035'],
  ['RFC 9460 figure 5',  'SVCB',  '1 foo.example.com. key667=hello',                     '0001 03666f6f076578616d706c6503636f6d00 029b 0005 68656c6c6f'],
  ['RFC 9460 figure 6',  'SVCB',  '1 foo.example.com. key667="hello\\210qoo"',           '0001 03666f6f076578616d706c6503636f6d00 029b 0009 68656c6c6fd2716f6f'],
  ['RFC 9460 figure 7',  'SVCB',  '1 foo.example.com. ipv6hint="2001:db8::1,2001:db8::53:1"', '0001 03666f6f076578616d706c6503636f6d00 0006 0020 20010db8000000000000000000000001 20010db8000000000000000000530001'],
  ['RFC 9460 figure 9',  'SVCB',  '16 foo.example.org. alpn=h2,h3-19 mandatory=ipv4hint,alpn ipv4hint=192.0.2.1', '0010 03666f6f076578616d706c65036f726700 0000 0004 0001 0004 0001 0009 026832 0568332d3139 0004 0004 c0000201'],
  ['RFC 9460 figure 10', 'SVCB',  '16 foo.example.org. alpn="f\\\\\\\\oo\\\\,bar,h2"',   '0010 03666f6f076578616d706c65036f726700 0001 000c 08665c6f6f2c626172 026832'],
  ['RFC 4701 §3.6.2', 'DHCID', 'AAEBOSD+XR3Os/0LozeXVqcNc7FwCfQdWL3b/NaiUDlW2No=', '0001013920fe5d1dceb3fd0ba3379756a70d73b17009f41d58bddbfcd6a2503956d8da'],
  ['RFC 1876 §2: cambridge-net.kei.com', 'LOC', '42 21 54 N 71 06 18 W -24m 30m',        '00 33 16 13 8917 2dd0 70be 15f0 0098 8d20'],
  ['RFC 1876 §2: the origin', 'LOC', '0 0 0 N 0 0 0 E 0m 0m 0m 0m',                       '00 00 00 00 80000000 80000000 00989680'],
  ['RFC 1876 §2: south and west by a thousandth', 'LOC', '0 0 0.001 S 0 0 0.001 W -100000.00m 90000000m 1m 0.01m', '00 99 12 10 7fffffff 7fffffff 00000000'],
  ['RFC 1876 §2: the poles and the highest', 'LOC', '90 0 0 N 180 0 0 E 42849672.95m',    '00 12 16 13 934fd900 a69fb200 ffffffff'],
  ['RFC 7553 §4.4',      'URI',   '10 1 "ftp://ftp1.example.com/public"',                '000a 0001 6674703a2f2f667470312e6578616d706c652e636f6d2f7075626c6963'],
  ['RFC 4255 §3.2',      'SSHFP', '2 1 123456789abcdef67890123456789abcdef67890',        '02 01 123456789abcdef67890123456789abcdef67890'],
  ['RFC 6698 §2.3',      'TLSA',  '0 0 1 d2abde240d7cd3ee6b4b28c54df034b97983a1d16e8a410e4561cb106618e971', '00 00 01 d2abde240d7cd3ee6b4b28c54df034b97983a1d16e8a410e4561cb106618e971'],
  ['RFC 3403 §4.1',      'NAPTR', '100 90 "" "" "!http://([^/:]+)!\\\\1!i" .',           '0064 005a 00 00 15 21687474703a2f2f285b5e2f3a5d2b29215c31 2169 00'],
  ['RFC 8659 §4.1: octets', 'CAA', '0 issue "\\255"',                                    '00 05 6973737565 ff'],
]

describe('the RDATA of a stored value', () => {
  it.each(READ)('%s %s is read by dns-packet', (type, value, data) =>
    expect(decoded(type, value)).toEqual(data),
  )

  it.each(VECTORS)('%s: %s %s', (_, type, value, octets) =>
    expect(rdata(type, value).toString('hex')).toBe(hex(octets).toString('hex')),
  )

  it('is tested for every type that is published as it is stored', () => {
    const types = Object.keys(RDATA_TYPES).filter((type) => isWireType(type as WireType))
    const tested = new Set([...READ.map(([type]) => type), ...VECTORS.map(([, type]) => type)])
    expect(types.filter((type) => !tested.has(type as WireType))).toEqual([])
  })

  it('may be as large as a record', () => {
    const strings = Array.from({ length: 234 }, () => `"${'x'.repeat(255)}"`).join(' ')
    expect(rdata('TXT', strings)).toHaveLength(234 * 256)
  })
})
