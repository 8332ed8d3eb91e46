import { expect, it } from 'vitest'
import { formatStatus, isSameStatus } from '../../../src/client/report/status.ts'
import { hostTable } from '../../../src/client/report/host-table.ts'
import { wrapped } from '../../../src/shared/program/output.ts'
import { type Address, byFamily, parseAddress } from '../../../src/shared/base/address.ts'
import { accountReport } from '../../fakes/account-report.ts'

it('formats each account with its last look, the sources and the next look', () =>
  expect(
    formatStatus({
      isRunning: true,
      accounts: [
        accountReport('settled', {
          name: 'office',
          lastLook: '2026-01-03T10:00:00.000Z',
          nextLook: '2026-01-03T10:05:00.000Z',
          hostnames: accountReport('settled').hostnames.map((host) => ({
            ...host,
            seen: [
              { family: 'v4', address: '192.0.2.1', by: 'router and stun:x', because: null },
              {
                family: 'v6',
                address: null,
                by: null,
                because: 'this host has no public address of this family',
              },
            ],
            remarks: ['something to know'],
          })),
        }),
        accountReport('stopped', { because: 'abuse', nextAttempt: null }),
      ],
    }),
  ).toEqual([
    'the daemon is running',
    'office (key@dyn.test): up to date',
    '  last look 2026-01-03 10:00:00, next look 2026-01-03 10:05:00',
    '  seen: 192.0.2.1 (router and stun:x); no IPv6 address (this host has no public address of this family)',
    '  hostname   address    confirmed since',
    '  home.test  192.0.2.1  2026-01-01 08:00:00',
    '    something to know',
    'key@dyn.test: stopped since 2026-01-01 00:00:00, the service answered abuse (username blocked for abuse); run holdfast explain to see what to do',
    '  hostname   address    confirmed since',
    '  home.test  192.0.2.1  2026-01-01 08:00:00',
  ]))

it('announces no attempt without a daemon', () =>
  expect(
    formatStatus({ isRunning: false, accounts: [accountReport('waiting', { because: '911' })] }),
  ).toContain(
    'key@dyn.test: waiting since 2026-01-01 00:00:00, the service answered 911 (fatal error at the service); no attempt before 2026-01-01 00:30:00',
  ))

it('tells an update that is due', () => {
  const accounts = [accountReport('settled', { isDue: true })]
  expect(formatStatus({ isRunning: true, accounts })[1]).toBe('key@dyn.test: an update is on its way')
  expect(formatStatus({ isRunning: false, accounts })[1]).toBe(
    'key@dyn.test: an update is due; run holdfast update, or start the daemon',
  )
})

it('names the cause and since when no address is known', () =>
  expect(
    formatStatus({
      isRunning: true,
      accounts: [accountReport('addressUnknown', { because: 'no source answered' })],
    }),
  ).toContain('key@dyn.test: no address to send since 2026-01-01 00:00:00: no source answered'))

it('says where the data comes from when the daemon does not answer', () =>
  expect(formatStatus({ isRunning: true, isSilent: true, accounts: [] })).toEqual([
    'the daemon is running but does not answer; this is the saved state',
  ]))

// biome-ignore format: a table
it.each([
  ['times that differ by the reading of the clocks', { since: '2026-01-01T00:00:00.008Z' },         true],
  ['another next attempt',                           { nextAttempt: '2026-01-01T01:00:00.000Z' },   true],
  ['another time',                                   { since: '2026-01-01T00:00:02.000Z' },         false],
  ['another cause',                                  { because: 'badauth' },                        false],
  ['a time that was not there',                      { lastLook: '2026-01-01T00:00:00.000Z' },      false],
])('compares two reports for --watch: %s', (_, over, isSame) => {
  const statusOf = (rest: object) => ({
    isRunning: true,
    accounts: [accountReport('stopped', { because: 'abuse', since: '2026-01-01T00:00:00.000Z', lastLook: null, ...rest })],
  })

  expect(isSameStatus(statusOf({}), statusOf(over))).toBe(isSame)
})

const host = (hostname: string, ...addresses: readonly string[]) => ({
  ...accountReport('settled').hostnames[0],
  hostname,
  confirmed: byFamily(addresses.map((one) => parseAddress(one) as Address)),
})

it('gives each address a row, in at most 80 columns', () =>
  expect(
    hostTable([
      host('home.test', '192.0.2.1', '2001:db8:1234:5678:9abc:def0:1234:5678'),
      host('new.test'),
    ] as never),
  ).toEqual([
    '  hostname   address                                 confirmed since',
    '  home.test  192.0.2.1                               2026-01-01 08:00:00',
    '             2001:db8:1234:5678:9abc:def0:1234:5678',
    '  new.test   not confirmed yet',
  ]))

it('gives a long hostname a line of its own', () =>
  expect(
    hostTable([
      host('a-hostname-that-is-rather-long.example.test', '2001:db8:1234:5678:9abc:def0:1234:5678'),
    ] as never),
  ).toEqual([
    '  a-hostname-that-is-rather-long.example.test',
    '    2001:db8:1234:5678:9abc:def0:1234:5678  since 2026-01-01 08:00:00',
  ]))

it('continues long lines below, deeper than they begin', () => {
  const [first = '', ...others] = wrapped(['  one two three four five six seven'], 14)
  expect([first, ...others]).toEqual(['  one two', '    three four', '    five six', '    seven'])
  expect(wrapped(['x'.repeat(50)], 20)).toEqual(['x'.repeat(50)])
})
