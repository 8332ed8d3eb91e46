import { expect, it } from 'vitest'
import { parseIpv6Routes, parseRoutes } from '../../../../src/shared/platform/network/tables.ts'

it('reads the routes of IPv4 that are up', () => {
  const table = [
    'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT',
    'eth0\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0',
    'eth0\t0001A8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0',
    'eth1\t00000000\t0102A8C0\t0002\t0\t0\t200\t00000000\t0\t0\t0',
  ].join('\n')
  expect(parseRoutes(table)).toEqual([
    { interface: 'eth0', destination: '0.0.0.0', length: 0, gateway: '192.168.1.1', metric: 100 },
    { interface: 'eth0', destination: '192.168.1.0', length: 24, metric: 100 },
  ])
})

it('reads the routes of IPv6, without those to this host and those that reject', () => {
  const none = '0'.repeat(32)
  const row = (to: string, length: string, via: string, flags: string, name: string): string =>
    `${to} ${length} ${none} 00 ${via} 00000400 00000001 00000000 ${flags} ${name.padStart(8)}`
  const table = [
    row(none, '00', 'fe800000000000000000000000000001', '00450003', 'eth0'),
    row('20010db8000100000000000000000000', '40', none, '00400001', 'eth0'),
    row('20010db8000100000000000000000020', '80', none, '80200001', 'eth0'),
    row(none, '00', none, '00200200', 'lo'),
  ].join('\n')
  expect(parseIpv6Routes(table)).toEqual([
    { interface: 'eth0', destination: '::', length: 0, gateway: 'fe80::1', metric: 1024 },
    { interface: 'eth0', destination: '2001:db8:1::', length: 64, metric: 1024 },
  ])
})
