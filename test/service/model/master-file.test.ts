import { describe, expect, it } from 'vitest'
import { instant } from '../../../src/shared/base/time.ts'
import { linesOfOctets } from '../../../src/service/model/master-file/entries.ts'
import { formatMasterFile } from '../../../src/service/model/master-file/format.ts'
import { parseMasterFile } from '../../../src/service/model/master-file/records.ts'
import type { DnsType } from '../../../src/service/model/rdata/types.ts'

const ZONE = 'example.test'
const SOA = '@ IN SOA ns hostmaster 1 3600 600 1209600 90'

function read(text: string): readonly (readonly [string, number | undefined, string])[] {
  const parsed = parseMasterFile(text.split('\n'), ZONE)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error))
  return parsed.value.map(({ name, ttl, value }) => [name, ttl, value])
}
const ttlsIn = (...lines: readonly string[]) => read(lines.join('\n')).map(([, ttl]) => ttl)
const valueOf = (record: string) => read(`x 60 IN ${record}`)[0]?.[2]

describe('the TTL of a record without one', () => {
  // biome-ignore format: a table
  it.each<[what: string, lines: readonly string[], ttls: readonly (number | undefined)[]]>([
    ['is that of $TTL',                           ['$TTL 5m', 'a 60 A 192.0.2.1', 'b A 192.0.2.1'], [60, 300]],
    ['is the last one of a record without $TTL',  [SOA, 'a 60 A 192.0.2.1', 'b A 192.0.2.1'], [60, 60]],
    ['is the one of a SOA',                       ['@ 70 IN SOA ns hostmaster 1 2 3 4 5', 'b A 192.0.2.1'], [70]],
    ['is the minimum of a SOA without one',       [SOA, 'b A 192.0.2.1'], [90]],
    ['is that of the zone otherwise',             ['b A 192.0.2.1'], [undefined]],
  ])('%s', (_, lines, ttls) => expect(ttlsIn(...lines)).toEqual(ttls))
})

describe('the value of a record', () => {
  // biome-ignore format: a table
  it.each([
    ['HTTPS 1 . alpn="h2,h3"',                  '1 . alpn="h2,h3"'],
    ['HTTPS 1 . key65000="a b" port=1',         '1 . port=1 key65000="a b"'],
    ['HTTPS 1 . key7="/q{?dns}"',               '1 . dohpath="/q{?dns}"'],
    ['_URL https://example.test/x',             'https://example.test/x'],
    [String.raw`_URL https://example.test/\;x`, 'https://example.test/;x'],
    ['_URL "https://example.test/(x);y"',       'https://example.test/(x);y'],
    [String.raw`_URL "https://example.test/#\"\\"`, String.raw`https://example.test/#%22\ `.trim()],
    [String.raw`_URL https://example.test/\195\169`, 'https://example.test/%C3%A9'],
    ['TXT a="b"',                               '"a=" "b"'],
    ['TXT a\u000bb',                            String.raw`"a\011b"`],
    ['TXT a\tb',                                '"a" "b"'],
  ])('%j is %s', (record, value) => expect(valueOf(record)).toBe(value))

  it.each<[DnsType, string]>([
    ['_URL', String.raw`https://example.test/(a);b#\ `.trim()],
    [
      'HTTPS',
      String.raw`1 dohpath. mandatory=alpn,dohpath alpn="h2" dohpath="/dohpath{?dns}" key65000=" dohpath=; \" \\"`,
    ],
    ['TXT', String.raw`"a;b" "\"(\\\233"`],
  ])('%s %s is exported as it is read', (dnsType, value) => {
    const at = { createdAt: instant(0), updatedAt: instant(0) }
    const rrset = { dnsType, ttl: 60, isSystem: false, metadata: {}, ...at }
    const flags = { isProhibited: false, isBlocked: false, isOffline: false }
    const rrsets = [{ ...rrset, rdata: [{ label: '_1', value, isSystem: false }] }]
    const name = { zoneId: 1, accountId: 1, name: 'x', metadata: {}, ...flags, rrsets, ...at }
    const lines = formatMasterFile({ name: ZONE, serial: 1, defaultTtl: 60 }, [name], [])

    expect(read(lines.join('\n'))).toEqual([['x', 60, value]])
    if (dnsType === 'HTTPS')
      expect(lines.at(-1)).toBe(
        String.raw`x 60 IN HTTPS 1 dohpath. mandatory=alpn,key7 alpn="h2" key7="/dohpath{?dns}" key65000=" dohpath=; \" \\"`,
      )
  })
})

describe('the octets of a file', () => {
  // biome-ignore format: a table
  it.each<[string, readonly number[], string]>([
    ['in ASCII are as they are',         [0x61, 0x5c, 0x22],             String.raw`a\"`],
    ['above 127 are escaped',            [0xe9, 0x61],                   String.raw`\233a`],
    ['that are escaped already too',     [0x5c, 0xe9],                   String.raw`\233`],
    ['after an escaped backslash too',   [0x5c, 0x5c, 0xe9],             String.raw`\\\233`],
    ['of a byte order mark are skipped', [0xef, 0xbb, 0xbf, 0x61],       'a'],
  ])('%s', (_, octets, text) => expect([...linesOfOctets([Uint8Array.from(octets)])]).toEqual([text]))

  it('are the same lines, wherever its parts end', () => {
    const octets = Buffer.from('\ufeffa \\\\é\r\n\nb\r\n', 'utf8')
    const lines = [String.raw`a \\\195\169`, '', 'b', '']
    for (let at = 0; at <= octets.length; at++)
      expect([...linesOfOctets([octets.subarray(0, at), octets.subarray(at)])]).toEqual(lines)
  })
})

it('each fault has its line, also around a parenthesis or a quote that is not closed', () => {
  const lines = ['$TTL abc', 'a FOO x', 'b TXT "x', 'c )', '$ORIGIN', 'd BAR', 'e A x', 'f ( A', '192.0.2.1']
  const parsed = parseMasterFile(lines, ZONE)
  expect(
    parsed.ok || parsed.error.map(({ line, refused, detail }) => `${line} ${refused}: ${detail}`),
  ).toEqual([
    expect.stringMatching(/^1 ttlInvalid: \$TTL abc is not/),
    expect.stringMatching(/^2 typeUnsupported: FOO/),
    '3 rdataMalformed: a quote is not closed',
    '4 rdataMalformed: a closing parenthesis without an opening one',
    '5 rdataMalformed: $ORIGIN has no value',
    expect.stringMatching(/^6 typeUnsupported: BAR/),
    expect.stringMatching(/^7 rdataMalformed: 'x' is not an IPv4 address/),
    '8 rdataMalformed: a parenthesis is not closed',
  ])
})

it('a record that no name server could have is not read to its end', () => {
  const long = `a TXT ( ${'"x" '.repeat(70_000)}`
  const parsed = parseMasterFile([long, ')', 'b A 192.0.2.1'], ZONE)
  expect(parsed.ok || parsed.error).toMatchObject([
    { line: 1, detail: 'it is longer than 262144 characters' },
    { line: 2 },
  ])
})

it('an SOA beneath the apex is of another zone', () => {
  const parsed = parseMasterFile([SOA, `b.${ZONE}. ${SOA.slice(2)}`], ZONE)
  expect(parsed.ok || parsed.error).toMatchObject([
    { line: 2, refused: 'typeUnsupported', detail: `b.${ZONE} has an SOA: it is another zone` },
  ])
})
