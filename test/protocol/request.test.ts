import { describe, expect, it } from 'vitest'
import type { Address } from '../../src/net/address.ts'
import { ALL_HOSTNAMES, formatQuery, readQuery, UPDATE_PATH } from '../../src/protocol/request.ts'
import {
  agentToken,
  formatUserAgent,
  classifyUserAgent,
  parseUserAgent,
} from '../../src/protocol/user-agent.ts'

const v4 = '192.0.2.1' as Address

it('the token for all hostnames is the one of decision 0007', () =>
  expect(ALL_HOSTNAMES).toBe('all-hostnames'))

it('the path is the one of all services', () => expect(UPDATE_PATH).toBe('/nic/update'))

describe('a query', () => {
  const v6 = '2001:db8::1' as Address
  // biome-ignore format: a table
  it.each([
    ['myip',   { v4, v6 }, `myip=${v4},${v6}`],
    ['myip',   { v6 },     `myip=${v6}`],
    ['myipv6', { v4, v6 }, `myip=${v4}&myipv6=${v6}`],
    ['myipv6', { v6 },     `myip=${v6}&myipv6=${v6}`],
  ] as const)('has the IPv6 address in %s: %j', (parameter, addresses, sent) =>
    expect(formatQuery({ hostnames: ['a'], addresses }, parameter)).toBe(`hostname=a&${sent}`))

  it('has no myipv6 without an IPv6 address', () =>
    expect(formatQuery({ hostnames: ['a.test'], addresses: { v4 } }, 'myipv6')).toBe(
      'hostname=a.test&myip=192.0.2.1',
    ))

  it('has colons and at-signs as they are, and everything else escaped', () =>
    expect(formatQuery({ hostnames: ['a@b:c&d'], addresses: {} }, 'myip')).toBe('hostname=a@b:c%26d'))

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
    ['hostname=a&hostname=b', ['a']],
  ])('%s asks for %j', (query, hostnames) => expect(readQuery(query).hostnames).toEqual(hostnames))

  it.each([
    ['offline=YES', true],
    ['offline=yes', true],
    ['offline=NO', false],
    ['offline', false],
    ['', false],
  ])('%s is offline: %j', (query, isOffline) => expect(readQuery(query).isOffline).toBe(isOffline))
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
