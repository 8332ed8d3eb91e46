import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { type DnsType, isDnsType, RDATA_TYPES } from '../../src/service/model/rdata/types.ts'
import { PAIRS } from '../service/api/spellings.ts'
import { checkByBind, checkByKnot, lacks, removeZoneFiles } from './name-servers.ts'

/** Every type with values in its canonical form, as name servers of other projects read them. */
const SEED = 20_260_101
const PER_TYPE = 40
const ORIGIN = 'example.org'
const SERVED = Object.keys(RDATA_TYPES)
  .filter(isDnsType)
  .filter((type) => type !== '_URL' && type !== 'ALIAS')

const hex = (octets: number): string => 'a0'.repeat(octets)
/** Values that random spellings do not contain. */
const CHOSEN: Readonly<Partial<Record<DnsType, readonly string[]>>> = {
  TXT: ['a;b "c" \\', '"" ""', 'é', 'x'.repeat(59_000)],
  MX: ['0 .'],
  SRV: ['0 0 0 .'],
  CAA: ['0 issue ""', `128 issue "${'x'.repeat(1000)}"`],
  DS: [20, 32, 32, 48, 32, 32, 1].map((octets, n) => `1 8 ${n + 1} ${hex(octets)}`),
  TLSA: [`0 0 0 ${hex(29_000)}`, `255 255 255 ${hex(1)}`, `PKIX-EE Cert SHA2-256 ${hex(32)}`],
  SSHFP: [`4 2 ${hex(32)}`, `6 2 ${hex(32)}`, `9 9 ${hex(9)}`],
  HTTPS: [
    '0 pool.example.net',
    '0 .',
    '1 . alpn=h2,h3 no-default-alpn port=8443 ipv4hint=192.0.2.1,192.0.2.2 ech=AEX+DQBB ipv6hint=2001:db8::1',
    '1 . mandatory=port,alpn,key65534 port=0 alpn="f\\\\\\\\oo\\\\,bar,h2" key65534',
  ],
  SVCB: ['1 _dns.example.net alpn=h2 dohpath=/dns-query{?dns}', '65535 . key9="; ( ) \\" \\\\ \\000"'],
  NAPTR: [
    '100 10 "" "" "!^urn:cid:.+@([^\\\\.]+\\\\.)(.*)$!\\\\2!i" .',
    '1 1 "u" "E2U+sip" "/a\\\\/b[]:-](c|d){2,}[[:alpha:]-]\\\\1+|^$/\\\\/\\\\1/" .',
    '1 1 "" "" "![^-A][]a-a][b-][[:digit:]-]!!" .',
    '1 1 "" "" "" .',
  ],
  URI: [`1 1 "https://example.net/${'x'.repeat(1000)}"`, "0 0 a:-._~?#[]@!$&'()*+,;="],
  LOC: [
    '0 S 0 W 0',
    '90 S 180 W -100000 0 90000000 0.01',
    '89 59 59.999 N 179 59 59.999 E 42849672.95 0.9 1 10',
  ],
}

function canonical(type: DnsType, text: string): string {
  const parsed = RDATA_TYPES[type].parse(text)
  if (!parsed.ok) throw new Error(`${type} ${text}: ${parsed.error.detail}`)
  return parsed.value
}

interface ZoneRecord {
  readonly owner: string
  readonly type: DnsType
  readonly value: string
}
const RECORDS = SERVED.flatMap((type): readonly ZoneRecord[] => {
  const spelled = fc.sample(PAIRS[type], { seed: SEED, numRuns: PER_TYPE }).map(({ one }) => one)
  return [...(CHOSEN[type] ?? []), ...spelled].map((text, n) => ({
    owner: `v${n}.${type.toLowerCase()}.${ORIGIN}.`,
    type,
    value: canonical(type, text),
  }))
})
const lineOf = ({ owner, type, value }: ZoneRecord): string => `${owner} 300 IN ${type} ${value}`
/** DS is only at a delegation. */
const CUTS = RECORDS.filter(({ type }) => type === 'DS').map(
  ({ owner }) => `${owner} 300 IN NS ns.example.net.`,
)
const ZONE = [
  `${ORIGIN}. 300 IN SOA ns.example.net. hostmaster.example.net. 1 3600 600 86400 300`,
  `${ORIGIN}. 300 IN NS ns.example.net.`,
  ...CUTS,
  ...RECORDS.map(lineOf),
  '',
].join('\n')

afterAll(removeZoneFiles)

it('the zone has hundreds of records of all types', () => {
  expect(new Set(RECORDS.map(({ type }) => type)).size).toBe(18)
  expect(RECORDS.length).toBeGreaterThan(700)
})

describe.skipIf(lacks('named-checkzone'))('named-checkzone', () => {
  const check = () => checkByBind(ZONE, ORIGIN)

  it('loads the canonical forms of all types', () => {
    const { status, stderr } = check()
    expect([status, stderr.split('\n').filter((line) => /error|fail/.test(line))]).toEqual([0, []])
  })

  it('prints values that are the same in canonical form', () => {
    const printed = check().stdout.split('\n').flatMap(recordIn)
    const byOwner = (one: ZoneRecord, other: ZoneRecord): number => (one.owner < other.owner ? -1 : 1)
    const read = printed.filter(({ owner, type }) => owner.split('.')[1] === type.toLowerCase())
    expect(read.toSorted(byOwner)).toEqual(RECORDS.toSorted(byOwner))
  })
})

/** A record as BIND prints it, one a line. */
function recordIn(line: string): readonly ZoneRecord[] {
  const [, owner = '', type, value = ''] = /^(\S+)\s+\d+ IN (\S+)\s+(.*)$/.exec(line) ?? []
  return isDnsType(type) ? [{ owner, type, value: canonical(type, value) }] : []
}

describe.skipIf(lacks('knotc'))('Knot', () => {
  it('loads the canonical forms of all types', () => {
    // Knot 3.2 has no name for the key dohpath.
    const { status, stdout, stderr } = checkByKnot(ZONE.replaceAll(' dohpath=', ' key7='), ORIGIN)
    expect([status, `${stdout}${stderr}`.split('\n').filter((line) => line.startsWith('error'))]).toEqual([
      0,
      [],
    ])
  })
})
