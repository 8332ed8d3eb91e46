import { describe, expect, it } from 'vitest'
import type { Address, Addresses } from '../../../src/shared/base/address.ts'
import { Secret } from '../../../src/shared/base/secret.ts'
import {
  ALL_HOSTNAMES,
  formatQuery,
  HOSTNAME_PARAMETERS,
  PLAIN_FORM,
  type RequestForm,
  UPDATE_PATH,
} from '../../../src/shared/protocol/request.ts'
import { readQuery } from '../../../src/shared/protocol/update-query.ts'
import {
  agentToken,
  classifyUserAgent,
  formatUserAgent,
  parseUserAgent,
} from '../../../src/shared/protocol/user-agent.ts'

const v4 = '192.0.2.1' as Address

it('the token for all hostnames is the one of decision 0007', () =>
  expect(ALL_HOSTNAMES).toBe('all-hostnames'))

it('the path is the one of all services', () => expect(UPDATE_PATH).toBe('/nic/update'))

it('the form of the specification says nothing about a family without an address', () =>
  expect([PLAIN_FORM.hostnameParameter, PLAIN_FORM.absentFamily]).toEqual(['hostname', 'omit']))

it('the parameters for hostnames that a configuration may choose', () =>
  expect(HOSTNAME_PARAMETERS).toEqual(['hostname', 'host', 'none']))

describe('the form of a service', () => {
  const v6 = '2001:db8::1' as Address
  const [both, only4, only6] = [{ v4, v6 }, { v4 }, { v6 }]
  // biome-ignore format: a table
  it.each<[string, Partial<RequestForm>, Addresses, string]>([
    ['another parameter for hostnames', { hostnameParameter: 'host' },                          both,  `host=a.test&myip=${v4},${v6}`],
    ['no hostname',                     { hostnameParameter: 'none' },                          only4, `myip=${v4}`],
    ['another parameter for addresses', { addressParameter: 'ip' },                             both,  `hostname=a.test&ip=${v4},${v6}`],
    ['another parameter for IPv6',      { ipv6Parameter: 'ip6' },                               both,  `hostname=a.test&myip=${v4}&ip6=${v6}`],
    ['fixed parameters first',          { parameters: [['system', 'dyndns'], ['a', 'b']] },     only4, `system=dyndns&a=b&hostname=a.test&myip=${v4}`],
    ['a secret, which is escaped',      { parameters: [['key', new Secret('a&b c')]] },          only4, `key=a%26b%20c&hostname=a.test&myip=${v4}`],
    ['IPv6 apart, in its parameter',    { isApart: true, ipv6Parameter: 'myip6' },              only6, `hostname=a.test&myip6=${v6}`],
    ['IPv6 apart, in myip',             { isApart: true },                                      only6, `hostname=a.test&myip=${v6}`],
    ['preserve IPv6',                   { absentFamily: 'preserve', ipv6Parameter: 'myipv6' },  only4, `hostname=a.test&myip=${v4}&myipv6=preserve`],
    ['preserve IPv4',                   { absentFamily: 'preserve', ipv6Parameter: 'myipv6' },  only6, `hostname=a.test&myip=preserve&myipv6=${v6}`],
    ['preserve nothing',                { absentFamily: 'preserve', ipv6Parameter: 'myipv6' },  both,  `hostname=a.test&myip=${v4}&myipv6=${v6}`],
    ['no IPv4',                         { absentFamily: 'no', ipv6Parameter: 'myipv6' },        only6, `hostname=a.test&myip=no&myipv6=${v6}`],
    ['keep IPv6',                       { absentFamily: 'keep', isApart: true },                only4, `hostname=a.test&myip=${v4}&keepipv6=1`],
    ['keep IPv4',                       { absentFamily: 'keep', isApart: true },                only6, `hostname=a.test&myip=${v6}&keepipv4=1`],
    ['the connection, without a word',  { absentFamily: 'preserve', ipv6Parameter: 'myipv6' },  {},    'hostname=a.test'],
  ])('%s', (_, form, addresses, query) =>
    expect(formatQuery({ hostnames: ['a.test'], addresses }, { ...PLAIN_FORM, ...form }).reveal()).toBe(query))
})

it('a query shows no secret', () =>
  expect(
    String(
      formatQuery(
        { hostnames: ['a'], addresses: {} },
        { ...PLAIN_FORM, parameters: [['key', new Secret('a&b')]] },
      ),
    ),
  ).toBe('key=«secret»&hostname=a'))

describe('a query', () => {
  const v6 = '2001:db8::1' as Address
  // biome-ignore format: a table
  it.each([
    ['myip',   { v4, v6 }, `myip=${v4},${v6}`],
    ['myip',   { v6 },     `myip=${v6}`],
    ['myipv6', { v4, v6 }, `myip=${v4}&myipv6=${v6}`],
    ['myipv6', { v6 },     `myip=${v6}&myipv6=${v6}`],
  ] as const)('has the IPv6 address in %s: %j', (parameter, addresses, sent) =>
    expect(formatQuery({ hostnames: ['a'], addresses }, { ...PLAIN_FORM, ipv6Parameter: parameter }).reveal()).toBe(`hostname=a&${sent}`))

  it('has no myipv6 without an IPv6 address', () =>
    expect(
      formatQuery(
        { hostnames: ['a.test'], addresses: { v4 } },
        { ...PLAIN_FORM, ipv6Parameter: 'myipv6' },
      ).reveal(),
    ).toBe('hostname=a.test&myip=192.0.2.1'))

  it('has colons and at-signs as they are, and everything else escaped', () =>
    expect(formatQuery({ hostnames: ['a@b:c&d'], addresses: {} }, PLAIN_FORM).reveal()).toBe(
      'hostname=a@b:c%26d',
    ))

  it.each(['fe80::1', '169.254.1.1', '224.0.0.1', '255.255.255.255', '0.0.0.0', '::', 'x'])(
    'of myip ignores %s, which is the address of no host elsewhere',
    (myip) => expect(readQuery(`myip=${myip}`).addresses).toEqual({}),
  )

  it('of myipv6 ignores an IPv4 address', () => expect(readQuery('myipv6=192.0.2.1').addresses).toEqual({}))

  it.each([
    ['hostnamex', undefined],
    ['hostname', undefined],
    ['hostname=a+b', ['a b']],
    ['hostname=%20a%20,%20b', ['a', 'b']],
    ['hostname=a%', ['a%']],
    ['hostname=a&hostname=b', ['a', 'b']],
    ['hostname=a,,b', ['a', '', 'b']],
    ['hostname=a.test%2C%ED%A0%80,b.test', ['a.test', '\uFFFD\uFFFD\uFFFD', 'b.test']],
    ['hostname=a%zz,b', ['a%zz', 'b']],
  ])('%s asks for %j', (query, hostnames) => expect(readQuery(query).hostnames).toEqual(hostnames))

  it.each([
    ['offline=YES', 'yes'],
    ['offline=yes', 'yes'],
    ['offline=NO', 'no'],
    ['offline=ON', 'unknown'],
    ['offline', 'no'],
    ['', 'no'],
  ])('%s is offline: %j', (query, offline) => expect(readQuery(query).offline).toBe(offline))
})

describe('a User-Agent', () => {
  it('without a contact ends with the version', () =>
    expect(formatUserAgent({ company: 'Acme', product: 'box', version: '1' })).toBe('Acme box/1'))

  it.each(['/ Acme box/1', 'Acme box/1 a@b.test more', 'Acme box', 'box/1'])(
    'is not of the documented shape as a part of %j',
    (text) => expect(parseUserAgent(text)).toBeUndefined(),
  )

  it.each([
    ['Acme Inc.', 'Acme-Inc.'],
    ['a/b@c  d', 'a-b-c-d'],
    ['(x)', 'x'],
    ['a-b', 'a-b'],
    ['?', '0'],
  ])('a token is made of %j: %s', (text, token) => expect(agentToken(text)).toBe(token))

  it('is refused for any one of the blocked fragments', () =>
    expect(
      ['Bad box/1', 'Worse box/1', 'Acme box/1'].map((agent) => classifyUserAgent(agent, ['bad', 'worse'])),
    ).toEqual(['refused', 'refused', 'descriptive']))
})
