import { type Address, parseAddress } from '../../src/shared/base/address.ts'
import type { InterfaceAddress } from '../../src/shared/ports/interfaces.ts'

export function address(text: string): Address {
  const parsed = parseAddress(text)
  if (parsed === undefined) throw new Error(`${text} is not an address`)
  return parsed
}

/** An address of eth0. */
export const interfaceAddress = (text: string, over: Partial<InterfaceAddress> = {}): InterfaceAddress => ({
  interface: 'eth0',
  address: address(text),
  isTemporary: false,
  isUnusable: false,
  isPermanent: false,
  prefixLength: 64,
  ...over,
})
