import { expect, it } from 'vitest'
import type { Address } from '../../../src/shared/base/address.ts'
import { parsePrefix } from '../../../src/shared/base/prefix.ts'
import { cameInClear, originOf } from '../../../src/service/http/listen.ts'
import { networkOf, shareOf } from '../../../src/shared/base/network.ts'

const TRUSTED = ['10.0.0.0/8', '127.0.0.1', '2001:db8:ffff::/48'].flatMap((text) => {
  const range = parsePrefix(text)
  return range.ok ? [range.value] : []
})

// biome-ignore format: a table
it.each<[remote: string, forwardedFor: string | undefined, peer: string, isProxy: boolean]>([
  ['198.51.100.7',        undefined,                      '198.51.100.7', false],
  ['::ffff:198.51.100.7', undefined,                      '198.51.100.7', false],
  ['198.51.100.7',        '192.0.2.1',                    '198.51.100.7', false],
  ['10.0.0.1',            '192.0.2.1',                    '192.0.2.1',    false],
  ['2001:db8:ffff::1',    '2001:db8::7',                  '2001:db8::7',  false],
  ['10.0.0.1',            'evil, 192.0.2.1',              '192.0.2.1',    false],
  ['10.0.0.1',            '8.8.8.8, 192.0.2.1, 10.9.8.7', '192.0.2.1',    false],
  ['10.0.0.1',            '192.0.2.2,, 10.0.0.2',         '192.0.2.2',    false],
  ['10.0.0.1',            '203.0.113.9:4444',             '203.0.113.9',  false],
  ['10.0.0.1',            '[2001:db8::1]:80',             '2001:db8::1',  false],
  ['10.0.0.1',            '[2001:db8::1]',                '2001:db8::1',  false],
  ['10.0.0.1',            'unknown',                      '10.0.0.1',     true],
  ['10.0.0.1',            'x, 127.0.0.1',                 '127.0.0.1',    true],
  ['10.0.0.1',            '',                             '10.0.0.1',     true],
  ['10.0.0.1',            undefined,                      '10.0.0.1',     true],
])('%s with X-Forwarded-For %j is %s', (remote, forwardedFor, peer, isProxy) =>
  expect(originOf(remote, { header: 'x-forwarded-for', text: forwardedFor }, TRUSTED)).toEqual({ peer, isProxy }))

// biome-ignore format: a table
it.each([
  ['for=192.0.2.60;proto=http;by=203.0.113.43', '192.0.2.60'],
  ['for="[2001:db8:cafe::17]:4711"',            '2001:db8:cafe::17'],
  ['For = 192.0.2.1, for=10.1.2.3',             '192.0.2.1'],
  ['by=203.0.113.43; for=192.0.2.1',            '192.0.2.1'],
  ['for=_hidden',                               '10.0.0.1'],
])('Forwarded: %s is %s', (forwarded, peer) =>
  expect(originOf('10.0.0.1', { header: 'forwarded', text: forwarded }, TRUSTED)?.peer).toBe(peer))

it('a closed connection has no address', () =>
  expect(originOf('', { header: 'x-forwarded-for', text: '192.0.2.1' }, TRUSTED)).toBeUndefined())

// biome-ignore format: a table
it.each([
  ['192.0.2.1',             '192.0.2.1',            'c00002/24'],
  ['192.0.2.99',            '192.0.2.99',           'c00002/24'],
  ['2001:db8:0:1::1',       '2001:db8:0:1::/64', '20010db80000/48'],
  ['2001:db8:0:1:ffff::',   '2001:db8:0:1::/64', '20010db80000/48'],
  ['2001:db8:0:2::1',       '2001:db8:0:2::/64', '20010db80000/48'],
])('%s is counted as one network, and has one fair share', (address, network, share) =>
  expect([networkOf(address as Address), shareOf(address as Address)]).toEqual([network, share]))

// biome-ignore format: a table
it.each<[remote: string, scheme: string | undefined, isClear: boolean]>([
  ['127.0.0.1',        undefined, false],
  ['::1',              undefined, false],
  ['::ffff:127.0.0.1', 'http',    false],
  ['10.0.0.1',         undefined, false],
  ['198.51.100.7',     undefined, true],
  ['198.51.100.7',     'http',    true],
  ['198.51.100.7',     'https',   false],
  ['2001:db8::7',      undefined, true],
])('%s with X-Forwarded-Proto %j came in clear: %s', (remote, scheme, isClear) =>
  expect(cameInClear(remote, scheme, TRUSTED)).toBe(isClear))
