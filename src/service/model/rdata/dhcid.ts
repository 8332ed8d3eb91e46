import { excerpt, fieldsIn, malformed, type RdataParser, withinRecord } from './parse.ts'
import { wireRest } from './wire.ts'

/** In octets: two of the identifier type, one of the digest type, and the digest. */
const MIN_DHCID = 4

/** RFC 4701 §3.2: octets in Base64, in which white space is allowed. Only DHCP servers make and read them. */
const parseDhcid: RdataParser = (value) => {
  const text = fieldsIn(value).join('')
  const octets = Buffer.from(text, 'base64')
  return octets.toString('base64') === text && octets.length >= MIN_DHCID
    ? withinRecord(octets.length, text)
    : malformed('rdataMalformed', `${excerpt(value)} is not Base64 of at least ${MIN_DHCID} octets`)
}

const wireBase64 = wireRest(
  (field) => field.toString('base64'),
  (text) => Buffer.from(text, 'base64'),
)
export const dhcidRdata = { isTarget: false, parse: parseDhcid, wire: [wireBase64] } as const
