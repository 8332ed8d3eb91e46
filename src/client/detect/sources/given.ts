import { milliseconds } from '../../../shared/base/time.ts'
import { type Addresses, FAMILIES } from '../../../shared/base/address.ts'
import type { AddressSource } from './source.ts'

/** A configured address. A family without one is left as it is published. */
export const givenSource = (addresses: Addresses): AddressSource => ({
  name: 'given',
  operator: 'you',
  vantage: 'chosen',
  families: FAMILIES,
  cooldown: milliseconds(0),
  look(family) {
    const address = addresses[family]
    return Promise.resolve(
      address === undefined ? { kind: 'none', isLeft: true } : { kind: 'seen', address, by: 'given' },
    )
  },
})
