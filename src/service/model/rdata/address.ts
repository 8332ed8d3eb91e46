import { familyOf, parseAddress } from '../../../shared/base/address.ts'
import { ok } from '../../../shared/base/result.ts'
import { excerpt, malformed, type RdataParser } from './parse.ts'
import { wireAddress } from './wire.ts'

const addressParser =
  (family: 'v4' | 'v6', is: string): RdataParser =>
  (value) => {
    const parsed = parseAddress(value)
    return parsed === undefined || familyOf(parsed) !== family
      ? malformed('rdataMalformed', `${excerpt(value)} is not an ${is} address`)
      : ok(parsed)
  }

export const aRdata = { isTarget: true, parse: addressParser('v4', 'IPv4'), wire: [wireAddress(4)] } as const
export const aaaaRdata = {
  isTarget: true,
  parse: addressParser('v6', 'IPv6'),
  wire: [wireAddress(16)],
} as const
