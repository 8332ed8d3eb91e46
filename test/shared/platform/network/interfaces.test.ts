import { expect, it } from 'vitest'
import { parseIfInet6 } from '../../../../src/shared/platform/network/interfaces.ts'

it('parses addresses with their flags from /proc/net/if_inet6', () => {
  const table =
    '20010db8000000000000000000000001 02 40 00 80     eth0\n20010db8000000000000000000000002 02 40 00 01     eth0\n'

  expect([...parseIfInet6(table)]).toEqual([
    ['eth0 2001:db8::1', 0x80],
    ['eth0 2001:db8::2', 0x01],
  ])
})
