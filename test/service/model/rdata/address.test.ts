import { describe } from 'vitest'
import { accepts, refuses } from './values.ts'

describe('an address is stored in its shortest form', () => {
  accepts('A', [['192.0.2.1', '192.0.2.1']])
  accepts('AAAA', [
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
  ])
})

describe('an address is refused that', () => {
  refuses('A', [
    ['192.0.2.010', "'192.0.2.010' is not an IPv4 address"],
    ['192.0.2', "'192.0.2' is not an IPv4 address"],
    ['2001:db8::1', "'2001:db8::1' is not an IPv4 address"],
  ])
  refuses('AAAA', [
    ['192.0.2.1', "'192.0.2.1' is not an IPv6 address"],
    ['fe80::1%eth0', "'fe80::1%eth0' is not an IPv6 address"],
  ])
})
