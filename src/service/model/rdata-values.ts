import { ok, type Result } from '../../shared/base/result.ts'
import { familyOf, parseAddress } from '../../shared/base/address.ts'
import { parseHost, parseTarget } from './dns-name.ts'
import { parseDhcid, parseDs, parseSshfp, parseTlsa } from './rdata-digests.ts'
import { parseLoc } from './rdata-loc.ts'
import { parseNaptr } from './rdata-naptr.ts'
import {
  excerpt,
  type InvalidValue,
  malformed,
  parseCaa,
  parseTxt,
  type RdataParser,
  type RdataType,
  withText,
} from './rdata-strings.ts'
import { parseSvcb } from './rdata-svcb.ts'
import { parseUri } from './rdata-uri.ts'

const address =
  (family: 'v4' | 'v6', is: string): RdataParser =>
  (value) => {
    const parsed = parseAddress(value)
    return parsed === undefined || familyOf(parsed) !== family
      ? malformed('rdataMalformed', `${excerpt(value)} is not an ${is} address`)
      : ok(parsed)
  }

/** Canonical form: absolute, with the trailing dot (RFC 1035 §5.1). */
const domain =
  (refused: InvalidValue['refused'], parse: (text: string) => string | undefined): RdataParser =>
  (value) => {
    const name = parse(value)
    return name === undefined ? malformed(refused, `${excerpt(value)} is not a domain name`) : ok(`${name}.`)
  }

/** An absolute http or https URL with a host and without credentials, parsed as in browsers (WHATWG URL). */
export function parseWebUrl(value: string): string | undefined {
  // A URL replaces half of a surrogate pair by U+FFFD.
  if (value.length > 2048 || /[\0-\x20\x7f]|\p{Surrogate}/u.test(value) || !URL.canParse(value))
    return undefined
  const url = new URL(value)
  const isWeb = (url.protocol === 'http:' || url.protocol === 'https:') && /^https?:\/\//i.test(value)
  return isWeb && url.hostname !== '' && url.username === '' && url.password === '' ? url.href : undefined
}

const number = (text: string | undefined, max: number): number | undefined =>
  text !== undefined && /^\d{1,5}$/.test(text) && Number(text) <= max ? Number(text) : undefined

/** RFC 1035 §3.3.9; RFC 7505: "0 ." is the null MX. */
function parseMx(value: string): Result<string, InvalidValue> {
  const [preference, exchange, ...rest] = value.split(/[ \t]+/)
  const weight = number(preference, 65_535)
  const host = exchange === '.' && weight === 0 ? '' : parseHost(exchange ?? '')
  return weight === undefined || host === undefined || rest.length > 0
    ? malformed('rdataMalformed', `${excerpt(value)} is not "PREFERENCE HOST"`)
    : ok(`${weight} ${host}.`)
}

/** RFC 2782; the target "." means that the service is not available. */
function parseSrv(value: string): Result<string, InvalidValue> {
  const fields = value.split(/[ \t]+/)
  const numbers = fields.slice(0, 3).map((field) => number(field, 65_535))
  const target = fields[3] === '.' ? '' : parseTarget(fields[3] ?? '')
  return fields.length !== 4 || numbers.includes(undefined) || target === undefined
    ? malformed('rdataMalformed', `${excerpt(value)} is not "PRIORITY WEIGHT PORT TARGET"`)
    : ok(`${numbers.join(' ')} ${target}.`)
}

const parseUrl: RdataParser = (value) => {
  const url = parseWebUrl(value)
  return url === undefined
    ? malformed('urlRedirectMalformed', `${excerpt(value)} is not an absolute http or https URL`)
    : ok(url)
}

/** All supported types. Those that contain an address or a redirect may be the target of a DDNS key. */
// biome-ignore format: a table
export const RDATA_TYPES = {
  A:     { isTarget: true,  parse: address('v4', 'IPv4') },
  AAAA:  { isTarget: true,  parse: address('v6', 'IPv6') },
  _URL:  { isTarget: true,  parse: parseUrl },
  ALIAS: { isTarget: false, parse: domain('aliasInvalid', parseTarget) },
  CNAME: { isTarget: false, parse: domain('cnameInvalid', parseTarget) },
  NS:    { isTarget: false, parse: domain('nsInvalid', parseHost) },
  PTR:   { isTarget: false, parse: domain('ptrInvalid', parseHost) },
  TXT:   { isTarget: false, parse: withText(parseTxt) },
  MX:    { isTarget: false, parse: parseMx },
  SRV:   { isTarget: false, parse: parseSrv },
  CAA:   { isTarget: false, parse: withText(parseCaa) },
  DS:    { isTarget: false, parse: parseDs },
  TLSA:  { isTarget: false, parse: parseTlsa },
  SSHFP: { isTarget: false, parse: parseSshfp },
  HTTPS: { isTarget: false, parse: withText(parseSvcb) },
  SVCB:  { isTarget: false, parse: withText(parseSvcb) },
  NAPTR: { isTarget: false, parse: withText(parseNaptr) },
  URI:   { isTarget: false, parse: withText(parseUri) },
  LOC:   { isTarget: false, parse: parseLoc },
  DHCID: { isTarget: false, parse: parseDhcid },
} as const satisfies Readonly<Record<string, RdataType>>

export type DnsType = keyof typeof RDATA_TYPES
export const isDnsType = (text: unknown): text is DnsType =>
  typeof text === 'string' && Object.hasOwn(RDATA_TYPES, text)

/** The octets of a canonical value on the wire, or somewhat more: two hexadecimal digits are one octet. */
export const sizeOfRdata = (type: DnsType, value: string): number =>
  'form' in RDATA_TYPES[type].parse
    ? Math.ceil(value.length / 2)
    : Buffer.byteLength(value.replace(/\\(?:\d{3}|.)/g, '.'))
