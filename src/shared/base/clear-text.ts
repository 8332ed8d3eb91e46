import { parseAddress } from './address.ts'
import { specialRangeOf } from './special.ts'

/** Whether a request to this address is not encrypted, and others may read it. A name may only begin like an address. */
export function isInClear({ protocol, hostname }: URL): boolean {
  const address = parseAddress(hostname.replace(/^\[|\]$/g, ''))
  const isOwn = address === undefined ? hostname === 'localhost' : specialRangeOf(address) === 'loopback'
  return protocol === 'http:' && !isOwn
}
